import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import Error, connection

from accounts.purge import purge
from fitness import environment
from fitness.db.citus.distribute import distribute, missing_timeouts
from fitness.management.base import OneLineCommand
from fitness.management.files import exclusive_folder, readable_by_all
from fitness.management.migration import migrate

PREPARE_LOCK = 6_478_201  # any number that nothing else in this database locks


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
            environment.note_database(settings.DATA_DIR, settings.DATABASES["default"])
        with readable_by_all(), exclusive_folder(Path(settings.STATIC_ROOT)):
            collect_static()

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
