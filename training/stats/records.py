"""Bests: the best set of an exercise, the personal records, and the workouts that beat all before them.

On screens the best set of an assisted exercise is that with the least help. The API ranks assisted exercises
by weight too: `best_sessions` and `best_sets_by_exercise`.
"""

import datetime
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypedDict
from uuid import UUID

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Case, F, FloatField, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.expressions import Exists, Expression, ExpressionWrapper, RawSQL
from django.db.models.sql.compiler import SQLCompiler

from accounts.models import Account
from fitness.db.owned import OfAccount
from fitness.json import timestamp
from training.models.exercise import TIMED, Exercise, ExerciseSummary
from training.models.sets import Lift, best_lift, estimated_1rm_kg, lifts_of, rank
from training.models.workout_exercise import (
    WorkoutEntry,
    WorkoutExercise,
    WorkoutExerciseQuerySet,
    best_set_columns,
)

# Of an exercise that is measured by time or distance: that it was done, and no lift.
JUST_DONE = Q(best_weight_kg=0, best_reps=1)
LEAST_AMONG = 1_000  # sessions with an assisted exercise, among which the least help is looked for
STRONGEST_AMONG = 1_000  # heaviest sessions of an exercise, among which the highest estimate is looked for
FIELDS = (
    *("exercise_id", "exercise__name", "exercise__is_assisted", "weight_kg", "reps"),
    *("workout_id", "started_at", "id"),
)
NO_LIFT: Lift = (-math.inf, -1)  # which any lift beats, whatever its rank
# In which half of a history, and the order in which an earlier, better session is then found soonest.
Half = Literal["older", "newer"]
LOOK_UP: dict[Half, Sequence[str]] = {
    "older": ("-started_at", "-workout_id"),
    "newer": ("-best_weight_kg", "-best_reps"),
}
LOOK_UP_HELP: dict[Half, Sequence[str]] = {**LOOK_UP, "newer": ("best_weight_kg", "best_reps")}

ESTIMATE_SQL = "best_weight_kg * (1 + best_reps / CAST(30 AS double precision))"

# What is found for each exercise that the account has `sessions` with, a condition of an index. A loose scan
# of the index: it goes from one exercise to the next, so its cost follows the number of exercises and not the
# history.
EACH_EXERCISE = """
WITH RECURSIVE used(exercise_id) AS (
    SELECT min(exercise_id) FROM training_workoutexercise WHERE account_id = %s AND {sessions}
    UNION ALL
    SELECT (
        SELECT min(exercise_id) FROM training_workoutexercise
        WHERE account_id = %s AND {sessions} AND exercise_id > used.exercise_id
    )
    FROM used WHERE used.exercise_id IS NOT NULL
)
SELECT {found} FROM used WHERE exercise_id IS NOT NULL
"""
FIRST_SESSION = """(
    SELECT id FROM training_workoutexercise
    WHERE account_id = %s AND {sessions} AND exercise_id = used.exercise_id
    ORDER BY {order} LIMIT 1
)"""
WITH_BEST_SET = "best_weight_kg IS NOT NULL"  # the condition of the index `session_best`
HEAVIEST = "best_weight_kg DESC, best_reps DESC, started_at, workout_id"
# The highest estimated maximum of an exercise, as its own page computes it. The limit bounds the cost of a
# long history.
STRONGEST = f"""
SELECT max({ESTIMATE_SQL}) FROM (
    SELECT best_weight_kg, best_reps FROM training_workoutexercise one
    WHERE account_id = %s AND exercise_id = training_workoutexercise.exercise_id
        AND best_weight_kg IS NOT NULL
    ORDER BY best_weight_kg DESC, best_reps DESC LIMIT {STRONGEST_AMONG}
) heaviest
"""


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


class BestOfSession(NamedTuple):
    """The best set of a session with a lift, as on screens."""

    at: datetime.datetime
    best: Lift


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
    """The best set with an exercise, as on screens, or None. The weight of an assisted one is help."""

    lift: Lift | None
    is_assisted: bool
    is_timed: bool  # one of TIMED


