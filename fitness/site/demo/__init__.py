"""Data for an account that demonstrates the service, made from its email, the day and the length alone."""

import datetime

from django.db import transaction

from accounts.models import Account, AccountState
from fitness.site.demo.body import store_body, store_intake
from fitness.site.demo.programme import EXERCISE_IDS
from fitness.site.demo.story import Story
from fitness.site.demo.training import TrainingDemo
from training.models import Exercise, Workout

MANAGERS = (  # of an account; their instances are replaced
    "workouts",
    "plans",
    "routines",
    "weight_logs",
    "measurements",
    "goals",
    "nutrition_days",
    "meals",
    "nutrition_targets",
    "supplements",
    "exercise_pins",
)


class NotADemo(Exception):
    """The email is that of a person's account, whose data must not be replaced."""


class CatalogueMissing(Exception):
    """An exercise of the demo is not in the catalogue."""


def seed(email: str, today: datetime.date, days: int, password: str) -> Account:
    """Creates a demo account with the data of `days` up to yesterday, or replaces the data that it has.

    Raises NotADemo or CatalogueMissing before anything is stored.
    """
    if Exercise.objects.filter(pk__in=EXERCISE_IDS).count() < len(EXERCISE_IDS):
        raise CatalogueMissing()
    story = Story(email, today, days)
    with transaction.atomic():
        account = empty_account(email)
        fill_profile(account, story, password)
        TrainingDemo(account, story).store()
        store_body(account, story)
        store_intake(account, story)
        Workout.objects.count_for(AccountState.objects.filter(account=account))
    return account


def empty_account(email: str) -> Account:
    """The demo account of an email, new or with its data deleted. Raises NotADemo."""
    account, _ = Account.objects.get_or_create(email=email, defaults={"is_demo": True})
    if not account.is_demo:
        raise NotADemo()
    account.stamp()  # locks it, and makes a new version of what clients may have
    for manager_name in MANAGERS:
        getattr(account, manager_name).all().delete()
    return account


def fill_profile(account: Account, story: Story, password: str) -> None:
    account.display_name = "Sam (demo)"
    account.height_cm = 181.0
    account.birth_date = datetime.date(story.start.year - 31, 5, 17)
    account.gender = Account.Gender.MALE
    account.goal = story.phase(story.days[-1]).goal
    account.created_at = story.dice("account").time_on(story.start, 4, 20)
    account.is_active = True
    account.set_password(password)
    account.save()
