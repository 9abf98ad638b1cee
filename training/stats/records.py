"""Personal records: the best session with each exercise, and the records that a workout has beaten."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypedDict
from uuid import UUID

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Exists, Expression, RawSQL
from django.db.models.sql.compiler import SQLCompiler

from accounts.models import Account
from fitness.db.owned import OfAccount
from fitness.json import timestamp
from training.models.exercise import TIMED, Exercise, ExerciseSummary
from training.models.sets import Lift, best_lift, estimated_1rm_kg, lifts_of
from training.models.workout_exercise import WorkoutEntry, WorkoutExercise, best_set_columns
from training.stats.best_sets import best_of_exercise, best_set_on_screens

# What is found for each exercise with a best set. A loose scan of the index `session_best`: it goes
# from one exercise to the next, so its cost follows the number of exercises and not the history.
USED_EXERCISES = """
WITH RECURSIVE used(exercise_id) AS (
    SELECT min(exercise_id) FROM training_workoutexercise
    WHERE account_id = %s AND best_weight_kg IS NOT NULL
    UNION ALL
    SELECT (
        SELECT min(exercise_id) FROM training_workoutexercise
        WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id > used.exercise_id
    )
    FROM used WHERE used.exercise_id IS NOT NULL
)
SELECT {found} FROM used WHERE exercise_id IS NOT NULL
"""

BEST_SESSIONS = USED_EXERCISES.format(
    found="""(
    SELECT id FROM training_workoutexercise
    WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id = used.exercise_id
    ORDER BY best_weight_kg DESC, best_reps DESC, started_at, workout_id LIMIT 1
)"""
)


FIELDS = (
    "exercise_id",
    "exercise__name",
    "exercise__is_assisted",
    "weight_kg",
    "reps",
    "workout_id",
    "started_at",
    "id",
)


def personal_records(account: Account) -> QuerySet[WorkoutExercise, Any]:
    """The best session with each exercise, as screens have it: of assisted ones that with least help."""
    used = RawSQL(USED_EXERCISES.format(found="exercise_id"), [account.db_pk] * 2)
    rows = best_sessions_with(account, used)
    return rows.annotate(beat_others=beat_others(account)).values_list(*FIELDS, "beat_others", named=True)


def beat_others(account: Account) -> Exists:
    """Whether there was a session with the exercise of a row before it, with a best set."""
    earlier = WorkoutExercise.objects.filter(OfAccount(account.pk)).sessions_with(OuterRef("exercise"))
    return Exists(earlier.filter(best_weight_kg__isnull=False, started_at__lt=OuterRef("started_at")))


def best_sessions_with(
    account: Account, exercise_ids: RawSQL | Collection[str]
) -> QuerySet[WorkoutExercise, Any]:
    best = (
        Exercise.objects.seen_by(account)
        .filter(pk__in=exercise_ids)
        .values_list(best_of_exercise(account.pk, "pk"))
    )
    return sessions_found(account, best, **best_set_on_screens())


def newest_personal_records(account: Account, limit: int) -> QuerySet[WorkoutExercise, Any]:
    return personal_records(account).order_by("-started_at", "-id")[:limit]


def personal_records_in(
    account: Account, workout_id: UUID, exercise_ids: Collection[str]
) -> QuerySet[WorkoutExercise, Any]:
    """Those of the personal records with these exercises that a workout has."""
    return best_sessions_with(account, exercise_ids).filter(workout=workout_id)


def best_sessions(account: Account) -> QuerySet[WorkoutExercise, Any]:
    """The best session with each exercise: heaviest completed working set, then reps, then earliest."""
    heaviest = best_set_columns(is_assisted=False)
    return sessions_found(account, RawSQL(BEST_SESSIONS, [account.db_pk] * 3), **heaviest)


class FoundOnce(Subquery):
    """Rows that PostgreSQL finds before it looks for what has their ids.

    In a condition of an index it would estimate the cost of finding one for each look-up, and read all
    sessions of the account instead. SQLite looks up each as it is found anyway.
    """

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        sql, parameters = self.as_sql(compiler, connection)
        return f"(WITH found AS MATERIALIZED {sql} SELECT * FROM found)", parameters


def sessions_found(
    account: Account,
    best: RawSQL | QuerySet[Exercise, Any],
    **best_set: Expression | F,
) -> QuerySet[WorkoutExercise, Any]:
    found = best if isinstance(best, RawSQL) else FoundOnce(best)
    sessions = WorkoutExercise.objects.filter(OfAccount(account.pk), id__in=found).annotate(**best_set)
    return sessions.values_list(*FIELDS, named=True)


class PersonalRecord(TypedDict):
    """The best session with an exercise, as clients read it."""

    exercise_id: str
    name: str
    weight_kg: float
    reps: int
    estimated_1rm_kg: float
    workout_id: str
    date: str


def personal_record(session: Any) -> PersonalRecord:
    return {
        "exercise_id": session.exercise_id,
        "name": session.exercise__name,
        "weight_kg": session.weight_kg,
        "reps": session.reps,
        "estimated_1rm_kg": estimated_1rm_kg(session.weight_kg, session.reps),
        "workout_id": str(session.workout_id),
        "date": timestamp(session.started_at),
    }


def best_sets_by_exercise(account: Account, exercise_ids: Collection[str]) -> dict[str, Lift]:
    """The account's personal record with each of the exercises that has one, by the exercise's id.

    Without assisted exercises, of which less weight is better, and those measured by time or distance.
    """
    heaviest = account.workout_exercises.filter(
        exercise=OuterRef("pk"), best_weight_kg__isnull=False
    ).order_by("-best_weight_kg", "-best_reps", "started_at", "workout")
    exercises = (
        Exercise.objects.seen_by(account)
        .filter(pk__in=exercise_ids, is_assisted=False)
        .exclude(TIMED)
        # Two look-ups in the index `session_best` for each exercise, however long the history is.
        .annotate(weight_kg=Subquery(heaviest.values("best_weight_kg")[:1]))
        .annotate(reps=Subquery(heaviest.values("best_reps")[:1]))
    )
    rows = exercises.values_list("id", "weight_kg", "reps")
    return {pk: (weight_kg, reps) for pk, weight_kg, reps in rows if weight_kg is not None}


def new_personal_records(
    earlier: Mapping[str, Lift], exercises: Iterable[WorkoutEntry]
) -> list[tuple[ExerciseSummary, float, int]]:
    """(exercise, weight_kg, reps) of each personal record that a workout's exercises have beaten.

    `earlier` are those before the workout (see `best_sets_by_exercise`): the first session with an exercise
    beats none.
    """
    known, beaten = dict(earlier), {}
    for entry in exercises:
        exercise, lift = entry["exercise"], best_lift(lifts_of(entry["sets"]))
        if lift is not None and exercise.id in known and lift > known[exercise.id]:
            known[exercise.id] = lift
            beaten[exercise.id] = (exercise, *lift)
    return list(beaten.values())
