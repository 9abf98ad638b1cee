"""Accounts with long histories, written straight into the tables by the service's own rendering."""

import datetime
import random

from accounts.models import Account
from training.models import Exercise, Workout, WorkoutExercise

EXERCISES = 40
BATCH = 500
NEWEST = datetime.datetime(2026, 9, 19, 17, 30, tzinfo=datetime.UTC)  # a Saturday


def an_account(email, workouts):
    """The account with this email and exactly so many workouts of 6 exercises with 4 sets each."""
    account = Account.objects.filter(email=email).first() or Account.objects.create_user(email)
    have = account.workouts.count()
    exercises = list(Exercise.objects.order_by("id")[:EXERCISES])
    for start in range(have, workouts, BATCH):
        add(account, exercises, range(start, min(start + BATCH, workouts)), workouts)
    return account


def add(account, exercises, numbers, total):
    stamps = account.stamp(len(numbers))
    logged, rows = [], []
    for number, stamp in zip(numbers, stamps, strict=True):
        workout = Workout(account=account, created_at=stamp)
        rows += workout.fill(a_workout(number, total, exercises), stamp)
        logged.append(workout)
    Workout.objects.bulk_create(logged)
    WorkoutExercise.objects.bulk_create(rows)


def a_workout(number, total, exercises):
    """One a day from Monday to Saturday, back from NEWEST: recent windows hold equally many at any total."""
    dice = random.Random(number)
    weeks, days = divmod(total - number, 6)
    return {
        "title": f"Session {number}",
        "notes": "",
        "started_at": NEWEST - datetime.timedelta(weeks=weeks, days=days),
        "duration_seconds": 3600 + number % 900,
        "plan_id": None,
        "plan_name": None,
        "exercises": [
            {
                "exercise": exercise,
                "notes": "",
                "superset_id": None,
                "sets": [
                    {
                        "type": "working" if index else "warmup",
                        "weight_kg": 40 + dice.randrange(400) / 4,
                        "reps": dice.randrange(3, 13),
                        "completed": True,
                        "rpe": 8.5,
                    }
                    for index in range(4)
                ],
            }
            for exercise in dice.sample(exercises, 6)
        ],
    }
