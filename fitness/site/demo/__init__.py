"""Data for an account that demonstrates the service, made from its email, the day and the length alone."""

import datetime

from django.core.management.base import CommandError
from django.db import transaction

from accounts.models import Account, AccountState
from fitness.site.demo.body import store_body
from fitness.site.demo.story import Story
from fitness.site.demo.training import EXERCISE_IDS, TrainingDemo
from training.models import Exercise, Workout

# Of an account; their instances are replaced.
MANAGERS = (
    *("workouts", "plans", "routines", "exercise_pins", "weight_logs", "measurements", "goals"),
    *("nutrition_days", "meals", "nutrition_targets", "supplements"),
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
        for manager_name in MANAGERS:
            getattr(account, manager_name).all().delete()
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
