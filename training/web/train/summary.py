"""What a workout was, compared with the last time: for the page after the finish."""

from typing import Any, TypedDict

import orjson

from accounts.models import Account
from training import stats
from training.models import Workout
from training.models.sets import Lift, best_lift, volume_kg
from training.models.workout import DocumentEntry, WorkoutDocument
from training.models.workout_exercise import first_sets

SETS = 100  # compared of a session


class ComparedExercise(TypedDict):
    """An exercise of the workout, and the same in the session before; `last` is None for the first one."""

    exercise_id: str
    name: str
    sets: int
    best: Lift | None
    last: Lift | None
    volume_kg: float
    last_volume_kg: float | None
    is_record: bool


def summary(account: Account, workout: Workout) -> dict[str, Any]:
    """{completed_sets, exercises, records}. The number of statements does not depend on the workout."""
    document: WorkoutDocument = orjson.loads(workout.document)
    entries = joined(document["exercises"])
    until = workout.started_at
    last = stats.recent_sessions(account, set(entries), 1, SETS, until)
    records = stats.best_sets_before(account, set(entries), until)
    compared = []
    for exercise_id, entry in entries.items():
        before = first_sets(last[exercise_id][0].first_sets, SETS)[0] if exercise_id in last else None  # type: ignore[attr-defined]  # annotated by recent_sessions
        best = best_lift(entry["sets"])
        record = records.get(exercise_id)
        compared.append(
            ComparedExercise(
                exercise_id=exercise_id,
                name=entry["name"],
                sets=sum(one["completed"] for one in entry["sets"]),
                best=best,
                last=best_lift(before) if before else None,
                volume_kg=volume_kg(entry["sets"]),
                last_volume_kg=volume_kg(before) if before else None,
                is_record=best is not None and record is not None and best > record,
            )
        )
    return {
        "completed_sets": sum(one["sets"] for one in compared),
        "exercises": compared,
        "records": [one for one in compared if one["is_record"]],
    }


def joined(entries: list[DocumentEntry]) -> dict[str, DocumentEntry]:
    """The entries by exercise, in the order of their first occurrence, with the sets of all."""
    found: dict[str, DocumentEntry] = {}
    for entry in entries:
        if entry["exercise_id"] in found:
            found[entry["exercise_id"]]["sets"] += entry["sets"]
        else:
            found[entry["exercise_id"]] = entry
    return found
