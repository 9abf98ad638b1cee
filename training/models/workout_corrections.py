"""How the rows and documents of stored workouts follow the catalogue and the deletion of plans."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F

from accounts.models import Account, AccountState
from fitness.db.owned import OfAccount
from training.models.batches import change_in_batches
from training.models.exercise import Exercise, summaries_of
from training.models.progression_step import ProgressionStep
from training.models.workout import Workout, WorkoutQuerySet
from training.models.workout_exercise import (
    OTHER_HELP,
    WorkoutExercise,
    best_columns,
)
from training.models.workout_values import is_first_of_group

# The columns of a WorkoutExercise that exercises_of reads.
RENDERED = ("account_id", "workout_id", "exercise_id", "position", "notes", "superset_id", "sets")
# The columns of a Workout whose texts bytes_of counts, with what it counted last.
COUNTED = ("account_id", "title", "notes", "plan_name", "stored_bytes")
# The columns of a WorkoutExercise that depend on the other exercises of its workout.
SESSION = (
    *("muscle_group", "session_sets", "first_of_exercise", "first_of_group"),
    *("completed_sets", "volume_kg", "best_weight_kg", "best_reps", "least_help_kg", "least_help_reps"),
)


def refresh_documents(workouts: WorkoutQuerySet) -> int:
    """Brings what is derived (muscle groups, documents) in line with rows and catalogue.

    A workout that reads differently then has changed: it takes a change stamp. Returns how many.
    """
    return change_in_batches(workouts, render_batch)


def render_batch(account: Account, ids: list[UUID]) -> int:
    """Corrects the rows of a locked account's workouts, and renders the documents again.

    Returns how many documents that changed.
    """
    workouts = list(account.workouts.filter(pk__in=ids))
    grouped = grouped_by_workout(account, workouts)
    exercises = summaries_of(account, {row.exercise_id for rows in grouped.values() for row in rows})
    correct_rows(account, grouped, {pk: exercise.kept for pk, exercise in exercises.items()})
    correct_bests(account, ids)
    entries = {pk: [row.entry for row in rows] for pk, rows in exercises_of(account, workouts).items()}
    changed = [workout for workout in workouts if workout.document != workout.rendered(entries[workout.pk])]
    for workout, stamp in zip(changed, account.stamp(len(changed)), strict=True):
        workout.render(entries[workout.pk], stamp)
    account.workouts.bulk_update(changed, ["document", "updated_at"])
    return len(changed)


def detach_plan(account: Account, ids: list[UUID]) -> int:
    """Removes the plan from some of a locked account's workouts. They keep its name, and count as changed.

    Returns how many documents that changed.
    """
    steps = ProgressionStep.objects.of_workouts(account.pk, ids).filter(routine=None)
    steps._raw_delete(connection.alias)
    account.workouts.filter(pk__in=ids).update(plan=None)
    return render_batch(account, ids)


class GroupedRow(NamedTuple):
    """The columns of a WorkoutExercise that correct_rows reads."""

    id: int
    workout_id: UUID
    exercise_id: str
    muscle_group: str
    completed_sets: int
    first_of_group: bool


def grouped_by_workout(account: Account, workouts: Sequence[Workout]) -> dict[UUID, list[GroupedRow]]:
    """The rows of the account's workouts in their order, by the workout's id."""
    found: dict[UUID, list[GroupedRow]] = {}
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), workout__in=workouts)
    rows = rows.order_by("workout", "position")
    for row in map(GroupedRow._make, rows.values_list(*GroupedRow._fields)):
        found.setdefault(row.workout_id, []).append(row)
    return found


def correct_rows(account: Account, rows_of: dict[UUID, list[GroupedRow]], kept: dict[str, Exercise]) -> None:
    """Gives the rows of a locked account's workouts the muscle groups of the catalogue, and the ids of the
    exercises that were kept of merged ones.

    `kept` has, by the id in the rows, the exercise that the catalogue keeps; where it has none, the row is
    taken to be right.
    """
    corrected = [row for rows in rows_of.values() for row in corrections(account, rows, kept)]
    account.workout_exercises.bulk_update(corrected, ["exercise", "muscle_group", "first_of_group"])
    join_sessions(account, [workout for workout, rows in rows_of.items() if has_merged(rows, kept)])


def corrections(
    account: Account, rows: Sequence[GroupedRow], kept: dict[str, Exercise]
) -> Iterator[WorkoutExercise]:
    """Yields those of a workout's rows, in their order, that differ from the catalogue, with its values."""
    groups: set[str] = set()
    for row in rows:
        exercise = kept.get(row.exercise_id)
        exercise_id = exercise.pk if exercise else row.exercise_id
        muscle_group = exercise.muscle_group if exercise else row.muscle_group
        is_first = is_first_of_group(muscle_group, row.completed_sets, groups)
        shown = (row.exercise_id, row.muscle_group, row.first_of_group)
        if shown != (exercise_id, muscle_group, is_first):
            yield WorkoutExercise(
                pk=row.id,
                account_id=account.pk,
                exercise_id=exercise_id,
                muscle_group=muscle_group,
                first_of_group=is_first,
            )


