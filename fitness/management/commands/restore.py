import sys
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import Error

from fitness.db.applied import UnknownMigrations
from fitness.db.citus.distribute import distribute
from fitness.management.base import OneLineCommand, one_line
from fitness.site import backup


class Command(OneLineCommand):
    help = (
        "Fills a database that has no accounts from a file of manage.py backup, also of an older version. "
        "It is restored whole or, if anything fails, not at all."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a file of manage.py backup; - is stdin")
        parser.add_argument(
            "--with-staff", action="store_true", help="also if it holds staff, who see everything"
        )

    def handle(self, file: Path, with_staff: bool, **options: object) -> None:
        try:
            if str(file) == "-":
                restored = backup.restore(sys.stdin.buffer, with_staff)
            else:
                with file.open("rb") as opened:
                    restored = backup.restore(opened, with_staff)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except (backup.BackupError, UnknownMigrations, Error) as error:
            raise CommandError(f"{file} was not restored: {one_line(error)}") from None
        if settings.CITUS:
            distribute()
        self.stdout.write(f"{file}: {restored.rows} rows restored, staff among them: {restored.staff}")
