"""Migrations that give up waiting for a lock after two seconds: requests would wait behind them."""

import time
from collections.abc import Callable

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader

from fitness.site.backup import BackupError, sorted_known

LOCK_SECONDS = 2
PAUSE_SECONDS = 10
ATTEMPTS = 30  # some five minutes

# The oldest transaction that holds a lock on a table. A backup holds its locks until it ends.
HOLDER_SQL = """
SELECT format('%s (pid %s, since %s): %s', coalesce(nullif(application_name, ''), usename, backend_type), pid,
              to_char(xact_start, 'HH24:MI:SS'), left(regexp_replace(query, '\\s+', ' ', 'g'), 100))
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'relation' AND granted AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation >= 16384
ORDER BY xact_start LIMIT 1
"""


def migrate(write: Callable[[str], object]) -> None:
    """Runs `migrate`. On PostgreSQL it is retried for five minutes while others hold the locks that it needs.

    `write` gets a line for each attempt that fails. Raises CommandError after the last one, and for a
    database of a newer version.
    """
    refuse_newer_database()
    if connection.vendor != "postgresql":
        call_command("migrate", verbosity=0)
        return
    for attempt in range(1, ATTEMPTS + 1):
        try:
            migrate_with_lock_timeout()
            return
        except OperationalError as error:
            if not is_lock_timeout(error):
                raise
            holder = lock_holder()
        if attempt < ATTEMPTS:
            write(f"migrate waits for a lock of {holder}")
            time.sleep(PAUSE_SECONDS)
    raise CommandError(f"migrate got no lock in {ATTEMPTS} attempts. It is held by {holder}")


def refuse_newer_database() -> None:
    """Django ignores migrations that it does not know; the service would fail later, at its requests."""
    loader = MigrationLoader(connection)
    try:
        sorted_known(loader, loader.applied_migrations, "the database")
    except BackupError as error:
        message = f"{error} Undo its migrations with that version, or restore a backup of this one."
        raise CommandError(message) from None


def migrate_with_lock_timeout() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")
        try:
            call_command("migrate", verbosity=0)
        finally:
            cursor.execute("RESET lock_timeout")


def is_lock_timeout(error: OperationalError) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == "55P03"


def lock_holder() -> str:
    with connection.cursor() as cursor:
        cursor.execute(HOLDER_SQL)
        row = cursor.fetchone()
    return row[0] if row else "a transaction that has ended since"
