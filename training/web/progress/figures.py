"""The figures of /progress, read from the aggregates in the rows of WorkoutExercise.

Weeks and windows are those of the current time zone. Each function takes one statement or a fixed number of
them, and reads no more than a year of rows, or a fixed number for each exercise.
"""

import bisect
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
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from accounts.models import Account
from fitness.days import ONE_DAY, midnight, today
from fitness.db.owned import OfAccount
from training.models import Exercise, WorkoutExercise
from training.models.exercise import TIMED, MuscleGroup, is_assisted
from training.models.sets import SetType
from training.models.timed import TimedSet, longest, timed_sets
from training.models.workout_exercise import best_set_columns, done_warmups
from training.stats import JUST_DONE, best_of_exercise, best_set_on_screens, sessions_found

WEEKS = 52  # that the sentence compares, this one included
SHOWN = 12  # weeks whose muscle groups are shown
WINDOW_DAYS, WINDOWS = 15, 24  # about a year; a line joins the best of each window
COMPARED = 6  # windows that a change is over: 90 days
HEAVIEST = 1_000  # sessions of an exercise, among which the highest estimated maximum is looked for
NOTES = 1_000  # characters in which the times and distances of an exercise are looked for
ENDS = 2  # windows at each end of those, so that a light fortnight is no step back

# The id of the newest session with each exercise: a loose scan of the index `session_newest`, whose cost
# follows the number of exercises and not the history (as BEST_SESSIONS in training/stats/records.py).
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
    SELECT best_weight_kg, best_reps FROM training_workoutexercise one
    WHERE account_id = %s AND exercise_id = training_workoutexercise.exercise_id
        AND best_weight_kg IS NOT NULL
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
    time: int | None = None  # seconds, where the exercise is measured by time or distance
    distance: float | None = None  # km


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
        """What it alone is measured by: "distance" or "time", "help", or "reps" where nothing is lifted; None
        for the rest.
        """
        bests = self.bests.values()
        if any(best.distance for best in bests):
            return "distance"
        if any(best.time for best in bests):
            return "time"
        if not any(best.weight_kg for best in bests):
            return "reps"
        return "help" if is_assisted(self.name) else None

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
    exercises = Exercise.objects.filter(pk__in=exercise_ids)
    best = exercises.values_list(best_of_exercise(account, "pk"))
    rows = sessions_found(account.db_pk, best, **best_set_on_screens()).annotate(
        strongest=RawSQL(STRONGEST, [account.db_pk], output_field=FloatField())
    )
    fields = ("exercise_id", "weight_kg", "reps", "started_at", "workout_id", "strongest")
    return {
        exercise_id: Record(weight_kg, reps, started_at, workout_id, round(strongest, 1))
        for exercise_id, weight_kg, reps, started_at, workout_id, strongest in rows.values_list(*fields)
    }


def window_days(day: datetime.date) -> list[datetime.date]:
    """The first day of each window, oldest first; the last window ends on `day`."""
    return [day + ONE_DAY - ONE_DAY * WINDOW_DAYS * back for back in range(WINDOWS, 0, -1)]


def lifts(account: Account) -> dict[str, Lift]:
    """What the account did with each exercise of the last WINDOWS, by the exercise's id."""
    starts = [midnight(day) for day in window_days(today())]
    estimate = F("best_weight_kg") * (1 + Cast("best_reps", FloatField()) / 30)
    least_help = best_set_columns(is_assisted=True)["weight_kg"]
    just_done = Q(exercise__in=Exercise.objects.filter(TIMED)) & JUST_DONE
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
            reps=Max("best_reps", filter=~just_done),
            help_kg=Min(Case(When(exercise__name__icontains="assisted", then=least_help))),
        )
        .order_by("exercise_id", "window")
    )
    found: dict[str, Lift] = {}
    for exercise_id, name, window, *best in rows.values_list(*LIFT_FIELDS):
        lift = found.setdefault(exercise_id, Lift(exercise_id, name, {}))
        lift.bests[window] = Best(*best)
    for exercise_id, started_at, notes in timed_notes(account, starts[0]):
        bests, window = found[exercise_id].bests, bisect.bisect(starts, started_at) - 1
        before: TimedSet = {
            "seconds": bests[window].time,
            "distance_km": bests[window].distance,
            "weight_kg": None,
        }
        best = longest([before, *timed_sets(notes)])
        bests[window] = bests[window]._replace(time=best["seconds"], distance=best["distance_km"])
    return found


def timed_notes(
    account: Account, since: datetime.datetime
) -> QuerySet[WorkoutExercise, tuple[str, datetime.datetime, str]]:
    """(exercise, start, first characters of the notes) where the notes may have times and distances."""
    rows = rows_between(account, since, timezone.now()).exclude(notes="")
    rows = rows.filter(exercise__in=Exercise.objects.filter(TIMED))
    return rows.values_list("exercise_id", "started_at", Substr("notes", 1, NOTES))


def weeks(account: Account, count: int = WEEKS, shown: int = SHOWN) -> list[Week]:
    """So many weeks, oldest first; the last of them has begun. In those before the `shown` last ones warm-ups
    count as work.
    """
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
        groups[week][muscle_group] = Totals(sets, round(volume_kg, 2), sets - warmed_up)
    return [Week(monday, groups[number]) for number, monday in enumerate(mondays)]


def warmups(starts: Sequence[datetime.datetime], shown: int) -> Case:
    """The warm-ups that were done of a row in the last of the weeks that begin then; 0 before.

    The sets are read only where a text has the word, as that takes 4 µs each.
    """
    is_shown = Q(started_at__gte=starts[-shown:][0], sets__contains=f'"{SetType.WARMUP}"')
    return Case(When(is_shown, then=done_warmups()), default=0)


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