def best_sets_before(
    account: Account, exercise_ids: Collection[str], until: datetime.datetime | None
) -> dict[str, BestBefore]:
    """Of each exercise that exists the best set of the sessions that started before `until`."""
    best = {column: best_of_exercise(account.pk, column, until) for column in ("weight_kg", "reps")}
    timed = ExpressionWrapper(TIMED, BooleanField())
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids)
    columns = ("id", "is_assisted", "timed", *best)
    rows = exercises.annotate(**best, timed=timed).values_list(*columns, named=True)
    return {
        row.id: BestBefore(
            None if row.weight_kg is None else (row.weight_kg, row.reps), row.is_assisted, row.timed
        )
        for row in rows
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


def personal_records(account: Account) -> QuerySet[WorkoutExercise, Any]:
    """The best session with each exercise, as screens have it: of assisted ones that with least help."""
    used = RawSQL(EACH_EXERCISE.format(sessions=WITH_BEST_SET, found="exercise_id"), [account.db_pk] * 2)
    rows = best_sessions_with(account, used)
    return rows.annotate(beat_others=beat_others(account.pk)).values_list(*FIELDS, "beat_others", named=True)


def beat_others(account: UUID) -> Exists:
    """Whether there was a session with the exercise of a row before it, with a best set."""
    return Exists(sessions_before(account).filter(best_weight_kg__isnull=False))


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
    return sessions_found(account, first_sessions(account, WITH_BEST_SET, HEAVIEST), **heaviest)


def first_sessions(account: Account, sessions: str, order: str) -> RawSQL:
    """The ids of the session with each exercise that comes first in an order, of those with a condition."""
    first = FIRST_SESSION.format(sessions=sessions, order=order)
    return RawSQL(EACH_EXERCISE.format(sessions=sessions, found=first), [account.db_pk] * 3)


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


class LiftRecord(NamedTuple):
    """The best session with an exercise, as on screens, and the highest estimated maximum of all sessions.

    `beat_others`: it was not the first one with a best set.
    """

    weight_kg: float
    reps: int
    started_at: datetime.datetime
    workout_id: object
    strongest_kg: float
    beat_others: bool


def lift_records(account: Account, exercise_ids: Collection[str]) -> dict[str, LiftRecord]:
    """The LiftRecord with each of the exercises that has one, by the exercise's id."""
    rows = best_sessions_with(account, exercise_ids).annotate(
        strongest=RawSQL(STRONGEST, [account.db_pk], output_field=FloatField()),
        beat_others=beat_others(account.pk),
    )
    columns = ("weight_kg", "reps", "started_at", "workout_id", "strongest", "beat_others")
    return {
        row.exercise_id: LiftRecord(
            row.weight_kg, row.reps, row.started_at, row.workout_id, round(row.strongest, 1), row.beat_others
        )
        for row in rows.values_list("exercise_id", *columns, named=True)
    }


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
    sessions = account.workout_exercises.filter(exercise=OuterRef("pk"), best_weight_kg__isnull=False)
    heaviest = heaviest_first(sessions)
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids, is_assisted=False)
    # Two look-ups in the index `session_best` for each exercise, however long the history is.
    best = [Subquery(heaviest.values(column)[:1]) for column in ("weight_kg", "reps")]
    rows = exercises.exclude(TIMED).values_list("id", *best)
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


def personal_record_workouts(
    account: Account, exercise: Exercise, sessions: Sequence[SessionRow]
) -> dict[UUID, bool]:
    """The workouts whose best set beat all before it, heavier, or as heavy for more repetitions, and whether
    there was any before it.

    `sessions` are successive ones with the exercise, oldest first.
    """
    before = best_set(account, exercise, sessions[0]) if sessions else None
    found = record_workouts(sessions, before, exercise.is_assisted)
    return {
        session.workout_id: before is not None or number > 0
        for number, session in enumerate(one for one in sessions if one.workout_id in found)
    }


