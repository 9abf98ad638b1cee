"""The exercises of workouts, a row each.

Stored are the notes, the superset and the sets (JSON text) of an exercise, with account and start of its
workout, so that statistics need no join. Derived from them on every write are the aggregates: completed
sets, volume, best set, least help, and whether the row is the first of its exercise and of its muscle group.
"""

import datetime
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Self, TypedDict
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    Expression,
    F,
    Field,
    FloatField,
    Func,
    OuterRef,
    PositiveIntegerField,
    Q,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce, Length, Replace, Substr
from django.db.models.sql.compiler import SQLCompiler

from fitness.db.constants import adapted_row
from fitness.db.keysets import Keyset
from fitness.db.owned import OfAccount, Owned, OwnedForeignKey
from fitness.db.windows import window
from fitness.json import Fragment, timestamp
from training.models.exercise import Exercise, ExerciseSummary, MuscleGroup
from training.models.sets import MAX_SET_LENGTH, BestSet, WorkoutSet, best_set

SET, DONE = '"completed":', '"completed":true'  # in the JSON of each set, and of one that was done
SESSION_FIELDS = ("workout_id", "started_at", "sets", "session_sets", "best_weight_kg", "best_reps")


class EntryHead(TypedDict):
    """What both kinds of entries of an exercise in a workout have besides the sets."""

    exercise: ExerciseSummary
    notes: str
    superset_id: str | None  # exercises of a workout that share it were done as one superset


class WorkoutEntry(EntryHead):
    """An exercise of a workout as a client has sent it, validated."""

    sets: list[WorkoutSet]


class StoredEntry(EntryHead):
    """An exercise of a workout as its row holds it: the sets are JSON text that nobody parses."""

    sets: Fragment


class ExerciseColumns(TypedDict):
    """The columns of a WorkoutExercise but for those that repeat its workout."""

    exercise_id: str
    position: int
    muscle_group: str
    notes: str
    superset_id: str | None
    sets: str
    session_sets: str | None
    first_of_exercise: bool
    first_of_group: bool
    completed_sets: int
    done_warmups: int
    volume_kg: float
    best_weight_kg: float | None
    best_reps: int | None
    least_help_kg: float | None
    least_help_reps: int | None


class ExerciseRow(ExerciseColumns):
    """All columns of a WorkoutExercise but for the id, which the database makes."""

    workout_id: UUID
    account_id: UUID
    started_at: datetime.datetime


class Session(TypedDict):
    """What an account did with one exercise in one workout, as clients read it."""

    workout_id: str
    started_at: str
    sets: Fragment
    best_set: BestSet | None


# The rows of a JSON list of sets, by which the database reads them.
SET_ROWS = {
    "sqlite": """(SELECT json_extract(value, '$.weight_kg') AS weight_kg,
        json_extract(value, '$.reps') AS reps,
        json_extract(value, '$.completed') AS completed, json_extract(value, '$.type') AS type
        FROM json_each({list})) AS one""",
    "postgresql": """json_to_recordset(({list})::json)
        AS one(weight_kg double precision, reps integer, completed boolean, type text)""",
}
# What is stored of a session, else what its sets have.
LEAST_HELP = """coalesce(
    CASE WHEN {session_sets} IS NULL THEN {stored} END,
    (SELECT {column} FROM {rows} WHERE completed AND type <> 'warmup' AND reps > 0
     ORDER BY weight_kg, reps DESC LIMIT 1)
)"""


class LeastHelp(Func):
    """`weight_kg` or `reps` of the set with the least help of a session: as stored, else as its sets have it.

    Stored is that of one row; of several that are a session, what their first one stores is not read. Without
    are rows of an exercise that has just become an assisted one, until they follow.
    """

    def __init__(self, column: str, stored: str, output_field: "Field[Any, Any]") -> None:
        super().__init__("session_sets", "sets", stored, column=column, output_field=output_field)

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, Sequence[str | int]]:
        columns = (compiler.compile(one)[0] for one in self.get_source_expressions())
        return least_help_sql(self.extra["column"], *columns), ()

    as_sqlite = as_postgresql  # type: ignore[assignment]  # that of the mixin returns a list


