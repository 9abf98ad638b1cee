"""The best set of sessions, as screens have it: the heaviest, of assisted exercises that with the least help.

The API ranks assisted exercises by weight too: `best_sessions` and `best_sets_by_exercise` in `records`.
"""

import datetime
from collections.abc import Collection
from functools import partial
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, When

from accounts.models import Account
from fitness.db.owned import OfAccount
from fitness.db.prepared_queries import Placeholder, PreparedQuery, padded
from training.models.exercise import TIMED, Exercise
from training.models.sets import Lift
from training.models.workout_exercise import WorkoutExercise, best_set_columns

# Of an exercise that is measured by time or distance: that it was done, and no lift.
JUST_DONE = Q(best_weight_kg=0, best_reps=1)
# The id of an account as the database stores it, or what takes its place in a PreparedQuery.
AccountId = UUID | str | Placeholder
LEAST_AMONG = 1_000  # sessions with an assisted exercise, among which the least help is looked for


class SessionRow(Protocol):
    """A row of WorkoutExercise for a session: which workout, when, and the best set if any."""

    @property
    def workout_id(self) -> UUID: ...
    @property
    def started_at(self) -> datetime.datetime: ...
    @property
    def weight_kg(self) -> float | None: ...
    @property
    def reps(self) -> int | None: ...


class WorkingSessionRow(SessionRow, Protocol):
    """A SessionRow with a completed working set, so its best set is not None."""

    @property
    def weight_kg(self) -> float: ...
    @property
    def reps(self) -> int: ...


def best_set(account: Account, exercise: Exercise, before: SessionRow | None = None) -> Lift | None:
    """The best lift with an exercise, of all sessions or of those before one."""
    rows = BEST_LIFTS[exercise.is_assisted, exercise.is_timed](
        account=account.pk,
        exercise_id=exercise.pk,
        started_at=before and before.started_at,
        workout_id=before and before.workout_id,
    )
    return next(((row.weight_kg, row.reps) for row in rows), None)


class LiftRow(Protocol):
    weight_kg: float
    reps: int


def best_lifts(
    account: Placeholder,
    exercise_id: Placeholder,
    started_at: Placeholder | None,
    workout_id: Placeholder | None,
    *,
    is_assisted: bool,
    is_timed: bool,
) -> QuerySet[WorkoutExercise, Any]:
    sessions = WorkoutExercise.objects.filter(account=account, exercise=exercise_id)
    sessions = sessions.filter(best_weight_kg__isnull=False)
    if started_at is not None:
        same_time = Q(started_at=started_at, workout_id__lt=workout_id)
        sessions = sessions.filter(same_time | Q(started_at__lt=started_at))
    if is_timed:
        sessions = sessions.exclude(JUST_DONE)
    best = with_least_help(account, sessions) if is_assisted else heaviest_first(sessions)
    rows = best.values_list("weight_kg", "reps", named=True)  # type: ignore[misc]  # annotated by both
    return rows[:1]


BEST_LIFTS = {
    (is_assisted, is_timed): PreparedQuery[LiftRow](
        partial(best_lifts, is_assisted=is_assisted, is_timed=is_timed)
    )
    for is_assisted in (False, True)
    for is_timed in (False, True)
}


class BestBefore(NamedTuple):
    """The best set with an exercise, as on screens, or None; `is_assisted` if its weight is help."""

    lift: Lift | None
    is_assisted: bool


def best_sets_before(
    account: Account, exercise_ids: Collection[str], until: datetime.datetime | None
) -> dict[str, BestBefore]:
    """Of each exercise that exists the best set of the sessions that started before `until`."""
    ids = padded(sorted(exercise_ids))
    rows = best_sets_of_exercises(account=account.pk, exercise_ids=ids, until=until)
    return {
        row.id: BestBefore(None if row.weight_kg is None else (row.weight_kg, row.reps), row.is_assisted)
        for row in rows
    }


class BestSetRow(Protocol):
    """An exercise with its best set, which is None without a lift."""

    id: str
    is_assisted: bool
    weight_kg: float | None
    reps: int


@PreparedQuery[BestSetRow]
def best_sets_of_exercises(
    account: Placeholder, exercise_ids: list[Placeholder], until: Placeholder | None
) -> QuerySet[Exercise, Any]:
    best = {column: best_of_exercise(account, column, until) for column in ("weight_kg", "reps")}
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids).annotate(**best)
    return exercises.values_list("id", "is_assisted", *best, named=True)


def best_of_exercise(account: AccountId, column: str, until: Placeholder | None = None) -> Case:
    """A column of the best session before `until` with each exercise of a QuerySet of them, as on screens."""
    sessions = WorkoutExercise.objects.filter(account=account, best_weight_kg__isnull=False)  # type: ignore[misc]  # Django takes a UUID's text, too
    sessions = sessions.started(until=until)
    of_exercise = sessions.filter(exercise=OuterRef("pk"))
    helped = with_least_help(account, sessions.filter(exercise=OuterRef(OuterRef("pk"))))
    return Case(
        When(is_assisted=True, then=Subquery(helped.values(column)[:1])),
        When(TIMED, then=Subquery(heaviest_first(of_exercise.exclude(JUST_DONE)).values(column)[:1])),
        default=Subquery(heaviest_first(of_exercise).values(column)[:1]),
    )


def heaviest_first(sessions: QuerySet[WorkoutExercise]) -> QuerySet[WorkoutExercise]:
    rows = sessions.annotate(**best_set_columns(is_assisted=False))
    return rows.order_by("-best_weight_kg", "-best_reps", "started_at", "workout")


def with_least_help(account: AccountId, sessions: QuerySet[WorkoutExercise]) -> QuerySet[WorkoutExercise]:
    """Those of the sessions with an assisted exercise, the one with least help first.

    It is looked for among LEAST_AMONG of them, those whose set with most help has least: no index has it, so
    each of them is a row to read.
    """
    likely = sessions.order_by("best_weight_kg", "best_reps").values("pk")[:LEAST_AMONG]
    rows = WorkoutExercise.objects.filter(OfAccount(account), pk__in=likely)
    rows = rows.annotate(**best_set_columns(is_assisted=True))
    return rows.order_by("weight_kg", "-reps", "started_at", "workout")


def best_set_on_screens() -> dict[str, Case]:
    """`weight_kg` and `reps` of the best set of sessions with any exercises."""
    columns = best_set_columns(is_assisted=False)
    least_help = best_set_columns(is_assisted=True)
    return {
        name: Case(When(exercise__is_assisted=True, then=least_help[name]), default=columns[name])
        for name in columns
    }
