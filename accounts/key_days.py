"""How much each API key is used: requests, writes and refusals of every day.

Requests count in memory and take no statement. Each process adds its counts to the rows once a minute, and
once more when it stops; one that is killed loses those of its last minute.
"""

import datetime
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from django.db import Error, IntegrityError, models
from django.db.models import F
from django.utils import timezone

from fitness.db.owned import Owned, OwnedForeignKey

log = logging.getLogger("fitness.accounts")

KEPT = datetime.timedelta(days=400)


class KeyDayQuerySet(models.QuerySet["KeyDay"]):
    def expired(self) -> Self:
        return self.filter(day__lt=timezone.now().date() - KEPT)


class KeyDay(Owned):
    """The use of a key on a day in UTC; a minute around midnight may count for the next day.

    `writes` are requests and tool calls that wrote, `refusals` responses with a 4xx and failed tool calls.
    """

    account = models.ForeignKey(
        "accounts.Account", on_delete=models.CASCADE, related_name="key_days", db_index=False
    )
    api_key = OwnedForeignKey("accounts.ApiKey", on_delete=models.CASCADE, related_query_name="days")
    day = models.DateField()
    requests = models.IntegerField()
    writes = models.IntegerField()
    refusals = models.IntegerField()

    objects = KeyDayQuerySet.as_manager()

    class Meta:
        ordering = ["-day", "-requests"]
        indexes = [models.Index(fields=["-day", "-requests"], name="key_days_by_requests")]
        constraints = [models.UniqueConstraint(fields=["account", "day", "api_key"], name="one_day_of_key")]

    def __str__(self) -> str:
        return f"{self.api_key_id}, {self.day}: {self.requests} requests"


@dataclass(slots=True)
class KeyCounts:
    """What one or more requests did with a key."""

    requests: int = 0
    writes: int = 0
    refusals: int = 0

    def add(self, other: "KeyCounts") -> None:
        self.requests += other.requests
        self.writes += other.writes
        self.refusals += other.refusals


class UnstoredUses:
    """What this process has counted and not stored, by (account id, key id)."""

    def __init__(self) -> None:
        self.uses: dict[tuple[UUID, int], KeyCounts] = {}
        self.lock = threading.Lock()

    def add(self, account_id: UUID, key_id: int, use: KeyCounts) -> None:
        self.add_all({(account_id, key_id): use})

    def add_all(self, uses: Mapping[tuple[UUID, int], KeyCounts]) -> None:
        with self.lock:
            for key, use in uses.items():
                self.uses.setdefault(key, KeyCounts()).add(use)

    def take(self) -> dict[tuple[UUID, int], KeyCounts]:
        with self.lock:
            taken, self.uses = self.uses, {}
        return taken

    def store(self) -> None:
        """Adds the uses to the rows of today. What the database fails to store is left for the next time."""
        uses = self.take()
        while uses:
            key, use = uses.popitem()
            try:
                add_to_today(*key, use)
            except IntegrityError:  # the key is deleted, with its account
                continue
            except Error as error:
                log.warning("the use of %s keys is stored later: %s", len(uses) + 1, error)
                self.add_all({key: use, **uses})
                return


unstored = UnstoredUses()


def add_to_today(account_id: UUID, key_id: int, use: KeyCounts) -> None:
    """Adds a use to the row of the key and of today. Raises IntegrityError for a key that is deleted."""
    counts = {"requests": use.requests, "writes": use.writes, "refusals": use.refusals}
    KeyDay.objects.update_or_create(
        account_id=account_id,
        api_key_id=key_id,
        day=timezone.now().date(),
        defaults={name: F(name) + count for name, count in counts.items()},
        create_defaults=counts,
    )
