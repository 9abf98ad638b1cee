from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from accounts import staff
from accounts.management.base import AccountCommand
from accounts.models import Account


class Command(AccountCommand):
    help = "Ends the sessions of an account and lets its keys and password rest, as the admin does."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--undo", action="store_true", help="lets them work again")

    def handle(self, email: str, undo: bool, **options: object) -> None:
        account = self.find(email)
        state = "active" if undo else "deactivated"
        if account.is_active is undo:
            raise CommandError(f"{account.email} is {state} already.")
        if undo:
            account.reactivate()
        else:
            deactivate(account)
        self.stdout.write(f"{account.email} is {state} now.")


def deactivate(account: Account) -> None:
    try:
        with transaction.atomic():
            if account.is_superuser:
                staff.keep_a_superuser(account)
            account.deactivate()
    except staff.Refused as refused:
        raise CommandError(str(refused)) from None
