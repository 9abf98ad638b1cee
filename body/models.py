import datetime
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import Account
from body.trend import LEAD
from fitness.days import EARLIEST, LATEST, ONE_DAY
from fitness.db.keysets import Keyset
from fitness.db.owned import Owned
from fitness.db.windows import window

SITES = ("chest_cm", "waist_cm", "hips_cm", "arms_cm", "thighs_cm", "neck_cm")
MEASUREMENTS_READ = 30  # for what a site was the last time: few measure all of them each time

Values = dict[str, Any]  # of fields, by their names
L = TypeVar("L", bound="Log")


class LogQuerySet(models.QuerySet[L]):
    def logged(self, since: datetime.datetime | None = None, until: datetime.datetime | None = None) -> Self:
        """Logs from `since` (inclusive) to `until` (exclusive)."""
        return window(self, "logged_at", since, until)

    def oldest_first(self) -> Self:
        return self.order_by("logged_at", "id")


class Log(Owned):
    """Values that were measured at one time."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    logged_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    def change(self, values: Values) -> None:
        """Stores new values of some fields. Raises DoesNotExist if the log was deleted in the meantime."""
        if values and not self.stored.update(**values):
            raise self.DoesNotExist()
        for name, value in values.items():
            setattr(self, name, value)


class WeightLogQuerySet(LogQuerySet["WeightLog"]):
    newest_first = Keyset("weight", "logged_at", "id")

    def of_trend(self, since: datetime.datetime | None, until: datetime.datetime | None) -> Self:
        """The logs of a window, with those around it that the trend of its days depends on.

        These are a LEAD before, and the rest of the last day: a day has one trend, whatever the window.
        """
        earlier = since and since - min(LEAD, since - EARLIEST)
        return self.logged(earlier, until and until + min(ONE_DAY, LATEST - until))

    def latest_kg(self, at: datetime.datetime | None = None) -> float | None:
        """The weight in kg with the latest `logged_at` up to a moment, now if None; None without one."""
        return (
            self.filter(logged_at__lte=at or timezone.now())
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

    def __str__(self) -> str:
        return f"{self.weight_kg:g} kg"


class MeasurementQuerySet(LogQuerySet["Measurement"]):
    newest_first = Keyset("measurements", "logged_at", "id")

    def latest_sites(self) -> dict[str, float]:
        """The latest value of each site in cm, by the site's name, of the newest logs."""
        newest = self.order_by("-logged_at", "-id")[:MEASUREMENTS_READ]
        return {site: cm for log in reversed(newest) for site, cm in log.sites.items()}


class Measurement(Log):
    """Body circumferences that were measured at one time, at least one of them."""

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
            # Two requests at once may each clear a different site: only the database sees both.
            models.CheckConstraint(
                condition=Q(*((f"{site}__isnull", False) for site in SITES), _connector=Q.OR),
                name="measurement_has_a_site",
            )
        ]

    def __str__(self) -> str:
        return ", ".join(f"{site.removesuffix('_cm')} {cm:g} cm" for site, cm in self.sites.items())

    @property
    def sites(self) -> dict[str, float]:
        """The sites that were measured, by name as in SITES, in cm."""
        return {site: getattr(self, site) for site in SITES if getattr(self, site) is not None}


class GoalQuerySet(models.QuerySet["Goal"]):
    newest_first = Keyset("goals", "created_at", "id")

    def current(self) -> "Goal":
        """The newest goal. Raises DoesNotExist when there is none."""
        return self.latest("created_at", "id")

    def newest(self) -> "Goal | None":
        """The current goal, or None."""
        return self.order_by("-created_at", "-id").first()

    def set_for(self, account: Account, values: Values) -> "Goal":
        """Stores a goal, which becomes the account's current one.

        The latest weight log is the default of `start_weight_kg`. Raises Account.DoesNotExist if the
        account was deleted in the meantime.
        """
        with transaction.atomic():
            goal = self.model(account=account, created_at=account.stamp()[0], **values)
            if goal.start_weight_kg is None:
                goal.start_weight_kg = account.weight_logs.latest_kg()
            goal.save(force_insert=True)
        return goal


class Goal(Owned):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="goals", db_index=False
    )
    target_weight_kg = models.FloatField(null=True)
    target_body_fat_percent = models.FloatField(null=True)
    deadline = models.DateField(null=True)
    start_weight_kg = models.FloatField(null=True)
    created_at = models.DateTimeField()  # a change stamp: strictly increasing, whatever the clock does

    objects = GoalQuerySet.as_manager()

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="goal_newest")]

    def __str__(self) -> str:
        return f"Goal of {self.created_at:%Y-%m-%d}"

    def progress(self, weight_kg: float | None) -> int | None:
        """The change from the start weight to `weight_kg` in percent of the planned change, 0 to 100.

        None if one of the three weights is missing, or if the goal is to keep the start weight.
        """
        start_kg, target_kg = self.start_weight_kg, self.target_weight_kg
        if weight_kg is None or start_kg is None or target_kg is None or start_kg == target_kg:
            return None
        return min(max(round(100 * (weight_kg - start_kg) / (target_kg - start_kg)), 0), 100)
