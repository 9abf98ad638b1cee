"""When each API key was last used: a row that each process writes at most once a minute."""

import datetime
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

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
    stored_use = KeyUse.objects.filter(account=api_key.account_id, api_key=api_key)
    try:
        with short_wait():  # for statements by themselves: a transaction would wait for its turn
            if not stored_use.update(last_used_at=now):
                use = KeyUse(account_id=api_key.account_id, api_key=api_key, last_used_at=now)
                use.save(force_insert=True)
        last_stored[api_key.pk] = now
    except Error as error:  # the request itself must not fail because of this
        log.warning("the use of key %s is not stored: %s", api_key.hint, error)


@contextmanager
def short_wait() -> Iterator[None]:
    """Inside, a statement on SQLite fails after a moment if somebody else writes, not after 20 seconds."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    raw: sqlite3.Connection = connection.connection
    raw.execute("PRAGMA busy_timeout = 50")
    try:
        yield
    finally:
        raw.execute(f"PRAGMA busy_timeout = {1_000 * connection.settings_dict['OPTIONS']['timeout']}")
