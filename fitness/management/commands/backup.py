from pathlib import Path

from django.core.management.base import CommandParser

from fitness.management.base import OneLineCommand, file_errors
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
        with file_errors(file, "was not written"), output(file) as opened:
            count = backup.write(opened)
        if file != STDOUT:
            self.stdout.write(f"{file}: {count} rows, {file.stat().st_size} bytes")
