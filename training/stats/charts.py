"""The points of a chart of progress with one exercise, however long the history is."""

import bisect
import datetime
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from accounts.models import Account
from training.models.exercise import Exercise
from training.models.sets import rank
from training.models.workout_exercise import WorkoutExercise, best_set_columns, least_help_first
from training.stats.best_sets import JUST_DONE, WorkingSessionRow, best_set
from training.stats.marks import record_workouts

MAX_POINTS = 300  # of a chart: about one for each pixel column of a phone
CHARTED = ("workout_id", "started_at", "weight_kg", "reps")
LAST_MOMENT = datetime.datetime.max.replace(tzinfo=datetime.UTC)

# Of each time (since, until) the workout with the best lift, and that with the highest estimate. Both read a
# range of the index `session_newest` alone; window functions over all times took twenty times as long. With
# `+ 0`, as PostgreSQL would follow the order of `session_best` otherwise, past all other times. MATERIALIZED,
# as it would find all of them again for each session while it has no statistics yet, as after an import.
BEST_OF_TIMES = """
WITH times(since, until) AS (VALUES {times}), found(workout_id) AS MATERIALIZED (
    SELECT (
        SELECT workout_id FROM training_workoutexercise
        WHERE account_id = %s AND exercise_id = %s AND first_of_exercise AND best_weight_kg IS NOT NULL
            AND started_at >= since AND started_at < until
        ORDER BY {best}, started_at, workout_id LIMIT 1
    ) FROM times
    UNION ALL
    SELECT (
        SELECT workout_id FROM training_workoutexercise
        WHERE account_id = %s AND exercise_id = %s AND first_of_exercise AND best_weight_kg IS NOT NULL
            AND started_at >= since AND started_at < until
        ORDER BY best_weight_kg * (1 + best_reps / CAST(30 AS double precision)) DESC LIMIT 1
    ) FROM times
)
SELECT workout_id FROM found
"""


class Point(NamedTuple):
    """A session in a chart of progress; `is_record` if its best set beat all before it."""

    started_at: datetime.datetime
    weight_kg: float
    reps: int
    estimated_1rm_kg: float
    is_record: bool


def progress(
    account: Account,
    exercise: Exercise,
    since: datetime.datetime | None,
    *,
    session_count: int,
    weighted: bool,
) -> list[Point]:
    """The sessions from `since` on, oldest first; of more than MAX_POINTS the best one of each time.

    There are at most MAX_POINTS times, all equally long; their points have the highest estimate of all
    sessions in them. Sessions without a completed working set are left out; those without weight too where it
    is `weighted`. `session_count` is the number of all sessions with the exercise, of which there are some.
    """
    rows = account.workout_exercises.sessions_with(exercise.pk).started(since)
    rows = rows.filter(best_weight_kg__isnull=False).annotate(
        **best_set_columns(is_assisted=exercise.is_assisted)
    )
    if weighted:
        rows = rows.filter(best_weight_kg__gt=0)
    if exercise.is_timed:
        rows = rows.exclude(JUST_DONE)
    starts: list[datetime.datetime] = []
    if session_count > MAX_POINTS:
        starts = times(since or first_start(account, exercise.pk))
        rows = rows.filter(workout__in=best_of_times(account, exercise, starts))
    found = cast("QuerySet[WorkoutExercise, WorkingSessionRow]", rows.values_list(*CHARTED, named=True))
    is_assisted = exercise.is_assisted
    points = [best_point(group, is_assisted) for group in groups_of_times(found, starts)]
    # The best session of a time is a record if it beat the best of all times before.
    before = best_set(account, exercise, points[0][0]) if points and since else None
    beaten = record_workouts([session for session, _ in points], before, is_assisted)
    return [
        Point(
            session.started_at,
            session.weight_kg,
            session.reps,
            round(highest_1rm_kg, 1),
            session.workout_id in beaten,
        )
        for session, highest_1rm_kg in points
    ]


def times(since: datetime.datetime) -> list[datetime.datetime]:
    """When each of at most MAX_POINTS times begins, the first at `since`, the others alike at every request.

    They are multiples of their length since 1970, so that a chart does not change with every second.
    """
    length = max(1, math.ceil((timezone.now() - since).total_seconds() / (MAX_POINTS - 1)))
    first = int(since.timestamp() // length) + 1
    numbers = range(first, int(timezone.now().timestamp() // length) + 1)
    return [since, *(datetime.datetime.fromtimestamp(number * length, datetime.UTC) for number in numbers)]


def best_of_times(account: Account, exercise: Exercise, starts: Sequence[datetime.datetime]) -> RawSQL:
    """The ids of the workouts that a point needs of each time: the best session, and the highest estimate."""
    adapt = connection.ops.adapt_datetimefield_value
    bounds = [adapt(moment) for pair in itertools.pairwise([*starts, LAST_MOMENT]) for moment in pair]
    best = least_help_first() if exercise.is_assisted else "best_weight_kg + 0 DESC, best_reps DESC"
    sql = BEST_OF_TIMES.format(times=", ".join(["(%s, %s)"] * len(starts)), best=best)
    return RawSQL(sql, [*bounds, *[account.db_pk, exercise.pk] * 2])


def groups_of_times(
    sessions: Iterable[WorkingSessionRow], starts: Sequence[datetime.datetime]
) -> list[list[WorkingSessionRow]]:
    """The sessions of each time, both oldest first; without times, each session is a group."""
    ordered = sorted(sessions, key=lambda session: (session.started_at, session.workout_id))
    if not starts:
        return [[session] for session in ordered]
    groups = itertools.groupby(ordered, lambda session: bisect.bisect(starts, session.started_at))
    return [list(group) for _, group in groups]


def best_point(sessions: Sequence[WorkingSessionRow], is_assisted: bool) -> tuple[WorkingSessionRow, float]:
    """The best session of a time, of equals the oldest, and the highest estimate."""
    best = max(
        sessions,
        key=lambda session: rank((session.weight_kg, session.reps), is_assisted=is_assisted),
    )
    return best, max(session.weight_kg * (1 + session.reps / 30) for session in sessions)


def first_start(account: Account, exercise_id: str) -> datetime.datetime:
    """When the oldest session with an exercise began, of which there are some."""
    sessions = account.workout_exercises.sessions_with(exercise_id).order_by("started_at", "workout_id")
    return sessions.values_list("started_at", flat=True)[0]
