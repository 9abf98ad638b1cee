import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand

from fitness.management.migration import migrate
from fitness.purge import purge


class Command(BaseCommand):
    help = "Brings database, catalogue and static files up to date. Safe to run again at any time."

    def add_arguments(self, parser):
        parser.add_argument("--static-only", action="store_true", help="leave the database alone")

    def handle(self, static_only, **options):
        if static_only:
            collect_static()
            return
        migrate(self.stdout.write)
        call_command("load_catalogue")
        purge()
        collect_static()


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
