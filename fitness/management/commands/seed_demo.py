from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse
from django.utils.crypto import get_random_string

from accounts.models import Account, normalize_email
from fitness.addresses import public_address
from fitness.days import today
from fitness.management.base import OneLineCommand
from fitness.site import demo

MAX_DAYS = 3650


class Command(OneLineCommand):
    help = (
        "Fills a demo account with believable training, body and nutrition data up to yesterday, and prints "
        "how to sign in. Running it again replaces that data; an account of a person is never touched."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", default="demo@example.org")
        parser.add_argument("--days", type=int, default=730, help=f"how far back, 1 to {MAX_DAYS}")

    def handle(self, email: str, days: int, **options: object) -> None:
        email, password = normalize_email(email), get_random_string(16)
        if not 1 <= days <= MAX_DAYS:
            raise CommandError(f"--days must be 1 to {MAX_DAYS}, not {days}.")
        try:
            Account._meta.get_field("email").clean(email, None)
            account = demo.seed(email, today(), days, password)
        except ValidationError:
            raise CommandError(f"--email: {email!r} is not an email address.") from None
        self.stdout.write(f"{account.workouts.count()} workouts of {days} days, up to yesterday.")
        self.stdout.write(
            f"Sign in at {public_address()}{reverse('sign-in')} as {email} with the password {password}"
        )
