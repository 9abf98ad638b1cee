"""A workout as another app has it: the payload of a Candidate, in JSON values."""

from typing import NotRequired, TypedDict


class SourceSet(TypedDict, total=False):
    """What one row says of a set. What the row does not say is left out."""

    reps: float
    weight: float  # negative where it is help
    unit: str  # "kg" or "lb", where the file says it
    seconds: int
    distance: str  # with its unit, where the file says it: "5.2 km"
    kind: str  # WARMUP, FAILURE or DROP; others are left out
    rpe: float
    notes: str
    is_planned: bool  # it was not done


class SourceExercise(TypedDict):
    """An exercise with the rows that the source lists under it."""

    name: str
    notes: list[str]
    superset: str | None
    sets: list[SourceSet]
    lines: list[int]  # of the file, one for each of the sets


class SourceWorkout(TypedDict):
    start: str  # as Moments.read returns it
    end: NotRequired[str]
    seconds: NotRequired[int]  # where the file has no end
    title: str
    notes: list[str]
    plan_name: str | None
    exercises: list[SourceExercise]


WARMUP, FAILURE, DROP = "warmup", "failure", "drop"  # kinds of sets that are no ordinary ones
