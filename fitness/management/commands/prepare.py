import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import Error, OperationalError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from accounts import first_account
from accounts.purge import purge
from fitness import __version__, environment
from fitness.addresses import public_address
from fitness.db import applied
from fitness.db.citus.distribute import distribute, missing_timeouts
from fitness.management.base import OneLineCommand
from fitness.management.files import exclusive_folder, readable_by_all

PREPARE_LOCK = 6_478_201  # any number that nothing else in this database locks
LOCK_SECONDS = 2  # of a migration: requests would wait behind it for longer
PAUSE_SECONDS = 10
ATTEMPTS = 30  # some five minutes
COPIES = 2  # of SQLite's file, from before an update

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


class Command(OneLineCommand):
    help = "Brings database, catalogue and static files up to date. Safe to run again at any time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--static-only", action="store_true", help="leave the database alone")

    def handle(self, static_only: bool, **options: object) -> None:
        if not static_only:
            with exclusive_database():
                migrate(self.stdout.write)
                if settings.CITUS:
                    self.place_tables()
                call_command("load_catalogue")
                self.purge()
                self.offer_first_account()
            environment.note_database(settings.DATA_DIR, settings.DATABASES["default"])
        with readable_by_all(), exclusive_folder(Path(settings.STATIC_ROOT)):
            collect_static()

    def offer_first_account(self) -> None:
        """Prints the link for it, and notes it for the line with which the service starts."""
        token = None
        if not (settings.OIDC_ONLY or settings.AUTH_HEADER):  # there others say who somebody is
            token = first_account.FirstAccount.objects.offer()
        address = first_account.link(public_address(), token) if token else ""
        environment.note_first_link(Path(settings.DATA_DIR), address)
        if address:
            self.stdout.write(f"The first account has all rights. Make it at {address}")

    def purge(self) -> None:
        try:
            purge()
        except Error as error:  # a worker of a cluster is away: the hourly task deletes what is left
            self.stderr.write(f"what has expired is deleted later: {error}")

    def place_tables(self) -> None:
        if placed := distribute():
            self.stdout.write(f"{placed} tables are placed on the nodes")
        for setting in missing_timeouts():
            self.stderr.write(f"the cluster lacks {setting}: a node that vanishes would hold up requests")


@contextmanager
def exclusive_database() -> Iterator[None]:
    """Waits until no other `prepare` of this database runs.

    PostgreSQL holds the lock, because processes on several machines may share the database; it ends with the
    connection. The processes of an SQLite database are on one machine, so a lock on its folder is enough.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARE_LOCK])
            yield
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARE_LOCK])
    else:
        with exclusive_folder(Path(connection.settings_dict["NAME"]).parent):
            yield


def migrate(write: Callable[[str], object]) -> None:
    """Runs `migrate`. On PostgreSQL it is retried for five minutes while others hold the locks that it needs.

    `write` gets a line about the way back, if tables are to change, and one for each attempt that fails.
    Raises CommandError after the last one, for a database of a newer version or of one before 1.0.0, and
    where there is no room for a copy of SQLite's file.
    """
    if not applied.of_database():  # Django ignores migrations that it does not know
        make_tables()
        return
    if is_to_change():
        write(way_back())
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


def make_tables() -> None:
    """Fills an empty database by one transaction: a first start that is interrupted can be begun again."""
    with connection.constraint_checks_disabled(), transaction.atomic():
        call_command("migrate", verbosity=0)


def is_to_change() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def way_back() -> str:
    """The line about it, with the copy of an SQLite that is made for it."""
    if connection.vendor != "sqlite":
        return "This version changes tables. The way back (docs/update.md) may need a backup from before."
    copy = copied(Path(connection.settings_dict["NAME"]))
    return f"This version changes tables. The database as it was is in {copy}; the last two copies are kept."


def copied(database: Path) -> Path:
    """Copies the file, which may be in use, for its owner alone, and deletes all but the last copies."""
    stem = f"{database.name}.before-"
    copy = database.with_name(f"{stem}{__version__}-{timezone.now():%Y%m%dT%H%M%S}")
    unfinished = database.with_name(f"{database.name}.unfinished")
    try:
        unfinished.touch(0o600)
        connection.ensure_connection()
        with closing(sqlite3.connect(unfinished)) as target:
            connection.connection.backup(target)
        unfinished.rename(copy)
    except (OSError, sqlite3.Error) as error:
        unfinished.unlink(missing_ok=True)
        raise CommandError(f"{copy} cannot be written before tables change: {error}") from None
    for older in sorted(database.parent.glob(f"{stem}*"), key=lambda one: one.stat().st_mtime)[:-COPIES]:
        older.unlink()
    return copy


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


def collect_static() -> None:
    """Collects the static files if any has changed: compressing them takes most of the time of a start.

    Changes are found by content, because an image does not always keep the times of its files.
    """
    stamp = Path(settings.STATIC_ROOT) / "collected"
    fingerprint = static_fingerprint()
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.write_text(fingerprint)


def static_fingerprint() -> str:
    """A hash over the paths and contents of all static files."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            digest.update(path.encode() + Path(storage.path(path)).read_bytes())
    return digest.hexdigest()
