from django.core.management.base import CommandError

from accounts import audit, links
from accounts.management.base import AccountCommand


class Command(AccountCommand):
    help = "Prints a link, alone, on stdout, with which somebody sets a new password of their account."

    def handle(self, email: str, **options: object) -> None:
        account = self.find(email)
        if not account.is_active:
            raise CommandError(f"the account is deactivated; manage.py deactivate {email} --undo ends that.")
        if not account.may_use_password:
            raise CommandError("with OIDC_ONLY passwords are for staff alone.")
        audit.log_event(audit.Event.RESET_LINK_BY_STAFF, account)
        self.stderr.write(f"the link works once, for {links.HOURS_VALID} hours")
        self.stdout.write(links.PASSWORD.link(account))
