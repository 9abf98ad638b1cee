"""Planned exercises: what routines and the days of plans store, as the JSON that clients read.

Stored is each entry whole. Derived in it are the exercise's name, muscle group and equipment, which follow
the catalogue (`rename`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypedDict

from training.models.exercise import Exercise, ExerciseSummary
from training.models.sets import counts_as_work, lifts_of
from training.models.timed import timed_sets
from training.models.workout_document import DocumentEntry


class PlannedTarget(TypedDict):
    """The sets to do of an exercise, the repetitions in each, a load, and a remark."""

    sets: int
    reps: int
    weight_kg: float
    note: str


class ExerciseTarget(PlannedTarget):
    exercise_id: str


class PlannedExercise(ExerciseTarget):
    """An exercise of a routine or of a plan's day, as it is stored and as clients read it."""

    name: str
    muscle_group: str
    equipment: str


class PlanDay(TypedDict):
    """One day of a plan's week, as it is stored and as clients read it."""

    weekday: int  # 1 (Monday) to 7 (Sunday); ROUTINE_DAY of the one day of a routine
    label: str
    focus: str
    rest: bool
    exercises: list[PlannedExercise]


Catalogue = Mapping[str, Exercise]  # by id; an id of a merged exercise leads to the one that is kept


def planned(exercise: ExerciseSummary, target: PlannedTarget) -> PlannedExercise:
    """A target with its exercise; that of an entry as the exercise is called now."""
    return {
        **target,
        "exercise_id": exercise.id,
        "name": exercise.name,
        "muscle_group": exercise.muscle_group,
        "equipment": exercise.equipment,
    }


def renamed(entries: Iterable[PlannedExercise], catalogue: Catalogue) -> list[PlannedExercise]:
    """Entries as `catalogue` names them; an exercise that it does not have stays as it is."""
    found = [(entry, catalogue.get(entry["exercise_id"])) for entry in entries]
    return [planned(exercise, entry) if exercise else entry for entry, exercise in found]


def targets_of(entries: Iterable[DocumentEntry]) -> list[ExerciseTarget]:
    """The targets to repeat a workout. Exercises of which nothing was done are left out.

    As many sets as were completed, of the usual repetitions (the most frequent, of equals the most) with the
    heaviest load. Times and distances are in the note; where they are all, or there are attempts alone, a set
    has one repetition.
    """
    targets: list[ExerciseTarget] = []
    for entry in entries:
        others = [*timed_sets(entry["notes"]), *filter(counts_as_work, entry["sets"])]
        if done := lifts_of(entry["sets"]) or [(0.0, 1) for _ in others]:
            frequency = Counter(reps for _, reps in done)
            targets.append(
                {
                    "exercise_id": entry["exercise_id"],
                    "sets": len(done),
                    "reps": max(frequency, key=lambda reps: (frequency[reps], reps)),
                    "weight_kg": max(weight_kg for weight_kg, _ in done),
                    "note": entry["notes"],
                }
            )
    return targets


def ordered(entries: Iterable[PlannedExercise]) -> list[PlannedExercise]:
    """Entries with their fields in one order, which PostgreSQL does not keep."""
    return [
        {
            "exercise_id": entry["exercise_id"],
            "name": entry["name"],
            "muscle_group": entry["muscle_group"],
            "equipment": entry["equipment"],
            "sets": entry["sets"],
            "reps": entry["reps"],
            "weight_kg": entry["weight_kg"],
            "note": entry["note"],
        }
        for entry in entries
    ]


def ordered_days(days: Iterable[PlanDay]) -> list[PlanDay]:
    """Days with their fields, and those of their exercises, in one order."""
    return [
        {
            "weekday": day["weekday"],
            "label": day["label"],
            "focus": day["focus"],
            "rest": day["rest"],
            "exercises": ordered(day["exercises"]),
        }
        for day in days
    ]
