from django.core.management.base import CommandError, CommandParser

from accounts import audit, links
from accounts.models import Account, normalize_email
from fitness.management.base import OneLineCommand


class Command(OneLineCommand):
    help = "Prints a link, alone, on stdout, with which somebody sets a new password of their account."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")

    def handle(self, email: str, **options: object) -> None:
        account = Account.objects.filter(email=normalize_email(email)).first()
        if account is None:
            raise CommandError(f"there is no account with the email {email}.")
        if not account.is_active:
            raise CommandError("the account is deactivated; staff reactivate it in the admin.")
        audit.log_event(audit.Event.RESET_LINK_BY_STAFF, account)
        self.stderr.write(f"the link works once, for {links.HOURS_VALID} hours")
        self.stdout.write(links.password_link(account))
