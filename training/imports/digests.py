"""What makes two workouts the same to an import: exercises and sets. Their start is compared besides."""

import hashlib
from collections.abc import Iterable, Sequence

import orjson

from training.models.sets import WorkoutSet
from training.models.workout_exercise import WorkoutExercise
from training.models.workout_values import WorkoutValues


def digest_of_values(values: WorkoutValues) -> str:
    return digest((entry["exercise"].id, entry["sets"]) for entry in values["exercises"])


def digest_of_rows(rows: Iterable[WorkoutExercise]) -> str:
    """The digest of a stored workout by its rows in order, of which `exercise_id` and `sets` are read."""
    return digest((row.exercise_id, orjson.loads(row.sets)) for row in rows)


def digest(exercises: Iterable[tuple[str, Sequence[WorkoutSet]]]) -> str:
    """Equal for the same exercises in the same order with the same sets: kind, kg to 0.01 and repetitions."""
    found = [
        (exercise_id, [(one["type"], round(one["weight_kg"] * 100), one["reps"]) for one in sets])
        for exercise_id, sets in exercises
    ]
    return hashlib.sha256(orjson.dumps(found)).hexdigest()
