import sys
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandParser

from fitness.db.citus.distribute import distribute
from fitness.management.base import OneLineCommand, file_errors
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
        is_stdin = str(file) == "-"
        with (
            file_errors(file, "was not restored"),
            sys.stdin.buffer if is_stdin else file.open("rb") as archive,
        ):
            restored = backup.restore(archive, with_staff)
        if settings.CITUS:
            distribute()
        self.stdout.write(f"{file}: {restored.rows} rows restored, staff among them: {restored.staff}")
