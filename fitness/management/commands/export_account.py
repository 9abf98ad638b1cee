from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from accounts.management.base import AccountCommand
from accounts.models import Account
from fitness.management.base import file_errors
from fitness.management.files import STDOUT, output
from fitness.site.data import exports
from fitness.web.local_time import known_zone, zone_of

FORMS = ("json", "strong", "hevy", "csv")


class Command(AccountCommand):
    help = (
        "Writes the data of an account to a new file: everything as JSON, workouts in the form of Strong or "
        "Hevy, or a ZIP with a CSV for each resource."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="where to; - is stdout")
        parser.add_argument("--form", default="json", choices=FORMS)
        parser.add_argument("--timezone", help="of times in strong and hevy; that of the account if left out")
        parser.add_argument(
            "--unit", choices=Account.Units.values, help="of hevy; that of the account if left out"
        )

    def handle(
        self, email: str, file: Path, form: str, timezone: str | None, unit: str | None, **options: object
    ) -> None:
        account = self.find(email)
        if timezone and not known_zone(timezone):
            raise CommandError(f"--timezone: there is no time zone {timezone!r}.")
        choices = exports.Choices(zone_of(timezone or account.time_zone), unit or account.units)
        made = exports.FORMS[form].file(account, choices) if form != "csv" else exports.all_tables(account)
        with file_errors(file, "was not written"), output(file) as opened:
            opened.writelines(made.pieces)
        if file != STDOUT:
            self.stdout.write(f"{file}: {file.stat().st_size} bytes")
