"""A workout as another app has it: the payload of a Candidate, in JSON values.

Sets to failure and drop sets are working sets here, and two lines at the end of an exercise's notes. Imports
write these lines, and exports in the forms of other apps read them back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from training.models.sets import SetNumber, SetType, WorkoutSet, set_numbers


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

Marked = tuple[str, Mapping[int, str]]  # notes without the lines, and FAILURE or DROP by the places of sets
NUMBERS = r"([0-9]{1,4}(?:, [0-9]{1,4})*)"
# What the lines begin with, for one set and for several.
FAILURES, DROPS = ("Failure in set", "Failure in sets"), ("Drop set", "Drop sets")


def marking_lines(failures: Sequence[int], drops: Sequence[int]) -> Iterator[str]:
    """The lines about sets with these numbers."""
    for beginnings, numbers in ((FAILURES, failures), (DROPS, drops)):
        if numbers:
            yield f"{beginnings[len(numbers) > 1]} {listed(numbers)}"


def marked(notes: str, sets: Sequence[WorkoutSet]) -> Marked:
    """The notes without the lines, and what they say of the sets.

    Lines that an import of the result would not write for the same sets stay.
    """
    own = notes.split("\n")
    drops, failures = taken(own, DROPS), taken(own, FAILURES)
    rest = "\n".join(own)
    places = {number: place for place, number in enumerate(numbers_of(sets), 1)}
    kinds = {
        places.get(number, 0): kind
        for numbers, kind in ((failures, FAILURE), (drops, DROP))
        for number in numbers
    }
    is_same = (
        "\n".join([*own, *marking_lines(failures, drops)]) == notes
        and (not own or rest.strip() == rest != "")
        and len(kinds) == len(failures) + len(drops)
        and all(is_done(sets, place) for place in kinds)
    )
    return (rest, kinds) if kinds and is_same else (notes, {})


def sets_at(numbers: Sequence[SetNumber]) -> str:
    return f"Set {numbers[0]}" if len(numbers) == 1 else f"Sets {listed(numbers)}"


def listed(numbers: Sequence[SetNumber]) -> str:
    return ", ".join(map(str, numbers))


def taken(lines: list[str], beginnings: tuple[str, str]) -> list[int]:
    """The numbers that the last line names, which is taken away; none if it is not such a line."""
    match = re.fullmatch(rf"(?:{'|'.join(beginnings)}) {NUMBERS}", lines[-1]) if lines else None
    if not match:
        return []
    lines.pop()
    return [int(number) for number in match[1].split(", ")]


def numbers_of(sets: Sequence[WorkoutSet]) -> Iterator[SetNumber]:
    return set_numbers(one["type"] == SetType.WARMUP for one in sets)


def is_done(sets: Sequence[WorkoutSet], place: int) -> bool:
    """Whether exports hold a working set at the place: they leave out sets that were not done."""
    is_there = 1 <= place <= len(sets) and all(one["completed"] for one in sets[:place])
    return is_there and sets[place - 1]["type"] != SetType.WARMUP
