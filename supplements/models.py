import datetime
from typing import Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models import F
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.db.keysets import Keyset
from fitness.db.owned import Owned, OwnedForeignKey
from fitness.db.windows import days

MAX_SUPPLEMENTS = 100  # of an account: one page shows all of them

hours_and_minutes = RegexValidator(r"\A([01]\d|2[0-3]):[0-5]\d\Z", "Must be a time of the form HH:MM.")


class SupplementQuerySet(models.QuerySet["Supplement"]):
    by_time = Keyset("supplements", "time", "name", "id", descending=False)


class Supplement(Owned):
    """Something that a person takes every day; managed in the app."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="supplements", db_index=False
    )
    name = models.CharField(max_length=200)
    dosage = models.CharField(max_length=200, blank=True)
    time = models.CharField(max_length=5, validators=[hours_and_minutes], help_text="Time of day, HH:MM.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SupplementQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["account", "time", "name", "id"], name="supplement_schedule")]

    def __str__(self) -> str:
        return self.name

    @property
    def logs(self) -> "SupplementLogQuerySet":
        return SupplementLog.objects.filter(account=self.account_id, supplement=self)

    def tick(self, day: datetime.date, taken_at: datetime.datetime) -> tuple["SupplementLog", bool]:
        """Logs that the supplement was taken on a day. Returns (the day's log, whether it is new).

        A day has one log, and an earlier one keeps its `taken_at`. Raises Account.DoesNotExist if the account
        was deleted in the meantime.
        """
        with transaction.atomic():
            self.account.lock()
            return self.logs.get_or_create(
                account=self.account, supplement=self, day=day, defaults={"taken_at": taken_at}
            )


class SupplementLogQuerySet(models.QuerySet["SupplementLog"]):
    newest_first = Keyset("supplement-logs", "day", "id")

    def between(self, since: datetime.date | None = None, until: datetime.date | None = None) -> Self:
        """Logs of the days from `since` to `until`, both inclusive."""
        return days(self, "day", since, until)


class SupplementLog(Owned):
    """A tick in the schedule: a supplement was taken on a day."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="supplement_logs", db_index=False
    )
    supplement = OwnedForeignKey(Supplement, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    taken_at = models.DateTimeField()

    objects = SupplementLogQuerySet.as_manager()

    class Meta:
        indexes = [models.Index("account", F("day").desc(), F("id").desc(), name="supplement_log_newest")]
        constraints = [models.UniqueConstraint(fields=["supplement", "day"], name="one_supplement_tick")]

    def __str__(self) -> str:
        return f"{self.supplement} on {self.day}"
