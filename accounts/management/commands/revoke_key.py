from django.core.management.base import CommandError, CommandParser

from accounts import keys
from accounts.models import ApiKey
from fitness.management.base import OneLineCommand


class Command(OneLineCommand):
    help = "Revokes the key with a hint, as lists and the log show it (svc_Ab3d…x9Yz), or of the key itself."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("hint")

    def handle(self, hint: str, **options: object) -> None:
        found = with_hint(hint)
        if not found:
            raise CommandError("no key that is not revoked has this hint.")
        if len(found) > 1:
            emails = ", ".join(sorted(key.account.email for key in found))
            raise CommandError(f"several keys have this hint, of {emails}: revoke it in the admin.")
        found[0].revoke(by_staff=True)
        self.stdout.write(f"revoked {found[0].hint}, {found[0].name}, of {found[0].account.email}.")


def with_hint(text: str) -> list[ApiKey]:
    unrevoked = ApiKey.objects.select_related("account").filter(revoked_at=None)
    if keys.is_well_formed(text):
        return list(unrevoked.filter(digest=keys.digest(text)))
    return list(unrevoked.filter(hint=text.replace("...", "…")))
