"""The figures of /progress, read from the aggregates in the rows of WorkoutExercise.

Weeks and windows are those of the current time zone. Each function takes one statement or a fixed number of
them, and reads no more than a year of rows, or a fixed number for each exercise.
"""

import datetime
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, cast

from django.db.models import (
    Case,
    Count,
    F,
    FloatField,
    IntegerField,
    Max,
    Min,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Length, Replace
from django.utils import timezone

from accounts.models import Account
from fitness.days import ONE_DAY, midnight, today
from fitness.db.owned import OfAccount
from training.models import Exercise, WorkoutExercise
from training.models.exercise import MuscleGroup, is_assisted
from training.models.sets import SetType
from training.stats import best_of_exercise

WEEKS = 52  # that the sentence compares, this one included
SHOWN = 12  # weeks whose muscle groups are shown
WINDOW_DAYS, WINDOWS = 15, 24  # about a year; a line joins the best of each window
COMPARED = 6  # windows that a change is over: 90 days
HEAVIEST = 1_000  # sessions of an exercise, among which the highest estimated maximum is looked for
ENDS = 2  # windows at each end of those, so that a light fortnight is no step back

# The id of the newest session with each exercise: a loose scan of the index `session_newest`, whose cost
# follows the number of exercises and not the history (as `stats.BEST_SESSIONS`).
NEWEST_SESSIONS = """
WITH RECURSIVE used(exercise_id) AS (
    SELECT min(exercise_id) FROM training_workoutexercise WHERE account_id = %s AND first_of_exercise
    UNION ALL
    SELECT (
        SELECT min(exercise_id) FROM training_workoutexercise
        WHERE account_id = %s AND first_of_exercise AND exercise_id > used.exercise_id
    )
    FROM used WHERE used.exercise_id IS NOT NULL
)
SELECT (
    SELECT id FROM training_workoutexercise
    WHERE account_id = %s AND first_of_exercise AND exercise_id = used.exercise_id
    ORDER BY started_at DESC, workout_id DESC LIMIT 1
)
FROM used WHERE exercise_id IS NOT NULL
"""

# The highest estimated maximum among an exercise's heaviest sessions, as its own page computes it. The limit
# bounds the cost of a long history.
STRONGEST = f"""
SELECT max(best_weight_kg * (1 + best_reps / CAST(30 AS double precision))) FROM (
    SELECT best_weight_kg, best_reps FROM training_workoutexercise
    WHERE account_id = %s AND exercise_id = training_exercise.id AND best_weight_kg IS NOT NULL
    ORDER BY best_weight_kg DESC, best_reps DESC LIMIT {HEAVIEST}
) heaviest
"""

# The columns of `lifts`: those of a Best behind the exercise and the window.
LIFT_FIELDS = (
    *("exercise_id", "exercise__name", "window"),
    *("sessions", "estimate", "weight", "volume", "reps", "help_kg"),
)


class TrainedRow(Protocol):
    """The newest session with an exercise: a row of `trained`."""

    id: int
    exercise_id: str
    exercise__name: str
    workout_id: object
    started_at: datetime.datetime


class Best(NamedTuple):
    """The bests of an exercise in a window of WINDOW_DAYS, each of any session in it."""

    sessions: int
    estimated_1rm_kg: float | None
    weight_kg: float | None
    volume_kg: float
    reps: int | None  # of a session's heaviest set; where nothing was lifted, its most reps
    help_kg: float | None  # the least, where the weight of the exercise is help


class Record(NamedTuple):
    """The best session with an exercise, as on screens, and the highest estimated maximum of all sessions."""

    weight_kg: float
    reps: int
    started_at: datetime.datetime
    workout_id: object
    strongest_kg: float


@dataclass(frozen=True)
class Lift:
    """What an account did with one exercise in about a year: its Best by the number of the window."""

    exercise_id: str
    name: str
    bests: dict[int, Best]

    @property
    def measure(self) -> str | None:
        """What it alone is measured by: "help", or "reps" where nothing is lifted; None for the rest."""
        if is_assisted(self.name):
            return "help"
        return None if any(best.weight_kg for best in self.bests.values()) else "reps"

    @property
    def sessions(self) -> int:
        """Sessions in the windows that a change is over."""
        return sum(best.sessions for number, best in self.bests.items() if number >= WINDOWS - COMPARED)


class Totals(NamedTuple):
    """What a muscle group in a week adds up to; `work_sets` are the completed sets without warm-ups."""

    sets: int
    volume_kg: float
    work_sets: int


@dataclass(frozen=True)
class Week:
    """The totals of each muscle group in the week from a Monday on; those without a set are left out."""

    monday: datetime.date
    groups: dict[str, Totals]

    @property
    def sets(self) -> int:
        return sum(group.sets for group in self.groups.values())

    @property
    def work_sets(self) -> int:
        return sum(group.work_sets for group in self.groups.values())

    @property
    def volume_kg(self) -> float:
        return sum(group.volume_kg for group in self.groups.values())


def trained(account: Account) -> QuerySet[WorkoutExercise, TrainedRow]:
    """The newest session with each exercise that the account has done."""
    newest = RawSQL(NEWEST_SESSIONS, [account.db_pk] * 3)
    sessions = WorkoutExercise.objects.filter(OfAccount(account.db_pk), id__in=newest)
    fields = ("id", "exercise_id", "exercise__name", "workout_id", "started_at")
    return cast("QuerySet[WorkoutExercise, TrainedRow]", sessions.values_list(*fields, named=True))


def records(account: Account, exercise_ids: Sequence[str]) -> dict[str, Record]:
    """The Record with each of the exercises that has one, by the exercise's id."""
    exercises = Exercise.objects.filter(pk__in=exercise_ids).annotate(
        session=best_of_exercise(account.workout_exercises.all(), "pk"),
        strongest=RawSQL(STRONGEST, [account.db_pk], output_field=FloatField()),
    )
    found = dict(exercises.exclude(session=None).values_list("session", "strongest"))
    rows = WorkoutExercise.objects.filter(OfAccount(account.db_pk), pk__in=list(found))
    fields = ("exercise_id", "pk", "best_weight_kg", "best_reps", "started_at", "workout_id")
    return {
        exercise_id: Record(weight_kg, reps, started_at, workout_id, round(found[pk], 1))
        for exercise_id, pk, weight_kg, reps, started_at, workout_id in rows.values_list(*fields)
        if weight_kg is not None and reps is not None
    }


def window_days(day: datetime.date) -> list[datetime.date]:
    """The first day of each window, oldest first; the last window ends on `day`."""
    return [day + ONE_DAY - ONE_DAY * WINDOW_DAYS * back for back in range(WINDOWS, 0, -1)]


def lifts(account: Account) -> dict[str, Lift]:
    """What the account did with each exercise of the last WINDOWS, by the exercise's id."""
    starts = [midnight(day) for day in window_days(today())]
    estimate = F("best_weight_kg") * (1 + Cast("best_reps", FloatField()) / 30)
    rows = (
        rows_between(account, starts[0], timezone.now())
        .filter(first_of_exercise=True)
        .annotate(window=interval(starts))
        .values("exercise_id", "exercise__name", "window")
        .annotate(
            sessions=Count("id"),
            estimate=Max(estimate, output_field=FloatField()),
            weight=Max("best_weight_kg"),
            volume=Max("volume_kg"),
            reps=Max("best_reps"),
            help_kg=Min("best_weight_kg"),
        )
        .order_by("exercise_id", "window")
    )
    found: dict[str, Lift] = {}
    for exercise_id, name, window, *best in rows.values_list(*LIFT_FIELDS):
        lift = found.setdefault(exercise_id, Lift(exercise_id, name, {}))
        lift.bests[window] = Best(*best)
    return found


def weeks(account: Account, count: int = WEEKS, shown: int = SHOWN) -> list[Week]:
    """So many weeks, oldest first; the last of them has begun. The `shown` last have their warm-ups."""
    day = today()
    monday = day - ONE_DAY * day.weekday()
    mondays = [monday - ONE_DAY * 7 * back for back in range(count - 1, -1, -1)]
    starts = [midnight(one) for one in mondays]
    rows = (
        rows_between(account, starts[0], timezone.now())
        .annotate(week=interval(starts))
        .values("week", "muscle_group")
        .annotate(done=Sum("completed_sets"), volume=Sum("volume_kg"), warmups=Sum(warmups(starts, shown)))
        .filter(done__gt=0)
        .order_by("week", "muscle_group")
    )
    groups: dict[int, dict[str, Totals]] = defaultdict(dict)
    for week, muscle_group, sets, volume_kg, warmed_up in rows.values_list(
        "week", "muscle_group", "done", "volume", "warmups"
    ):
        groups[week][muscle_group] = Totals(sets, round(volume_kg, 2), max(0, sets - warmed_up))
    return [Week(monday, groups[number]) for number, monday in enumerate(mondays)]


def warmups(starts: Sequence[datetime.datetime], shown: int) -> Case | Value:
    """The warm-ups of a row in the last of the weeks that begin then; 0 before, as the texts are long.

    Counted in the JSON by their type. Of a workout with sets that were not done the warm-ups count as done.
    """
    if not shown:
        return Value(0)
    word = f'"{SetType.WARMUP}"'
    others = Length(Replace("sets", Value(word), Value("")))
    return Case(When(started_at__gte=starts[-shown], then=(Length("sets") - others) / len(word)), default=0)


def rows_between(
    account: Account, since: datetime.datetime, until: datetime.datetime
) -> QuerySet[WorkoutExercise]:
    """The rows of a window. All groups are named so that each is a range of the index `session_totals`."""
    return account.workout_exercises.started(since, until).filter(muscle_group__in=MuscleGroup.values)


def interval(starts: Sequence[datetime.datetime]) -> Case:
    """The number of the last of the `starts`, oldest first, that is not after a row's start.

    Comparisons with constants: SQL for days of a zone differs between the databases.
    """
    newest_first = reversed(list(enumerate(starts)))
    cases = [When(started_at__gte=start, then=Value(number)) for number, start in newest_first]
    return Case(*cases, output_field=IntegerField())
