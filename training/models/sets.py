"""Sets as clients read them, and what is computed from a list of them: volume, best set, one-rep maximum.

A set has no row of its own: the sets of an exercise are stored as JSON in its WorkoutExercise.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypedDict, cast

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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


REQUIRED = object()


@dataclass(frozen=True, kw_only=True)
class SetField:
    """A value of a set, declared once in SET_FIELDS.

    Serializers, limits of imports and columns of exports are made from all of these. Forms, pages, Train and
    imports show and read a value that is only noted, as the rpe, by its declaration alone. A new one is a row
    here, a line of NotedOfSet, its label in `locale`, and a migration for the sets that are stored.
    """

    name: str
    holds: type[float | str]  # bool, int, float, str, or choices
    help_text: str
    most: int = 0  # of a number, which is never negative; of a text its characters
    pattern: str = ""  # of a text: a regular expression without quotes, backslashes and brackets
    default: object = REQUIRED  # None for a value that is only noted
    label: str | Promise = ""
    mark: str = "{}"  # how it is written behind the lift: "@8"
    offered: tuple[float | str, ...] = ()  # in Train, by a touch; without, it is typed

    @property
    def is_number(self) -> bool:
        return self.holds is not str

    @property
    def length(self) -> int:
        """How many characters it has at most in the JSON of a set, with its name."""
        if self.holds is bool:
            value = len("false")
        elif issubclass(self.holds, models.TextChoices):
            value = max(map(len, self.holds.values)) + len('""')
        else:
            value = {int: len(str(self.most)), float: 24, str: self.most + len('""')}[self.holds]
        return len(f'"{self.name}":,') + value

    def takes(self, value: float | str) -> bool:
        """Whether a value of a file may be stored."""
        if isinstance(value, str):
            return len(value) <= self.most and bool(re.fullmatch(self.pattern, value))
        return 0 <= value <= self.most

    def marked(self, text: str) -> str:
        return self.mark.format(text)


SET_FIELDS = (
    SetField(
        name="type",
        holds=SetType,
        default="working",
        help_text="Warm-ups count neither toward volume nor records.",
    ),
    SetField(name="weight_kg", holds=float, most=2000, help_text="Load in kg; 0 for body weight alone."),
    SetField(name="reps", holds=int, most=10_000, help_text="Repetitions."),
    SetField(
        name="completed",
        holds=bool,
        default=True,
        help_text="False for a set that was planned but not done.",
    ),
    SetField(
        name="rpe",
        holds=float,
        most=10,
        default=None,
        help_text="Rate of perceived exertion, 0 to 10; null when not noted.",
        label=_("RPE"),
        mark="@{}",
        offered=(6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10),
    ),
)
NOTED_FIELDS = tuple(one for one in SET_FIELDS if one.default is None)
MAX_SET_LENGTH = len("{},") + sum(one.length for one in SET_FIELDS)  # characters of JSON


class NotedOfSet(TypedDict):
    """What may be noted of a set besides its numbers; None where nothing was."""

    rpe: float | None


NOTHING_NOTED = cast(NotedOfSet, {one.name: None for one in NOTED_FIELDS})


class WorkoutSet(NotedOfSet):
    """One set of an exercise, done or (`completed` is False) only planned. For the values see SET_FIELDS."""

    type: str
    weight_kg: float
    reps: int
    completed: bool


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


def is_just_done(one: WorkoutSet) -> bool:
    """Whether a set says no more than that it was done: so clients of the API log what is held for a time."""
    return one["weight_kg"] == 0 and one["reps"] == 1


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
