"""When each API key was last used: a row that each process writes at most once a minute."""

import datetime
import logging
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, cast

from django.db import Error, connection, models
from django.utils import timezone

from fitness.db.owned import Owned, OwnedForeignKey

if TYPE_CHECKING:
    from accounts.models.api_key import ApiKey

log = logging.getLogger("fitness.accounts")

STEP = datetime.timedelta(minutes=1)
MAX_STORED = 100_000

# When this process stored the use of a key last, by the key's id: reading the row would be a statement more.
last_stored: dict[int, datetime.datetime] = {}


class KeyUse(Owned):
    """When a key was last used. A table of its own, as AccountState is: a cluster has keys on every node."""

    account = models.ForeignKey(
        "accounts.Account", on_delete=models.CASCADE, related_name="key_uses", db_index=False
    )
    api_key = OwnedForeignKey("accounts.ApiKey", on_delete=models.CASCADE, related_query_name="uses")
    last_used_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "api_key"], name="one_use_of_key")]

    def __str__(self) -> str:
        return f"{self.api_key_id}, {self.last_used_at:%Y-%m-%d %H:%M}"


def store_use(api_key: "ApiKey") -> None:
    """Stores that the key is used now, unless this process has done so within the last minute."""
    now = timezone.now()
    stored = last_stored.get(api_key.pk)
    # A time in the future does not count: it comes from a clock that ran ahead.
    if stored and now - STEP < stored <= now:
        return
    if len(last_stored) >= MAX_STORED:
        last_stored.clear()
    use = KeyUse(account_id=api_key.account_id, api_key=api_key, last_used_at=now)
    try:
        with short_wait():
            KeyUse.objects.bulk_create(
                [use],
                update_conflicts=True,
                unique_fields=["account", "api_key"],
                update_fields=["last_used_at"],
            )
        last_stored[api_key.pk] = now
    except Error as error:  # the request itself must not fail because of this
        log.warning("the use of key %s is not stored: %s", api_key.hint, error)


def short_wait() -> AbstractContextManager[None]:
    """Inside, SQLite fails after a moment if somebody else writes, instead of waiting for 20 seconds."""
    if connection.vendor != "sqlite":
        return nullcontext()
    waiting: AbstractContextManager[None] = cast(Any, connection).waiting_at_most(0.05)  # fitness.db.sqlite
    return waiting
