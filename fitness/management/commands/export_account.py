from pathlib import Path

from django.core.management.base import CommandError, CommandParser
from django.db import Error

from accounts.models import Account, normalize_email
from fitness.management.base import OneLineCommand, one_line
from fitness.management.files import STDOUT, output
from fitness.site.data import exports
from fitness.web.local_time import known_zone, zone_of

FORMS = ("json", "strong", "hevy", "csv")


class Command(OneLineCommand):
    help = (
        "Writes the data of an account to a new file: everything as JSON, workouts in the form of Strong or "
        "Hevy, or a ZIP with a CSV for each resource."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("file", type=Path, help="where to; - is stdout")
        parser.add_argument("--form", default="json", choices=FORMS)
        parser.add_argument("--timezone", help="of times in strong and hevy; that of the account if left out")
        parser.add_argument(
            "--unit", choices=Account.Units.values, help="of hevy; that of the account if left out"
        )

    def handle(
        self, email: str, file: Path, form: str, timezone: str | None, unit: str | None, **options: object
    ) -> None:
        account = Account.objects.filter(email=normalize_email(email)).first()
        if account is None:
            raise CommandError(f"there is no account with the email {normalize_email(email)}.")
        if timezone and not known_zone(timezone):
            raise CommandError(f"--timezone: there is no time zone {timezone!r}.")
        choices = exports.Choices(zone_of(timezone or account.time_zone), unit or account.units)
        try:
            with output(file) as opened:
                for piece in pieces(account, form, choices):
                    opened.write(piece)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except Error as error:
            raise CommandError(f"{file} was not written: {one_line(error)}") from None
        if file != STDOUT:
            self.stdout.write(f"{file}: {file.stat().st_size} bytes")


def pieces(account: Account, form: str, choices: exports.Choices) -> exports.Pieces:
    match form:
        case "strong":
            return exports.strong(account, choices).pieces
        case "hevy":
            return exports.hevy(account, choices).pieces
        case "csv":
            return exports.all_tables(account).pieces
    return exports.archive(account).pieces
