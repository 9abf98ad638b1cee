from django.core.management.base import CommandError, CommandParser

from accounts import factors
from accounts.models import Account, normalize_email
from fitness.management.base import OneLineCommand


class Command(OneLineCommand):
    help = "Removes the second factors, passkeys and recovery codes of an account, and ends its sessions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")

    def handle(self, email: str, **options: object) -> None:
        account = Account.objects.filter(email=normalize_email(email)).first()
        if account is None:
            raise CommandError(f"there is no account with the email {normalize_email(email)}.")
        factors.reset(account)
        self.stdout.write(f"{account.email} signs in with the password alone now.")
