from django.contrib.auth.models import Group
from django.core.management.base import CommandParser
from django.db import transaction

from accounts import audit
from accounts.management.base import AccountCommand
from accounts.models import ProviderTie
from accounts.staff import ROLES


class Command(AccountCommand):
    help = "Makes an account one of staff: with all rights, or those of roles alone."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--role", action="append", choices=sorted(ROLES), help="may be given repeatedly")

    def handle(self, email: str, role: list[str] | None, **options: object) -> None:
        account = self.find(email)
        detail = ", ".join(role) if role else "superuser"
        with transaction.atomic():
            account.is_staff = True
            account.is_superuser = account.is_superuser or not role
            account.save(update_fields=["is_staff", "is_superuser"])
            account.groups.add(*Group.objects.filter(name__in=role or []))
            # What is given here stays, also where a group at the provider had given it before.
            ProviderTie.objects.filter(account=account).update(rights=[])
            audit.log_event(audit.Event.RIGHTS_CHANGED, account, detail=detail)
        self.stdout.write(f"{account.email} is one of staff now: {detail}.")
