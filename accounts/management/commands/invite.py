from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from accounts.invitations import DAYS_VALID, Invitation, link
from accounts.models import Account, normalize_email
from fitness.addresses import public_address
from fitness.management.base import OneLineCommand


class Command(OneLineCommand):
    help = (
        "Makes an invitation and prints its link, alone, on stdout. With an email it serves no other address."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", nargs="?", default="")

    def handle(self, email: str, **options: object) -> None:
        email = normalize_email(email)
        if settings.SIGN_UP == "closed":
            raise CommandError("SIGN_UP is closed, so no link would work; set it to invite.")
        try:
            Invitation._meta.get_field("email").clean(email, None)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        if email and Account.objects.filter(email=email).exists():
            raise CommandError(f"there is an account with the email {email}.")
        token, _ = Invitation.objects.invite(email)
        self.stderr.write(f"the link works once, for {DAYS_VALID} days")
        self.stdout.write(link(public_address(), token))
