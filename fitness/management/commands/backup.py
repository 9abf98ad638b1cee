from pathlib import Path

from django.core.management.base import CommandError, CommandParser
from django.db import Error

from fitness.db.applied import UnknownMigrations
from fitness.management.base import OneLineCommand, one_line
from fitness.management.files import STDOUT, output
from fitness.site import backup


class Command(OneLineCommand):
    help = (
        "Writes all accounts with all their records to one new file, while the service runs. "
        "manage.py restore reads it, on SQLite and on PostgreSQL."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="where to; - is stdout")

    def handle(self, file: Path, **options: object) -> None:
        try:
            with output(file) as opened:
                count = backup.write(opened)
            if file != STDOUT:
                self.stdout.write(f"{file}: {count} rows, {file.stat().st_size} bytes")
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except (backup.BackupError, UnknownMigrations, Error) as error:
            raise CommandError(f"{file} was not written: {one_line(error)}") from None