def least_help_sql(column: str, session_sets: str, sets: str, stored: str) -> str:
    rows = SET_ROWS[connection.vendor].format(list=f"coalesce({session_sets}, {sets})")
    return LEAST_HELP.format(column=column, session_sets=session_sets, stored=stored, rows=rows)


def best_set_columns(*, is_assisted: bool) -> dict[str, Expression | F]:
    """`weight_kg` and `reps` of the best set of a session, as on screens: of assisted ones the least help."""
    if not is_assisted:
        return {"weight_kg": F("best_weight_kg"), "reps": F("best_reps")}
    return {
        "weight_kg": LeastHelp("weight_kg", "least_help_kg", FloatField()),
        "reps": LeastHelp("reps", "least_help_reps", PositiveIntegerField()),
    }


def occurrences(text: str) -> Expression:
    """How often the sets of a row have a text, which nothing else in them has."""
    return (Length("sets") - Length(Replace("sets", Value(text), Value("")))) / len(text)


# Rows of a session whose least help is not stored, or is although the weight is none.
OTHER_HELP = Q(
    exercise__is_assisted=True, best_weight_kg__isnull=False, session_sets=None, least_help_kg=None
) | Q(exercise__is_assisted=False, least_help_kg__isnull=False)


INSERT_EXERCISE = """INSERT INTO training_workoutexercise (
    workout_id, account_id, exercise_id, started_at, position, muscle_group, notes, superset_id, sets,
    session_sets, first_of_exercise, first_of_group, completed_sets, done_warmups, volume_kg,
    best_weight_kg, best_reps, least_help_kg, least_help_reps
) VALUES (
    %(workout_id)s, %(account_id)s, %(exercise_id)s, %(started_at)s, %(position)s, %(muscle_group)s,
    %(notes)s, %(superset_id)s, %(sets)s, %(session_sets)s, %(first_of_exercise)s, %(first_of_group)s,
    %(completed_sets)s, %(done_warmups)s, %(volume_kg)s, %(best_weight_kg)s, %(best_reps)s,
    %(least_help_kg)s, %(least_help_reps)s
)
"""


def insert_exercises(rows: Iterable[ExerciseRow]) -> None:
    """Stores exercises of workouts, by a constant: of `bulk_create` a POST would take half as much again."""
    values = list(map(adapted_row, rows))
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(INSERT_EXERCISE, values)


class WorkoutExerciseQuerySet(models.QuerySet["WorkoutExercise"]):
    newest_first = Keyset("sessions", "started_at", "workout_id")
    newest_records_first = Keyset("records", "started_at", "id")

    def started(self, since: datetime.datetime | None = None, until: datetime.datetime | None = None) -> Self:
        """Exercises of workouts that started from `since` (inclusive) to `until` (exclusive)."""
        return window(self, "started_at", since, until)

    def sessions_with(self, exercise_id: str | OuterRef | Subquery) -> Self:
        """One row a workout: the first occurrence of the exercise, which has the aggregates of all."""
        return self.filter(exercise_id=exercise_id, first_of_exercise=True)

    def with_first_sets(self, count: int) -> Self:
        """Annotates `first_sets`, the text of its sets, cut off where it is longer than `count` sets.

        The function `first_sets` reads it. A session may have 10,000 sets, which are 700 KB.
        """
        sets = Coalesce("session_sets", "sets")
        return self.annotate(first_sets=Substr(sets, 1, count * MAX_SET_LENGTH))

    def with_done_sets(self) -> Self:
        """Annotates the `done` sets of each row, for `counted`."""
        return self.annotate(done=occurrences(DONE))

    def heads(self, account: UUID, workout_ids: Collection[UUID], count: int) -> Self:
        """The first `count` exercises of each of the account's workouts, in order, with their done sets."""
        rows = self.filter(OfAccount(account), workout__in=workout_ids, position__lt=count)
        return rows.with_done_sets().order_by("workout", "position")


