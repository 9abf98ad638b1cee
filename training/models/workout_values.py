"""What a client has sent of a workout, and what is derived from it for the rows of its exercises."""

import datetime
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NotRequired, TypedDict
from uuid import UUID

from fitness.json import dumps
from training.models.progression_step import ReadPlan
from training.models.sets import WorkoutSet, best_lift, done_sets, lifts_of, volume_kg
from training.models.workout_exercise import ExerciseColumns, WorkoutEntry

# Bytes of a row, its index entries, and its share of the document besides the texts; an estimate.
ROW_BYTES = 500


class WorkoutValues(TypedDict):
    """A workout that a client has sent, validated: the WRITABLE fields and the exercises in order."""

    title: str
    notes: str
    started_at: datetime.datetime
    duration_seconds: int
    plan_id: UUID | None
    plan_name: str | None
    exercises: list[WorkoutEntry]
    # The plan as it was read if it has rules, else None; left out by what has not read it.
    read_plan: NotRequired[ReadPlan | None]


def exercise_columns(entries: Sequence[WorkoutEntry]) -> Iterator[ExerciseColumns]:
    """Yields the columns of the row of each entry of a workout, in their order."""
    sets_of: dict[str, list[list[WorkoutSet]]] = {}
    for entry in entries:
        sets_of.setdefault(entry["exercise"].id, []).append(entry["sets"])
    groups: set[str] = set()  # with a completed set
    for position, entry in enumerate(entries):
        exercise = entry["exercise"]
        occurrences = sets_of.pop(exercise.id, [])
        session_sets = [one for sets in occurrences for one in sets]
        completed = sum(map(itemgetter("completed"), session_sets))
        lifts = lifts_of(session_sets)
        best_weight_kg, best_reps = best_lift(lifts) or (None, None)
        has_help = len(occurrences) == 1 and exercise.is_assisted
        least_help = best_lift(lifts, is_assisted=True) if has_help else None
        least_help_kg, least_help_reps = least_help or (None, None)
        yield {
            "exercise_id": exercise.id,
            "position": position,
            "muscle_group": exercise.muscle_group,
            "notes": entry["notes"],
            "superset_id": entry["superset_id"],
            "sets": dumps(entry["sets"]).decode(),
            "session_sets": dumps(session_sets).decode() if len(occurrences) > 1 else None,
            "first_of_exercise": bool(occurrences),
            "first_of_group": completed > 0 and exercise.muscle_group not in groups,
            "completed_sets": completed,
            "done_warmups": done_sets(entry["sets"], "").warmups,
            "volume_kg": volume_kg(lifts),
            "best_weight_kg": best_weight_kg,
            "best_reps": best_reps,
            "least_help_kg": least_help_kg,
            "least_help_reps": least_help_reps,
        }
        if completed:
            groups.add(exercise.muscle_group)


def bytes_of(texts: Sequence[str | None], rows: Sequence[ExerciseColumns]) -> int:
    """Bytes that a workout with these texts and the rows of its exercises take in the database, estimated.

    Only what its owner sends counts, not the names of exercises and plans, so that it changes with a
    replacement alone. Texts count twice, because rows and document both hold them.
    """
    twice = [*texts]
    for row in rows:
        twice += [row["notes"], row["superset_id"], row["sets"]]
    once = [row["session_sets"] for row in rows]
    return ROW_BYTES * (1 + len(rows)) + 2 * utf8_bytes(twice) + utf8_bytes(once)


def utf8_bytes(texts: Sequence[str | None]) -> int:
    return len("".join(filter(None, texts)).encode())
