"""A service in its second year: 5,000 accounts, 100,000 workouts, 500,000 audit events.

Making it must be quick. Each kind of workout is logged once, as a request would; the others repeat one of
these: the models render their documents, and the database copies the rows of their exercises.
"""

import datetime
import itertools
import os
import random
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter

from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.audit import Event
from accounts.models import Account, AccountState, ApiKey
from accounts.models.account import from_microseconds
from tests.benchmarks.data import add_days, four_sets
from tests.faults.service import Person
from tests.server import Newcomer
from training.models import Exercise, Plan, Routine, Workout, WorkoutExercise
from training.models.planned import planned
from training.models.workout_corrections import exercises_of

SHARE = float(os.environ.get("LARGE_SHARE", "1"))  # of the full size


def share_of(number):
    return max(1, round(number * SHARE))


ACCOUNTS = share_of(5_000)
WORKOUTS = share_of(100_000)
OF_LONGEST = share_of(3_000)  # workouts of each of the first two accounts
GIVEN_UP, KEPT = "barbell-bench-press", "dumbbell-bench-press"
WITH_GIVEN_UP, TRAIN_GIVEN_UP = share_of(25_000), share_of(1_500)  # workouts, and accounts
PLANNING = share_of(500)  # accounts with a routine, of which every other has a plan
KEYS = share_of(3_000)
KEY_DAYS = 30
EVENTS_EACH = 100  # of each account: 500,000 in all
EXERCISES_EACH = 5
KINDS = 20  # of workouts with the exercise that is given up, and as many without it
BATCH = 500
FORMULA = "=1+1"

ROWS = """
    INSERT INTO training_workoutexercise (workout_id, account_id, started_at, {columns})
    SELECT workout.id, workout.account_id, workout.started_at, {values}
    FROM training_workout AS workout
    JOIN training_workout AS pattern ON pattern.title = workout.title AND pattern.account_id = %s
    JOIN training_workoutexercise AS exercise ON exercise.workout_id = pattern.id
    WHERE workout.account_id <> pattern.account_id
"""
KEY_DAY = """
    INSERT INTO accounts_keyday (account_id, api_key_id, day, requests, writes, refusals)
    SELECT account_id, id, %s, 20 + id %% 97, id %% 20, id %% 3 FROM accounts_apikey
"""
EVENT = """
    INSERT INTO accounts_auditevent (id, account_id, email, event, detail, at, address, key_hint, actor_email)
    SELECT {new_id}, id, email, %s, %s, %s, %s, '', '' FROM accounts_account
"""
# The account's id with the event's number at its beginning: as with UUIDv7, a new one is the last in order.
NEW_ID = {
    "postgresql": "(lpad(to_hex(CAST(%s AS integer)), 8, '0') || substr(id::text, 9))::uuid",
    "sqlite": "printf('%%08x', %s) || substr(id, 9)",
}


@dataclass(frozen=True)
class Population:
    """Whom tests need by name: a superuser, the two accounts with the longest histories, and a small one."""

    staff: Person
    longest: Account
    second: Account
    small: Account
    writers: list[Person]  # four of those who train the exercise that is given up
    readers: list[Person]  # three others of these


def make():
    """Fills the prepared, empty database of the connection."""
    now = timezone.now()
    with quick_writes(), connection.cursor() as cursor:
        accounts = make_accounts()
        make_workouts(cursor, accounts, now)
        make_plans(accounts, now)
        make_keys(cursor, accounts, now)
        make_events(cursor, now)
        add_days(accounts[0], KEY_DAYS)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    root = Account.objects.create_superuser("root@example.org", Newcomer.PASSWORD)
    longest, second, *others = accounts
    trained = others[: TRAIN_GIVEN_UP - 1]
    step = len(trained) // 3
    writers, readers = [longest, *trained[::step][:3]], trained[1::step][:3]
    people = {"writers": [person(one) for one in writers], "readers": [person(one) for one in readers]}
    return Population(person(root), longest, second, accounts[-1], **people)