def correct_bests(account: Account, workout_ids: Sequence[UUID]) -> None:
    """Makes best sets and least help again in the rows of a locked account's workouts where others are stored
    than the sets have.
    """
    rows = account.workout_exercises.filter(workout__in=workout_ids, first_of_exercise=True)
    found: dict[bool, list[int]] = {}
    for pk, is_assisted in rows.filter(OTHER_HELP).values_list("pk", "exercise__is_assisted"):
        found.setdefault(is_assisted, []).append(pk)
    for is_assisted, ids in found.items():
        wrong = WorkoutExercise.objects.filter(OfAccount(account.pk), pk__in=ids)
        wrong.update(**best_columns(is_assisted=is_assisted))


def has_merged(rows: Sequence[GroupedRow], kept: dict[str, Exercise]) -> bool:
    """Whether several exercises of a workout are one by now."""
    ids = {row.exercise_id for row in rows}
    return len({kept[pk].pk if pk in kept else pk for pk in ids}) < len(ids)


def join_sessions(account: Account, workout_ids: Sequence[UUID]) -> None:
    """Makes one session of the rows of an exercise in workouts where a merge made it occur several times.

    The account's limit of storage does not count here: staff have merged exercises, and such a session takes
    some more bytes.
    """
    if not workout_ids:
        return
    joined = list(Workout.objects.filter(OfAccount(account.pk), pk__in=workout_ids).only(*COUNTED))
    rows_of = exercises_of(account, joined)
    known_bytes = sum(workout.stored_bytes for workout in joined)
    repeated: list[WorkoutExercise] = []
    for workout in joined:
        rows = rows_of[workout.pk]
        workout.derive(rows)
        times = Counter(row.exercise_id for row in rows)
        repeated += [row for row in rows if times[row.exercise_id] > 1]
    account.workout_exercises.bulk_update(repeated, SESSION)
    account.workouts.bulk_update(joined, ["stored_bytes"])
    added = sum(workout.stored_bytes for workout in joined) - known_bytes
    AccountState.objects.filter(account=account).update(stored_bytes=F("stored_bytes") + added)


def exercises_of(account: Account, workouts: Sequence[Workout]) -> dict[UUID, list[WorkoutExercise]]:
    """The rows of the account's workouts in their order, with name and muscle group, by the workout's id."""
    stored = WorkoutExercise.objects.filter(OfAccount(account.pk), workout__in=workouts)
    rows = list(stored.only(*RENDERED).order_by("workout", "position"))
    exercises = summaries_of(account, {row.exercise_id for row in rows})
    found: dict[UUID, list[WorkoutExercise]] = {workout.pk: [] for workout in workouts}
    for row in rows:
        row.exercise = exercises[row.exercise_id]
        found[row.workout_id].append(row)
    return found
