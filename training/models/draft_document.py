"""The document of a workout that is under way.

Times are texts in UTC with milliseconds, as browsers write them (`2026-11-22T18:30:00.000Z`): they compare as
texts. What was removed stays, with the time of it, so that an older copy of another device does not bring it
back. Lists are in the order of `order`, then `uid`.
"""

import datetime
from collections.abc import Iterable, Iterator
from typing import Any, NotRequired, TypedDict, TypeVar

from training.models.sets import NotedOfSet
from training.models.timed import Measure, TimedSet


class LineOfDraft(TypedDict):
    """Sets that are asked for alike; of the last one as many repetitions as possible where it is `open`."""

    sets: int
    reps: int
    weight_kg: float
    open: NotRequired[bool]


class TargetOfDraft(LineOfDraft):
    """What a routine or a plan asks for of an exercise.

    A wave has `lines`, where the sets of a day are not alike, and says which `week` it is of how many.
    """

    lines: NotRequired[list[LineOfDraft]]
    note: NotRequired[str]  # the remark of the plan or routine
    week: NotRequired[int]
    weeks: NotRequired[int]
    is_deload: NotRequired[bool]  # the week is lighter
    is_fixed: NotRequired[bool]  # no rule moves it
    reason: NotRequired[str]  # added for who reads it: `targets_in_words` (training/drafts/start.py)


class DraftSet(NotedOfSet):
    """A set; done if `done_at` is a time. What is measured of it is None until somebody enters it.

    `seconds` and `distance_km` are those of an exercise that is not measured by repetitions; a page may leave
    them out.
    """

    uid: str
    order: float
    type: str  # a SetType
    weight_kg: float | None
    reps: int | None
    seconds: NotRequired[int | None]
    distance_km: NotRequired[float | None]
    done_at: str | None
    changed_at: str
    removed_at: str | None


class DraftExercise(TypedDict):
    """`changed_at` is of everything but the sets, which have their own. Rests and setup are as in Habit."""

    uid: str
    exercise_id: str
    order: float
    measure: str  # a Measure
    rest_seconds: int
    rests_in_superset: bool
    setup: str
    notes: str
    superset_id: str | None
    changed_at: str
    removed_at: str | None
    sets: list[DraftSet]


class DraftDocument(TypedDict):
    """`changed_at` is of title and notes; the rest of the head never changes."""

    id: str
    started_at: str
    title: str
    notes: str
    changed_at: str
    plan_id: str | None
    routine_id: str | None
    exercises: list[DraftExercise]


ENTRY = "entry:"  # no id of an exercise has a colon


def entry_key(uid: str) -> str:
    """The key of the target that is of one DraftExercise alone: a lift may be asked for several times."""
    return ENTRY + uid


Element = TypeVar("Element", DraftSet, DraftExercise)


def moment(time: datetime.datetime) -> str:
    """A time as the document has it."""
    return f"{time.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"


def listed(elements: Iterable[Element]) -> list[Element]:
    """Those that were not removed, in their order."""
    rows: Any = elements  # mypy looks up keys of a TypedDict by literals only
    return sorted(
        (one for one in rows if one["removed_at"] is None), key=lambda one: (one["order"], one["uid"])
    )


def timed_set(one: DraftSet) -> TimedSet:
    return {
        "seconds": one.get("seconds"),
        "distance_km": one.get("distance_km"),
        "weight_kg": one["weight_kg"],
    }


def is_lifted(one: DraftSet) -> bool:
    return one["weight_kg"] is not None and one["reps"] is not None


def has_time(one: DraftSet) -> bool:
    """Whether it has a time or a distance."""
    return one.get("seconds") is not None or one.get("distance_km") is not None


def is_timed(exercise: DraftExercise, one: DraftSet) -> bool:
    """Whether it becomes a time or a distance, and not a set with repetitions."""
    return has_time(one) and (exercise["measure"] != Measure.REPS or not is_lifted(one))


def done_sets(document: DraftDocument) -> Iterator[tuple[DraftExercise, DraftSet]]:
    """Yields each set that was done, with its exercise."""
    for exercise in listed(document["exercises"]):
        for one in listed(exercise["sets"]):
            if one["done_at"]:
                yield exercise, one
