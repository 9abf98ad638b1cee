import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection

from accounts.tasks import purge
from fitness.management.migration import migrate

PREPARE_LOCK = 6_478_201  # any number that nothing else in this database locks


class Command(BaseCommand):
    help = "Brings database, catalogue and static files up to date. Safe to run again at any time."

    def add_arguments(self, parser):
        parser.add_argument("--static-only", action="store_true", help="leave the database alone")

    def handle(self, static_only, **options):
        if not static_only:
            with database_to_itself():
                migrate(self.stdout.write)
                call_command("load_catalogue")
                purge()
            for path in open_to_others():
                self.make_private(path)
        with readable_by_all(), folder_to_itself(Path(settings.STATIC_ROOT)):
            collect_static()

    def make_private(self, path: Path) -> None:
        try:
            path.chmod(0o600)
        except PermissionError:
            self.stderr.write(f"{path} is open to others, and belongs to another user: make its mode 0600.")


@contextmanager
def database_to_itself() -> Iterator[None]:
    """Waits until no other `prepare` of this database runs.

    PostgreSQL keeps the lock, because those who share it may be on several machines; it ends with the
    connection. SQLite's are on one machine, so there a lock on the database's folder does.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARE_LOCK])
            yield
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARE_LOCK])
    else:
        with folder_to_itself(Path(connection.settings_dict["NAME"]).parent):
            yield


@contextmanager
def folder_to_itself(folder: Path) -> Iterator[None]:
    """Waits for whoever is in here with the same folder. The lock ends with its process."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def readable_by_all() -> Iterator[None]:
    """An image is built by one user and served by another."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def open_to_others() -> Iterator[Path]:
    """Files with data or secrets that others than their owner may read: older versions made them so."""
    paths = [settings.DATA_DIR / "secret_key"]
    if connection.vendor == "sqlite":
        database = str(connection.settings_dict["NAME"])
        paths += [Path(database + ending) for ending in ("", "-wal", "-shm")]
    yield from (path for path in paths if path.exists() and path.stat().st_mode & 0o077)


def collect_static():
    """Collects static files if any has changed: compressing them is most of a start.

    By content, because an image keeps files but not always their times.
    """
    stamp = Path(settings.STATIC_ROOT) / "collected"
    fingerprint = static_fingerprint()
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.write_text(fingerprint)


def static_fingerprint():
    found = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            found.update(path.encode() + Path(storage.path(path)).read_bytes())
    return found.hexdigest()
