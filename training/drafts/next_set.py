"""Which set of a workout under way comes next, for an alarm at the end of the rest."""

from collections.abc import Iterable
from typing import TypeVar

from training.models.draft_document import DraftDocument, DraftExercise, DraftSet
from training.models.sets import SetNumber, SetType, set_numbers

E = TypeVar("E", DraftExercise, DraftSet)


def next_set(document: DraftDocument) -> tuple[str, SetNumber] | None:
    """The id of its exercise, and what screens call it; None where all sets are done.

    It follows the set that was done last. The exercises of a superset take turns.
    """
    exercises = shown(document["exercises"])
    last = max(exercises, key=last_done, default=None)
    if last is None:
        return None
    for exercise in in_turn(exercises, last):
        sets = shown(exercise["sets"])
        numbers = set_numbers(one["type"] == SetType.WARMUP for one in sets)
        for one, number in zip(sets, numbers, strict=True):
            if not one["done_at"]:
                return exercise["exercise_id"], number
    return None


def shown(elements: Iterable[E]) -> list[E]:
    """Those that were not removed, in their order."""
    left = (one for one in elements if not one["removed_at"])
    return sorted(left, key=lambda one: (one["order"], one["uid"]))


def last_done(exercise: DraftExercise) -> str:
    return max((one["done_at"] or "" for one in shown(exercise["sets"])), default="")


def in_turn(exercises: list[DraftExercise], last: DraftExercise) -> list[DraftExercise]:
    """The exercises in the order in which they come after a set of the last one."""
    superset = last["superset_id"]
    mates = [one for one in exercises if one is last or (superset and one["superset_id"] == superset)]
    after_mate, after = mates.index(last) + 1, exercises.index(last) + 1
    return [*mates[after_mate:], *mates[:after_mate], *exercises[after:], *exercises[:after]]
