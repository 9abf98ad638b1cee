from django.core.management.base import CommandError, CommandParser

from accounts.models import Account, normalize_email
from fitness.management.base import OneLineCommand


class AccountCommand(OneLineCommand):
    """A command about the account with an email."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")

    def find(self, email: str) -> Account:
        """Raises CommandError for an email that no account has."""
        email = normalize_email(email)
        if account := Account.objects.filter(email=email).first():
            return account
        raise CommandError(f"there is no account with the email {email}.")
