"""Which migrations a database, or a backup, has run, in the names of this version.

Each app begins with `0001_release`, which `replaces` those of before 1.0.0: Django takes it as run where all
of them are. Where some are missing it would do nothing and say nothing, so that is refused here.
"""

from collections.abc import Iterable

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

LAST_COMMIT_BEFORE = "64f3c407"  # its migrations are those that each 0001_release replaces

Migration = tuple[str, str]  # its app and its name


def of_database() -> set[Migration]:
    """The migrations that the database has run; none if it is empty. Raises CommandError."""
    return of_this_version(MigrationRecorder(connection).applied_migrations(), "the database")


def of_this_version(migrations: Iterable[Migration], owner: str) -> set[Migration]:
    """The migrations of an `owner`, each release in the place of those that it replaces.

    Raises CommandError if a release would replace only some of them, and if this version lacks one.
    """
    known = MigrationLoader(None).disk_migrations
    found = set(migrations)
    for key, migration in known.items():
        replaced = set(migration.replaces)
        if key not in found and replaced & found:
            if missing := sorted(replaced - found):
                raise CommandError(
                    f"{owner} is of a version before 1.0.0, without migration {'.'.join(missing[0])}: "
                    f"let commit {LAST_COMMIT_BEFORE} bring it up to date first."
                )
            found.add(key)
        found -= replaced
    if unknown := sorted(found - known.keys()):
        raise CommandError(
            f"{owner} is of a newer version of the service, with migration {'.'.join(unknown[0])}: "
            "use that version, or a backup of this one."
        )
    return found
