import datetime
import json
from typing import Any

from django.core.management.base import CommandParser
from django.db.models import Count, F, Max, Q, QuerySet
from django.template.defaultfilters import pluralize
from django.utils import timezone

from accounts.models import Account
from fitness.management.base import OneLineCommand


class Command(OneLineCommand):
    help = "Lists the accounts, oldest first: state, staff, last sign-in, workouts and active keys."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--search", metavar="TEXT", help="only those with this in email or name")
        parser.add_argument("--staff", action="store_true", help="only those of staff")
        parser.add_argument("--inactive", action="store_true", help="only deactivated ones")
        parser.add_argument(
            "--unused", type=int, metavar="DAYS", help="only those without a sign-in or a key's use since"
        )
        parser.add_argument("--json", action="store_true", help="prints a JSON object in each line")

    def handle(self, **options: Any) -> None:
        for account in narrowed(options).order_by("created_at", "pk").iterator():
            row = row_of(account)
            self.stdout.write(json.dumps(row) if options["json"] else line_of(row))


def narrowed(options: dict[str, Any]) -> QuerySet[Account]:
    active_keys = Q(api_keys__revoked_at=None) & (
        Q(api_keys__expires_at=None) | Q(api_keys__expires_at__gt=timezone.now())
    )
    accounts = Account.objects.annotate(
        # Not by select_related: a cluster's key of the state is longer, and does not stand for its columns.
        workouts_stored=F("state__workout_count"),
        signed_in=F("state__last_login"),
        keys=Count("api_keys", filter=active_keys),
        used=Max("api_keys__uses__last_used_at"),
    )
    if text := options["search"]:
        accounts = accounts.filter(Q(email__icontains=text) | Q(display_name__icontains=text))
    if options["staff"]:
        accounts = accounts.filter(Q(is_staff=True) | Q(is_superuser=True))
    if options["inactive"]:
        accounts = accounts.filter(is_active=False)
    if (days := options["unused"]) is not None:
        since = timezone.now() - datetime.timedelta(days=days)
        accounts = accounts.filter(
            Q(signed_in=None) | Q(signed_in__lt=since), Q(used=None) | Q(used__lt=since)
        )
    return accounts


def line_of(row: dict[str, Any]) -> str:
    signed_in = f"signed in {row['signed_in']}" if row["signed_in"] else "never signed in"
    counts = [f"{row[name]} {name[:-1]}{pluralize(row[name])}" for name in ("workouts", "keys")]
    said = [row["email"], row["state"], row["staff"], f"since {row['created']}", signed_in, *counts]
    return "  ".join(said)


def row_of(account: Any) -> dict[str, object]:
    signed_in = account.signed_in
    return {
        "email": account.email,
        "display_name": account.display_name,
        "state": "active" if account.is_active else "deactivated",
        "staff": "superuser" if account.is_superuser else "staff" if account.is_staff else "member",
        "created": f"{account.created_at:%Y-%m-%d}",
        "signed_in": f"{signed_in:%Y-%m-%d}" if signed_in else None,
        "workouts": account.workouts_stored,
        "keys": account.keys,
    }
