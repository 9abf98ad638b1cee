from django.core.management.base import CommandError

from accounts import audit, links
from accounts.management.base import AccountCommand


class Command(AccountCommand):
    help = "Prints a link, alone, on stdout, that signs somebody in once: for when nothing else does."

    def handle(self, email: str, **options: object) -> None:
        account = self.find(email)
        if not account.is_active:
            raise CommandError(f"the account is deactivated; manage.py deactivate {email} --undo ends that.")
        audit.log_event(audit.Event.SIGN_IN_LINK_BY_STAFF, account)
        self.stderr.write(f"the link works once, for {links.SIGN_IN_SECONDS // 60} minutes")
        self.stdout.write(links.SIGN_IN.link(account))
