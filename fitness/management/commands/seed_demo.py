import datetime

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import get_random_string

from accounts.models import Account, AccountState, normalize_email
from fitness.addresses import public_address
from fitness.days import today
from fitness.management.base import OneLineCommand
from fitness.site.data.archive import LISTS
from fitness.site.demo import EXERCISE_IDS, Story, TrainingDemo, store_body
from training.models import Exercise, Workout

MAX_DAYS = 3650
AT_ONCE = 500  # rows that are deleted by one statement


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
            account = seed(email, today(), days, password)
        except ValidationError:
            raise CommandError(f"--email: {email!r} is not an email address.") from None
        self.stdout.write(f"{account.workouts.count()} workouts of {days} days, up to yesterday.")
        self.stdout.write(
            f"Sign in at {public_address()}{reverse('sign-in')} as {email} with the password {password}"
        )


def seed(email: str, today: datetime.date, days: int, password: str) -> Account:
    """Creates a demo account with the data of `days` up to yesterday, or replaces the data that it has.

    Raises CommandError before anything is stored.
    """
    if Exercise.objects.filter(pk__in=EXERCISE_IDS).count() < len(EXERCISE_IDS):
        raise CommandError("the catalogue lacks exercises; run manage.py load_catalogue first.")
    with transaction.atomic():
        account, _ = Account.objects.get_or_create(email=email, defaults={"is_demo": True})
        if not account.is_demo:
            raise CommandError(f"{email} is the account of a person; choose another --email.")
        account.stamp()  # locks it, and makes a new version of what clients may have
        for one in reversed(LISTS):  # what refers to others first
            while one.remove_some(account, AT_ONCE):
                pass
        story = Story(account, today, days)
        fill_profile(story, password)
        TrainingDemo(story).store()
        store_body(story)
        Workout.objects.count_for(AccountState.objects.filter(account=account))
    return account


def fill_profile(story: Story, password: str) -> None:
    account = story.account
    account.display_name, account.is_active = "Sam (demo)", True
    account.height_cm, account.birth_date = 181.0, datetime.date(story.days[0].date.year - 31, 5, 17)
    account.gender, account.goal = Account.Gender.MALE, story.days[-1].phase.goal
    account.created_at = story.dice("account").time_on(story.days[0], 4, 20)
    account.set_password(password)
    account.save()
