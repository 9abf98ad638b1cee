"""The document of a workout: what the JSON text that clients read holds.

`Workout.rendered` writes it.
"""

from typing import TypedDict

from fitness.json import dumps
from training.models.exercise import Exercise
from training.models.sets import WorkoutSet


class EntryOfWorkout(TypedDict):
    """What was done of one exercise in a workout."""

    exercise_id: str
    notes: str
    superset_id: str | None
    sets: list[WorkoutSet]


class DocumentEntry(EntryOfWorkout):
    """An exercise of a workout as clients read it."""

    name: str
    muscle_group: str


class WorkoutDocument(TypedDict):
    """What the `document` of a workout holds as text: `Workout` in the OpenAPI document."""

    id: str
    title: str
    notes: str
    started_at: str
    duration_seconds: int
    volume_kg: float
    plan_id: str | None
    plan_name: str | None
    exercises: list[DocumentEntry]
    created_at: str
    updated_at: str


def document_part(exercise: Exercise) -> str:
    """The part of a document that shows the exercise, as Workout.rendered writes it."""
    shown = {"exercise_id": exercise.pk, "name": exercise.name, "muscle_group": exercise.muscle_group}
    return dumps(shown).decode()[1:-1]
