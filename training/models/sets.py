"""Sets as clients read them, and what is computed from a list of them: volume, best set, one-rep maximum.

A set has no row of its own: the sets of an exercise are stored as JSON in its WorkoutExercise.
"""

import itertools
import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple, TypedDict

from django.db import models

from training.models.timed import NOTES, timed_sets

Lift = tuple[float, int]  # (weight_kg, reps) of a set: of two, the greater is the better one


class SetType(models.TextChoices):
    WARMUP = "warmup"
    WORKING = "working"


SetNumber = int | Literal["W"]


def set_numbers(are_warmups: Iterable[bool]) -> Iterator[SetNumber]:
    """What screens call the sets of an exercise: working sets count from 1, a warm-up is a W.

    As setNames (training/static/training/train/state.js) and `number` (training/static/editor.js).
    """
    numbers = itertools.count(1)
    return ("W" if is_warmup else next(numbers) for is_warmup in are_warmups)


class WorkoutSet(TypedDict):
    """One set of an exercise, done or (`completed` is False) only planned."""

    type: str  # a SetType
    weight_kg: float
    reps: int
    completed: bool
    rpe: float | None  # rate of perceived exertion, 0 to 10


class DoneSets(NamedTuple):
    """How many sets were done, as screens count them: warm-ups are none of the `sets`, a time held is one."""

    sets: int
    warmups: int

    def plus(self, other: "DoneSets") -> "DoneSets":
        return DoneSets(self.sets + other.sets, self.warmups + other.warmups)


class BestSet(TypedDict):
    """The best set of a session, as clients read it."""

    weight_kg: float
    reps: int
    estimated_1rm_kg: float


class DoneSession(TypedDict):
    """Those sets of a session that count as work, and the best lift of them."""

    sets: list[WorkoutSet]
    best: Lift | None


class LastSets:
    """The sets that were done in the last session with an exercise, in their order, without attempts."""

    def __init__(self, sets: Iterable[WorkoutSet]) -> None:
        done = [one for one in sets if one["completed"] and one["reps"]]
        self.of_type = {kind: [one for one in done if one["type"] == kind] for kind in SetType}
        self.taken = dict.fromkeys(SetType, 0)

    def take(self, kind: str) -> WorkoutSet | None:
        """The next set of a SetType; the last one, if there were fewer; None if there was none."""
        sets, index = self.of_type[SetType(kind)], self.taken[SetType(kind)]
        self.taken[SetType(kind)] += 1
        return sets[min(index, len(sets) - 1)] if sets else None


def counts_as_work(one: WorkoutSet) -> bool:
    """Whether a set counts as one that was worked: completed, and not a warm-up."""
    return one["completed"] and one["type"] != SetType.WARMUP


def done_sets(sets: Iterable[WorkoutSet], notes: str) -> DoneSets:
    """Those of an exercise, with the times and distances in its notes."""
    done = [one for one in sets if one["completed"]]
    return counted(len(done), sum(one["type"] == SetType.WARMUP for one in done), notes)


def counted(completed: int, warmups: int, notes: str) -> DoneSets:
    """As `done_sets`; `completed` are the sets with repetitions, warm-ups among them."""
    return DoneSets(completed - warmups + len(timed_sets(notes[:NOTES])), warmups)


def lifts_of(sets: Iterable[WorkoutSet]) -> list[Lift]:
    """The lifts of the sets that count as work, in their order.

    A set of 0 repetitions is an attempt: it counts as completed, and is the best of nothing.
    """
    return [(one["weight_kg"], one["reps"]) for one in sets if counts_as_work(one) and one["reps"]]


def shown_volume(kg: float) -> float:
    """A volume to 2 decimals. To 6 first: by what order it was added up, a tie must not go up or down."""
    return round(round(kg, 6), 2)


def volume_kg(lifts: Iterable[Lift]) -> float:
    """The sum of weight_kg × reps, in kg and unrounded."""
    return math.fsum([weight_kg * reps for weight_kg, reps in lifts])


def best_lift(lifts: Iterable[Lift], *, is_assisted: bool = False) -> Lift | None:
    """The heaviest lift, or that with least help, of equals the one with most reps; None without one."""
    return max(lifts, key=partial(rank, is_assisted=is_assisted), default=None)


def rank(lift: Lift, *, is_assisted: bool) -> Lift:
    """What lifts are compared by, where the weight of an assisted one is help: the greater is the better."""
    weight_kg, reps = lift
    return (-weight_kg, reps) if is_assisted else lift


def best_set(weight_kg: float | None, reps: int | None) -> BestSet | None:
    """The best set of a session, from the columns that hold it; both are None without a lift."""
    if weight_kg is None or reps is None:
        return None
    return {
        "weight_kg": weight_kg,
        "reps": reps,
        "estimated_1rm_kg": estimated_1rm_kg(weight_kg, reps),
    }


def estimated_1rm_kg(weight_kg: float, reps: int) -> float:
    """The one-rep maximum in kg by Epley's formula (1985), weight × (1 + reps / 30), to one decimal."""
    return round(weight_kg * (1 + reps / 30), 1)