def record_workouts(sessions: Iterable[SessionRow], before: Lift | None, is_assisted: bool) -> set[UUID]:
    """The workouts of `personal_record_workouts`, of sessions `before` which this was the best lift."""
    personal_record = rank(before, is_assisted=is_assisted) if before else NO_LIFT
    workouts = set()
    for session in sessions:
        if session.weight_kg is None or session.reps is None:
            continue
        lift = rank((session.weight_kg, session.reps), is_assisted=is_assisted)
        if lift > personal_record:
            personal_record = lift
            workouts.add(session.workout_id)
    return workouts


def workouts_with_records(account: Account, workout_ids: Collection[UUID], half: Half) -> dict[UUID, bool]:
    """Those of the workouts whose best set beat all earlier ones, and whether there was an earlier one.

    `half` is the one of the history in which the workouts began. Whether a session was beaten is looked up
    from the newest before it in the older half, and in the newer half from the heaviest of all, of assisted
    exercises from the one whose heaviest set has least: so a look-up passes over no more than half of the
    sessions, and over few near the ends.
    """
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), workout__in=workout_ids)
    rows = rows.filter(best_weight_kg__isnull=False).annotate(**best_set_on_screens())
    columns = ("id", "exercise_id", "exercise__is_assisted", "weight_kg", "reps")
    candidates = []
    best: dict[str, Lift] = {}
    for row in rows.order_by("started_at", "workout_id").values_list(*columns, named=True):
        ranked = rank((row.weight_kg, row.reps), is_assisted=row.exercise__is_assisted)
        if ranked > best.get(row.exercise_id, NO_LIFT):
            best[row.exercise_id] = ranked
            candidates.append(row.id)
    unbeaten = unbeaten_sessions(half, account.pk, candidates)
    found: dict[UUID, bool] = {}
    for one in unbeaten:
        found[one.workout_id] = found.get(one.workout_id, False) or one.beat_others
    return found


def unbeaten_sessions(half: Half, account: UUID, ids: Collection[int]) -> QuerySet[WorkoutExercise, Any]:
    """Those of the sessions before which none was as good."""
    heavier = (
        sessions_before(account)
        .filter(
            Q(best_weight_kg__gt=OuterRef("best_weight_kg")) | Q(best_reps__gte=OuterRef("best_reps")),
            best_weight_kg__gte=OuterRef("best_weight_kg"),
        )
        .order_by(*LOOK_UP[half])
    )
    helped = with_as_little_help(account, half)
    beaten_by = Case(
        When(exercise__is_assisted=True, then=Subquery(helped.values("workout")[:1])),
        default=Subquery(heavier.values("workout")[:1]),
    )
    records = WorkoutExercise.objects.filter(OfAccount(account), pk__in=ids)
    records = records.annotate(**best_set_columns(is_assisted=True))
    records = records.annotate(beaten_by=beaten_by).filter(beaten_by=None)
    return records.annotate(beat_others=beat_others(account)).values_list(
        "workout_id", "beat_others", named=True
    )


def sessions_before(account: UUID) -> WorkoutExerciseQuerySet:
    """The sessions with the exercise of an outer row before it."""
    sessions = WorkoutExercise.objects.filter(account=account).sessions_with(OuterRef("exercise"))
    return sessions.filter(
        Q(started_at__lt=OuterRef("started_at")) | Q(workout_id__lt=OuterRef("workout_id")),
        started_at__lte=OuterRef("started_at"),
    )


def with_as_little_help(account: UUID, half: Half) -> WorkoutExerciseQuerySet:
    """The sessions before an outer row with as little help as its `weight_kg` and `reps`, or less."""
    before = sessions_before(account).filter(best_weight_kg__isnull=False)
    as_little = before.annotate(**best_set_columns(is_assisted=True)).filter(
        Q(weight_kg__lt=OuterRef("weight_kg"))
        | Q(weight_kg=OuterRef("weight_kg"), reps__gte=OuterRef("reps"))
    )
    return as_little.order_by(*LOOK_UP_HELP[half])
