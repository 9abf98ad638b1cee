"""The best set of sessions, as screens have it: the heaviest, of assisted exercises that with the least help.

The API ranks assisted exercises by weight too: `best_sessions` and `best_sets_by_exercise` in `records`.
"""

import datetime
from collections.abc import Collection
from typing import NamedTuple, Protocol
from uuid import UUID

from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, When

from accounts.models import Account
from fitness.db.owned import OfAccount
from training.models.exercise import TIMED, Exercise
from training.models.sets import Lift
from training.models.workout_exercise import WorkoutExercise, best_set_columns

# Of an exercise that is measured by time or distance: that it was done, and no lift.
JUST_DONE = Q(best_weight_kg=0, best_reps=1)
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
    sessions = account.workout_exercises.filter(exercise=exercise, best_weight_kg__isnull=False)
    if before is not None:
        same_time = Q(started_at=before.started_at, workout_id__lt=before.workout_id)
        sessions = sessions.filter(same_time | Q(started_at__lt=before.started_at))
    if exercise.is_timed:
        sessions = sessions.exclude(JUST_DONE)
    best = with_least_help(account.pk, sessions) if exercise.is_assisted else heaviest_first(sessions)
    lift: Lift | None = best.values_list("weight_kg", "reps").first()  # type: ignore[misc]  # annotated by both
    return lift


class BestBefore(NamedTuple):
    """The best set with an exercise, as on screens, or None; `is_assisted` if its weight is help."""

    lift: Lift | None
    is_assisted: bool


def best_sets_before(
    account: Account, exercise_ids: Collection[str], until: datetime.datetime | None
) -> dict[str, BestBefore]:
    """Of each exercise that exists the best set of the sessions that started before `until`."""
    best = {column: best_of_exercise(account.pk, column, until) for column in ("weight_kg", "reps")}
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids).annotate(**best)
    return {
        row.id: BestBefore(None if row.weight_kg is None else (row.weight_kg, row.reps), row.is_assisted)
        for row in exercises.values_list("id", "is_assisted", *best, named=True)
    }


def best_of_exercise(account: UUID, column: str, until: datetime.datetime | None = None) -> Case:
    """A column of the best session before `until` with each exercise of a QuerySet of them, as on screens."""
    sessions = WorkoutExercise.objects.filter(account=account, best_weight_kg__isnull=False)
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


def with_least_help(account: UUID, sessions: QuerySet[WorkoutExercise]) -> QuerySet[WorkoutExercise]:
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
