"""How the rows and documents of stored workouts follow the catalogue and the deletion of plans."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID

from django.db import connection
from django.db.models import F

from accounts.models import Account, AccountState
from fitness.db.owned import OfAccount
from training.models.batches import change_in_batches
from training.models.exercise import summaries_of
from training.models.progression_step import ProgressionStep
from training.models.workout import Workout, WorkoutQuerySet
from training.models.workout_exercise import StoredEntry, WorkoutExercise
from training.models.workout_values import exercise_columns

# What the row of an exercise derives from its sets, the catalogue, and the other exercises of its workout.
DERIVED = (
    *("exercise_id", "muscle_group", "session_sets", "first_of_exercise", "first_of_group"),
    *("completed_sets", "volume_kg", "best_weight_kg", "best_reps", "least_help_kg", "least_help_reps"),
)


def refresh_documents(workouts: WorkoutQuerySet) -> int:
    """Brings what is derived (muscle groups, documents) in line with rows and catalogue.

    A workout that reads differently then has changed: it takes a change stamp. Returns how many.
    """
    return change_in_batches(workouts, render_batch)


def render_batch(account: Account, ids: list[UUID]) -> int:
    """Derives the rows of a locked account's workouts from sets and catalogue, and renders the documents.

    Returns how many documents that changed. The account's limit of storage does not count here: where staff
    have merged two exercises of a workout, their session takes some more bytes.
    """
    workouts = list(account.workouts.filter(pk__in=ids))
    rows_of = exercises_of(account, workouts)
    corrected: list[WorkoutExercise] = []
    columns: set[str] = set()  # that differ in a row: a statement sets each of them in all
    changed: dict[Workout, list[StoredEntry]] = {}
    added_bytes = 0
    for workout in workouts:
        known_bytes, entries = workout.stored_bytes, [row.entry for row in rows_of[workout.pk]]
        for row, differing in derive(workout, rows_of[workout.pk]):
            corrected.append(row)
            columns |= differing
        if workout.document != workout.rendered(entries):
            changed[workout] = entries
            added_bytes += workout.stored_bytes - known_bytes
    if corrected:
        account.workout_exercises.bulk_update(corrected, columns)
    for (workout, entries), stamp in zip(changed.items(), account.stamp(len(changed)), strict=True):
        workout.render(entries, stamp)
    account.workouts.bulk_update(changed, ["document", "updated_at", "stored_bytes"])
    if added_bytes:
        AccountState.objects.filter(account=account).update(stored_bytes=F("stored_bytes") + added_bytes)
    return len(changed)


def derive(
    workout: Workout, rows: Sequence[WorkoutExercise]
) -> Iterator[tuple[WorkoutExercise, AbstractSet[str]]]:
    """Sets a workout's stored bytes, and the DERIVED columns of its rows.

    Yields the rows that changed, each with the names of the columns that did.
    """
    columns_of = list(exercise_columns([row.parsed_entry for row in rows]))
    workout.stored_bytes = workout.bytes_with(columns_of)
    for row, columns in zip(rows, columns_of, strict=True):
        values = {name: value for name, value in columns.items() if name in DERIVED}
        differing = {name: value for name, value in values.items() if getattr(row, name) != value}
        for name, value in differing.items():
            setattr(row, name, value)
        if differing:
            yield row, differing.keys()


def detach_plan(account: Account, ids: list[UUID]) -> int:
    """Removes the plan from some of a locked account's workouts. They keep its name, and count as changed.

    Returns how many documents that changed.
    """
    steps = ProgressionStep.objects.of_workouts(account.pk, ids).filter(routine=None)
    steps._raw_delete(connection.alias)
    account.workouts.filter(pk__in=ids).update(plan=None)
    return render_batch(account, ids)


def exercises_of(account: Account, workouts: Sequence[Workout]) -> dict[UUID, list[WorkoutExercise]]:
    """The rows of the account's workouts in their order, with name and muscle group, by the workout's id."""
    stored = WorkoutExercise.objects.filter(OfAccount(account.pk), workout__in=workouts)
    rows = list(stored.order_by("workout", "position"))
    exercises = summaries_of(account, {row.exercise_id for row in rows})
    found: dict[UUID, list[WorkoutExercise]] = {workout.pk: [] for workout in workouts}
    for row in rows:
        row.exercise = exercises[row.exercise_id]
        found[row.workout_id].append(row)
    return found
