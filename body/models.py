from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.api.pagination import Keyset
from fitness.api.windows import window

SITES = ("chest_cm", "waist_cm", "hips_cm", "arms_cm", "thighs_cm", "neck_cm")


class LogQuerySet(models.QuerySet):
    def logged(self, since=None, until=None):
        """Logs from `since` (inclusive) to `until` (exclusive)."""
        return window(self, "logged_at", since, until)

    def oldest_first(self):
        return self.order_by("logged_at", "id")


class Log(models.Model):
    """Something measured at a moment."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    logged_at = models.DateTimeField(default=timezone.now)

    objects = LogQuerySet.as_manager()

    class Meta:
        abstract = True

    def change(self, values):
        """Sets these fields and leaves the others alone. Raises DoesNotExist if the log is gone."""
        if values and not type(self).objects.filter(pk=self.pk).update(**values):
            raise self.DoesNotExist()
        for name, value in values.items():
            setattr(self, name, value)


class WeightLogQuerySet(LogQuerySet):
    newest_first = Keyset("weight", "logged_at", "id")

    def latest_kg(self):
        """The weight that was logged for the latest moment that is not in the future, or None."""
        return (
            self.filter(logged_at__lte=timezone.now())
            .order_by("-logged_at", "-id")
            .values_list("weight_kg", flat=True)
            .first()
        )


class WeightLog(Log):
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="weight_logs", db_index=False
    )
    weight_kg = models.FloatField()
    body_fat_percent = models.FloatField(null=True)
    notes = models.TextField(blank=True)

    objects = WeightLogQuerySet.as_manager()

    class Meta:
        indexes = [models.Index("account", F("logged_at").desc(), F("id").desc(), name="weight_newest")]

    def __str__(self):
        return f"{self.weight_kg:g} kg"


class MeasurementQuerySet(LogQuerySet):
    newest_first = Keyset("measurements", "logged_at", "id")


class Measurement(Log):
    """Tape measurements of one moment: at least one site."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="measurements", db_index=False
    )
    chest_cm = models.FloatField(null=True)
    waist_cm = models.FloatField(null=True)
    hips_cm = models.FloatField(null=True)
    arms_cm = models.FloatField(null=True)
    thighs_cm = models.FloatField(null=True)
    neck_cm = models.FloatField(null=True)

    objects = MeasurementQuerySet.as_manager()

    class Meta:
        indexes = [models.Index("account", F("logged_at").desc(), F("id").desc(), name="measurement_newest")]
        constraints = [
            # Two clients may clear different sites at once; each alone would leave one.
            models.CheckConstraint(
                condition=Q(*((f"{site}__isnull", False) for site in SITES), _connector=Q.OR),
                name="measurement_has_a_site",
            )
        ]

    def __str__(self):
        given = [site for site in SITES if getattr(self, site) is not None]
        return ", ".join(f"{site.removesuffix('_cm')} {getattr(self, site):g} cm" for site in given)


class GoalQuerySet(models.QuerySet):
    newest_first = Keyset("goals", "created_at", "id")

    def current(self):
        """The newest goal. Raises DoesNotExist when there is none."""
        return self.latest("created_at", "id")

    def newest(self):
        """The current goal, or None."""
        return self.order_by("-created_at", "-id").first()

    def set_for(self, account, values):
        """Stores a goal, which becomes the account's current one.

        Without a `start_weight_kg` it starts from the latest weight log.
        """
        with transaction.atomic():
            goal = self.model(account=account, created_at=account.stamp()[0], **values)
            if goal.start_weight_kg is None:
                goal.start_weight_kg = account.weight_logs.latest_kg()
            goal.save(force_insert=True)
        return goal


class Goal(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="goals", db_index=False
    )
    target_weight_kg = models.FloatField(null=True)
    target_body_fat_percent = models.FloatField(null=True)
    deadline = models.DateField(null=True)
    start_weight_kg = models.FloatField(null=True)
    created_at = models.DateTimeField()  # a stamp of the account, so that the newest is always the last set

    objects = GoalQuerySet.as_manager()

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="goal_newest")]

    def __str__(self):
        return f"Goal of {self.created_at:%Y-%m-%d}"

    def progress(self, weight_kg):
        """How much of the way from the start to the target weight is done, in percent from 0 to 100.

        None where a weight is missing or the goal is to stay.
        """
        if None in (weight_kg, self.start_weight_kg, self.target_weight_kg):
            return None
        way_kg = self.target_weight_kg - self.start_weight_kg
        if not way_kg:
            return None
        return min(max(round(100 * (weight_kg - self.start_weight_kg) / way_kg), 0), 100)