class WorkoutExercise(Owned):
    """One exercise of a workout, with its sets as value objects and what statistics need of them.

    Where an exercise occurs more than once in a workout, the first occurrence carries the
    aggregates of all, and the others none: a session counts once.
    """

    workout = OwnedForeignKey("Workout", on_delete=models.CASCADE, db_index=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="workout_exercises", db_index=False
    )
    exercise = models.ForeignKey(Exercise, on_delete=models.PROTECT, related_name="+", db_index=False)
    started_at = models.DateTimeField()
    position = models.PositiveSmallIntegerField()
    muscle_group = models.CharField(max_length=20, choices=MuscleGroup)
    notes = models.TextField(blank=True)
    superset_id = models.CharField(max_length=200, null=True)
    sets = models.TextField()  # JSON, as clients read it
    session_sets = models.TextField(null=True)  # JSON of all occurrences, on the first of several

    first_of_exercise = models.BooleanField()
    first_of_group = models.BooleanField()  # the first of its muscle group with a completed set
    completed_sets = models.PositiveIntegerField()
    done_warmups = models.PositiveIntegerField(default=0, db_default=0)  # of this row: no merge changes them
    volume_kg = models.FloatField()
    best_weight_kg = models.FloatField(null=True)
    best_reps = models.PositiveIntegerField(null=True)
    # Of the sets of one row with an assisted exercise alone: no merge makes them wrong; see `LeastHelp`.
    least_help_kg = models.FloatField(null=True)
    least_help_reps = models.PositiveIntegerField(null=True)

    first_sets: str  # where `with_first_sets` annotates it

    objects = WorkoutExerciseQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                "account",
                "exercise",
                F("started_at").desc(),
                F("workout").desc(),
                *("best_weight_kg", "best_reps"),  # read off the index alone
                name="session_newest",
                condition=Q(first_of_exercise=True),
            ),
            models.Index(
                "account",
                "exercise",
                F("best_weight_kg").desc(),
                F("best_reps").desc(),
                "started_at",
                "workout",
                name="session_best",
                condition=Q(best_weight_kg__isnull=False),
            ),
            models.Index(
                fields=[
                    *("account", "muscle_group", "started_at"),
                    *("completed_sets", "volume_kg", "first_of_group"),  # read off the index alone
                ],
                name="session_totals",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workout", "position"], name="workout_exercise_position"),
        ]

    def __str__(self) -> str:
        return f"{self.exercise_id} of {self.workout_id}"

    @property
    def entry(self) -> StoredEntry:
        """With the exercise that was kept, where this one was merged into another."""
        return {
            "exercise": self.exercise.kept,
            "notes": self.notes,
            "superset_id": self.superset_id,
            "sets": Fragment(self.sets),
        }

    @property
    def parsed_entry(self) -> WorkoutEntry:
        return {**self.entry, "sets": orjson.loads(self.sets)}


def first_sets(text: str, count: int) -> tuple[list[WorkoutSet], bool]:
    """Up to `count` sets of a text of `with_first_sets`, and whether the session has more."""
    is_cut = not text.endswith("]")  # no set holds a bracket
    sets = orjson.loads(text[: text.rindex("}") + 1] + "]" if is_cut else text)
    return sets[:count], is_cut or len(sets) > count


def session(row: WorkoutExercise) -> Session:
    """One session of an exercise's history (`Session` in the OpenAPI document)."""
    return {
        "workout_id": str(row.workout_id),
        "started_at": timestamp(row.started_at),
        "sets": Fragment(row.session_sets or row.sets),
        "best_set": best_set(row.best_weight_kg, row.best_reps),
    }