@contextmanager
def quick_writes():
    """A transaction without protection: foreign keys are right by construction, and a crash may lose all."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -500000"):
                cursor.execute(f"PRAGMA {pragma}")
        with transaction.atomic():
            if connection.vendor == "postgresql":
                cursor.execute(
                    "SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = 0"
                )
            yield
    connection.close()


def make_accounts():
    accounts = [
        Account(email=f"lifter{number}@example.org", display_name=FORMULA, password="!")
        for number in range(ACCOUNTS)
    ]
    return Account.objects.bulk_create(accounts, batch_size=BATCH)


def person(account):
    """The account with a key and a browser that is signed in."""
    key, _ = account.issue_key("large", "read_write", "never")
    browser = Client()
    browser.force_login(account)
    return Person(account.email, key, browser.cookies["session"].value, "")


# --- Workouts --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pattern:
    """A workout that was logged as a request would, and the entries of its document."""

    workout: Workout
    entries: list

    def repeat(self, account, started_at, stamp):
        """The same workout of another account. It is one object, to be stored before the next one."""
        self.workout.id = uuid7()
        self.workout.account_id = account.pk
        self.workout.created_at = stamp
        self.workout.started_at = started_at
        self.workout.day = started_at.toordinal()
        self.workout.render(self.entries, stamp)
        return self.workout


def make_workouts(cursor, accounts, now):
    model = Account.objects.create_user("patterns@example.org")
    with_given_up, others = patterns(model)
    counts = workout_counts()
    store(
        cursor,
        itertools.chain.from_iterable(
            history(account, given_up, other, with_given_up, others, now)
            for account, (given_up, other) in zip(accounts, counts, strict=True)
        ),
    )
    fields = [field.column for field in WorkoutExercise._meta.concrete_fields]
    copied = [column for column in fields if column not in ("id", "workout_id", "account_id", "started_at")]
    values = ", ".join(f"exercise.{column}" for column in copied)
    cursor.execute(
        ROWS.format(columns=", ".join(copied), values=values),
        [Account._meta.pk.get_db_prep_value(model.pk, connection)],
    )
    store_states(accounts)


def workout_counts():
    """For each account how many workouts have the exercise that is given up, and how many do not."""
    counts = [[0, 0] for _ in range(ACCOUNTS)]
    counts[0][0] = OF_LONGEST
    counts[1][1] = OF_LONGEST
    with_given_up = WITH_GIVEN_UP - OF_LONGEST
    for number in range(with_given_up):
        counts[2 + number % (TRAIN_GIVEN_UP - 1)][0] += 1
    for number in range(WORKOUTS - 2 * OF_LONGEST - with_given_up):
        counts[2 + number % (ACCOUNTS - 2)][1] += 1
    return counts


def patterns(account):
    """Workouts with the exercise that is given up, of which every tenth has both, and workouts without it."""
    dice = random.Random(1)
    given_up, kept = (Exercise.objects.get(pk=pk) for pk in (GIVEN_UP, KEPT))
    rest = list(Exercise.objects.exclude(pk__in=[GIVEN_UP, KEPT]).order_by("pk")[:40])
    firsts = {
        "Push": [[given_up, kept] if number % 10 == 0 else [given_up] for number in range(KINDS)],
        "Pull": [[kept] if number % 4 == 0 else [] for number in range(KINDS)],
    }
    return [
        [
            logged_pattern(
                account, f"{name} {number}", first + dice.sample(rest, EXERCISES_EACH - len(first)), dice
            )
            for number, first in enumerate(lists)
        ]
        for name, lists in firsts.items()
    ]


def logged_pattern(account, title, exercises, dice):
    entries = [
        {"exercise": exercise, "notes": "", "superset_id": None, "sets": four_sets(dice)}
        for exercise in exercises
    ]
    started_at = from_microseconds(1)
    values = {"title": title, "notes": "", "plan_id": None, "plan_name": None}
    values |= {"started_at": started_at, "duration_seconds": 3600, "exercises": entries}
    workout = Workout.objects.log(account, values)
    return Pattern(workout, [row.entry for row in exercises_of(account, [workout])[workout.pk]])


def history(account, given_up, other, with_given_up, others, now):
    """The account's workouts, one a day; adds up `state`, which is stored when all are made."""
    account.state = AccountState(account=account, workout_count=given_up + other, stored_bytes=0)
    count = given_up + other
    newest = microseconds(now) - count
    kinds = [itertools.cycle(others), itertools.cycle(with_given_up)]
    for number in range(count):
        pattern = next(kinds[(number + 1) * given_up // count - number * given_up // count])
        started_at = now - datetime.timedelta(days=count - number)
        account.state.stored_bytes += pattern.workout.stored_bytes
        account.state.last_change = newest + number
        yield pattern.repeat(account, started_at, from_microseconds(newest + number))


def store_states(accounts):
    AccountState.objects.bulk_create([account.state for account in accounts], batch_size=BATCH)


def microseconds(moment):
    return int(moment.timestamp() * 1_000_000)


def store(cursor, workouts):
    if connection.vendor == "sqlite":
        for workout in workouts:
            workout.insert()
        return
    names = [field.attname for field in Workout._meta.concrete_fields]
    columns, rows = ", ".join(names), (attrgetter(*names)(workout) for workout in workouts)
    with cursor.copy(f"COPY training_workout ({columns}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


# --- Everything else -------------------------------------------------------------------------------


def make_plans(accounts, now):
    target = {"sets": 3, "reps": 8, "weight_kg": 60, "note": ""}
    exercises = [planned(one, target) for one in Exercise.objects.filter(pk__in=[GIVEN_UP, KEPT])]
    day = {"label": "Push", "focus": "", "rest": False, "exercises": exercises}
    days = [{"weekday": weekday, **day} for weekday in range(1, 8)]
    routines = (Routine(account=account, name="Push", exercises=exercises) for account in accounts[:PLANNING])
    plans = (
        Plan(account=account, name="Push", days=days, created_at=now) for account in accounts[:PLANNING:2]
    )
    Routine.objects.bulk_create(routines, batch_size=BATCH)
    Plan.objects.bulk_create(plans, batch_size=BATCH)


def make_keys(cursor, accounts, now):
    """A key of each of the first accounts, some of which end soon, and its use on KEY_DAYS days."""
    keys = (
        ApiKey(
            account=account,
            name=FORMULA,
            hint=f"svc_{number:04}…{number:04}",
            digest=f"{number:064x}",
            expires_at=now + datetime.timedelta(days=number % 365 + 1),
        )
        for number, account in enumerate(accounts[:KEYS])
    )
    ApiKey.objects.bulk_create(keys, batch_size=BATCH)
    for day in range(KEY_DAYS):
        cursor.execute(KEY_DAY, [now.date() - datetime.timedelta(days=day)])


def make_events(cursor, now):
    """Some of each account on each of the last EVENTS_EACH days."""
    statement = EVENT.format(new_id=NEW_ID[connection.vendor])
    kinds = [Event.SIGNED_IN, Event.SIGNED_IN, Event.PASSWORD_CHANGED, Event.KEY_CREATED]
    for number in range(EVENTS_EACH):
        at = now - datetime.timedelta(days=EVENTS_EACH - number)
        cursor.execute(statement, [number, kinds[number % len(kinds)], FORMULA, at, f"203.0.113.{number}"])
