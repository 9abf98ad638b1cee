"""Believable data for an account that shows the service: the same for the same email and the same day."""

import datetime

from django.db import transaction

from accounts.models import Account
from fitness.site.demo.body import store_body
from fitness.site.demo.intake import store_intake
from fitness.site.demo.programme import LIFTS
from fitness.site.demo.story import Story
from fitness.site.demo.training import TrainingDemo
from training.models import Exercise, Workout

OWNED = (
    "workouts",
    "plans",
    "routines",
    "weight_logs",
    "measurements",
    "goals",
    "nutrition_days",
    "meals",
    "supplements",
)


class NotADemo(Exception):
    """The email belongs to a person's account, whose data is not to be touched."""


class CatalogueMissing(Exception):
    """An exercise of the demo is not in the catalogue."""


def seed(email, today, days, password):
    """Makes the demo account of an email, or makes it anew. Returns the account.

    Its data ends yesterday. Raises NotADemo or CatalogueMissing, and stores nothing then.
    """
    wanted = {lift.exercise_id for lift in LIFTS}
    if Exercise.objects.filter(pk__in=wanted).count() < len(wanted):
        raise CatalogueMissing()
    story = Story(email, today, days)
    with transaction.atomic():
        account = empty_account(email)
        describe(account, story, password)
        TrainingDemo(account, story).store()
        store_body(account, story)
        store_intake(account, story)
        Workout.objects.count_for(Account.objects.filter(pk=account.pk))
    return account


def empty_account(email):
    account, _ = Account.objects.get_or_create(email=email, defaults={"is_demo": True})
    if not account.is_demo:
        raise NotADemo()
    account.lock()
    for records in OWNED:
        getattr(account, records).all().delete()
    return account


def describe(account, story, password):
    account.display_name = "Sam (demo)"
    account.height_cm = 181.0
    account.birth_date = datetime.date(story.start.year - 31, 5, 17)
    account.gender = Account.Gender.MALE
    account.goal = story.phase(story.days[-1]).goal
    account.created_at = story.dice("account").moment(story.start, 4, 20)
    account.is_active = True
    account.set_password(password)
    account.save()
