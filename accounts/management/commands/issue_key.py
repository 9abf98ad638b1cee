from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from accounts.models import Account, ApiKey, normalize_email
from fitness.addresses import is_local, public_address
from fitness.management.base import OneLineCommand


class Command(OneLineCommand):
    help = "Issues an API key and prints it, alone, on stdout. Creates the account when it is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="command line")
        parser.add_argument("--scope", default="read", choices=ApiKey.Scope.values)
        parser.add_argument("--corrections", action="store_true", help="it may also correct and delete")
        parser.add_argument("--expires", default="90d", choices=ApiKey.Expires.values)

    def handle(
        self, email: str, name: str, scope: str, corrections: bool, expires: str, **options: object
    ) -> None:
        if corrections and scope != ApiKey.Scope.READ_WRITE:
            raise CommandError("--corrections needs --scope read_write")
        email = normalize_email(email)
        try:
            Account._meta.get_field("email").clean(email, None)
            ApiKey._meta.get_field("name").clean(name, None)
            account = Account.objects.filter(email=email).first()
            if account is None:
                account = Account.objects.create_user(email, is_unclaimed=True)
                self.stderr.write(f"created the account {email}; {way_in(account)}")
            key, issued = account.issue_key(name, scope, expires, may_correct=corrections)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        end = f"it expires on {issued.expires_at:%Y-%m-%d}" if issued.expires_at else "it does not expire"
        self.stderr.write(f"the key is {issued.hint}; {end} (--expires {expires})")
        self.stdout.write(key)


def way_in(account: Account) -> str:
    """How its owner opens the account, which has no password yet, in a browser."""
    if not account.may_use_password:
        return "its owner signs in with the provider"
    link = f"manage.py reset_link {account.email} prints a link that sets its password"
    is_here = is_local(urlsplit(public_address()).hostname)  # else the service has a PUBLIC_URL of its own
    if not (is_here and Account.objects.may_claim() and Account.objects.may_sign_up()):
        return link
    page = f"{public_address()}{reverse('sign-up')}"
    return f"to open it in a browser of this machine, sign up with this email at {page}; {link}"
