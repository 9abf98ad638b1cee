"""Accounts with long histories; twenty copies of two of them belong to other accounts.

The data is kept between runs. The histories are bulk inserts of rows that the models build; the copies are
made by SQL inside the database.
"""

import datetime
import random
from uuid import uuid4

from django.db import connection, transaction

from accounts.models import Account, AccountState
from body.models import WeightLog
from nutrition.models import NutritionDay
from supplements.models import Supplement, SupplementLog
from tests.benchmarks.clock import NEWEST
from training.models import Exercise, Workout, WorkoutExercise
from training.models.workout_exercise import insert_exercises

SMALL, LARGE, HUGE = 1_000, 10_000, 100_000
OTHERS = {SMALL: 20, LARGE: 20, HUGE: 0}  # copies
EXERCISES = 40
BATCH = 500

# Referenced tables come first.
COPIED = (
    Workout,
    WorkoutExercise,
    WeightLog,
    NutritionDay,
    Supplement,
    SupplementLog,
)

# The id of a copy: the original's, of UUID version 8 instead of 7, with the copy's number at its end.
COPY_OF = {
    "postgresql": "(left({id}::text, 14) || '8' || substr({id}::text, 16, 17) || '{number:04x}')::uuid",
    "sqlite": "substr({id}, 1, 12) || '8' || substr({id}, 14, 15) || '{number:04x}'",
}


def accounts():
    """The accounts of 1,000, 10,000 and 100,000 workouts. Creates what is missing."""
    accounts_by_size = [get_or_create_account(f"bench-{size}@example.org", size) for size in OTHERS]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return accounts_by_size


def get_or_create_account(email, size):
    """The account with this email. A new one gets `size` workouts, and everything else on their days."""
    account = Account.objects.filter(email=email).first()
    if account is None:
        with transaction.atomic():
            account = Account.objects.create_user(email)
            add_workouts(account, size)
            add_days(account, min(size, LARGE))
            for number in range(1, OTHERS[size] + 1):
                copy(account, Account.objects.create_user(f"{uuid4()}@example.org"), number)
            Workout.objects.count_for(AccountState.objects.all())
    return account


def add_workouts(account, size):
    exercises = list(Exercise.objects.order_by("id")[:EXERCISES])
    for start in range(0, size, BATCH):
        numbers = range(start, min(start + BATCH, size))
        logged, rows = [], []
        for number, stamp in zip(numbers, account.stamp(len(numbers)), strict=True):
            workout = Workout(account=account, created_at=stamp)
            values = a_workout(number, size, exercises)
            rows += workout.fill(values)
            workout.render(values["exercises"], stamp)
            logged.append(workout)
        Workout.objects.bulk_create(logged)
        insert_exercises(rows)


def a_workout(number, size, exercises):
    rng = random.Random(number)
    return {
        "title": f"Session {number}",
        "notes": "",
        "started_at": start_of(size - number, size),
        "duration_seconds": 3600 + number % 900,
        "plan_id": None,
        "plan_name": None,
        "exercises": [
            {"exercise": exercise, "notes": "", "superset_id": None, "sets": four_sets(rng)}
            for exercise in rng.sample(exercises, 6)
        ],
    }


def start_of(place, size):
    """When the workout at a place in a history of this size began; 1 is the newest.

    One workout a day from Monday to Saturday, so recent weeks are equal at every size. But 100,000 would be
    320 years: the older ones of HUGE share the 32 years of LARGE, eleven a day.
    """
    day, hour = place, 0
    if size == HUGE and place > SMALL:
        day, hour = divmod(place - SMALL, 11)
        day += SMALL
    weeks, days = divmod(day, 6)
    return NEWEST - datetime.timedelta(weeks=weeks, days=days, hours=hour)


def four_sets(rng):
    return [
        {
            "type": "working" if index else "warmup",
            "weight_kg": 40 + rng.randrange(400) / 4,
            "reps": rng.randrange(3, 13),
            "completed": True,
            "rpe": 8.5,
        }
        for index in range(4)
    ]


def add_days(account, size):
    """A weight log, a nutrition day and a supplement tick on each of the `size` days up to NEWEST."""
    times = [NEWEST - datetime.timedelta(days=days) for days in range(size)]
    totals = {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74}
    creatine = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    WeightLog.objects.bulk_create(WeightLog(account=account, weight_kg=80, logged_at=time) for time in times)
    NutritionDay.objects.bulk_create(
        NutritionDay(account=account, day=time.date(), logged_at=time, **totals) for time in times
    )
    SupplementLog.objects.bulk_create(
        SupplementLog(account=account, supplement=creatine, day=time.date(), taken_at=time) for time in times
    )


def copy(account, other, number):
    """Gives another account the same history. (Its documents still contain the ids of the original.)"""
    with connection.cursor() as cursor:
        for model in COPIED:
            columns = [field for field in model._meta.concrete_fields if not is_auto_id(field)]
            cursor.execute(
                f"INSERT INTO {model._meta.db_table} ({', '.join(field.column for field in columns)}) "
                f"SELECT {', '.join(copied_value(field, number) for field in columns)} "
                f"FROM {model._meta.db_table} WHERE account_id = %s",
                [id_parameter(other.pk), id_parameter(account.pk)],
            )


def is_auto_id(field):
    return field.primary_key and field.get_internal_type() == "BigAutoField"


def copied_value(field, number):
    """The SQL expression for a column of the copied row."""
    if field.name == "account":
        return "%s"
    if field.primary_key or field.name in ("workout", "supplement"):
        return COPY_OF[connection.vendor].format(id=field.column, number=number)
    return field.column


def id_parameter(account_id):
    return Account._meta.pk.get_db_prep_value(account_id, connection)
