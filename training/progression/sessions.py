"""What was lifted of one exercise in one workout, and how it compares to what was asked."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypedDict

from training.progression.loading import Loading
from training.progression.targets import TOLERANCE_KG, State, is_heavier

WARMUP = "warmup"


class LoggedSet(TypedDict):
    """A WorkoutSet (training/models/sets.py); that module cannot be imported without the models."""

    type: str
    weight_kg: float
    reps: int
    completed: bool
    rpe: float | None


class Lift(NamedTuple):
    weight_kg: float
    reps: int
    rpe: float | None


@dataclass(frozen=True)
class Session:
    """The sets of one exercise (of one group of entries) in one workout."""

    workout_id: str
    at: datetime.datetime  # in the account's zone: reasons name its day
    sets: Sequence[LoggedSet]
    is_deload: bool = False  # in a deload week of the plan
    is_held: bool = False  # the person has switched the change of the target off

    @property
    def lifts(self) -> tuple[Lift, ...]:
        """The completed working sets in their order."""
        done = (one for one in self.sets if one["completed"] and one["type"] != WARMUP)
        return tuple(Lift(one["weight_kg"], one["reps"], one["rpe"]) for one in done)


# `lighter`: with less weight than asked. `heavier`: with more, and no set reached the repetitions.
# `no_weight`: with a bar, and nobody wrote what was on it.
Result = Literal["done", "missed", "lighter", "heavier", "no_weight"]


@dataclass(frozen=True)
class Judged:
    """A session beside a target, which has moved to what was lifted if that was heavier."""

    state: State
    lifts: tuple[Lift, ...]
    result: Result
    is_moved: bool = False

    @property
    def weakest(self) -> int:
        return min(lift.reps for lift in self.lifts)


def judge(state: State, lifts: tuple[Lift, ...], loading: Loading, moved_reps: int) -> Judged:
    """Compares the first lifts, as many as the target has sets; there is at least one.

    A target that moves asks for `moved_reps`. It moves only if one set reached them: a heavy single in place
    of sets of five is not what next time's sets of five are made of.
    """
    lifts = lifts[: state.target.sets]
    weight_kg = usual_weight_kg(lifts)
    loaded_kg = loading.round_down(weight_kg)
    is_moved = is_heavier(loaded_kg, state.target.weight_kg)
    if is_moved:
        if all(lift.reps < max(moved_reps, 1) or is_heavier(weight_kg, lift.weight_kg) for lift in lifts):
            return Judged(state, lifts, "heavier")
        state = replace(state, target=replace(state.target, weight_kg=loaded_kg, reps=moved_reps), misses=0)
    return Judged(state, lifts, compare(state, lifts, weight_kg, loading), is_moved)


def compare(state: State, lifts: tuple[Lift, ...], weight_kg: float, loading: Loading) -> Result:
    target = state.target
    if loading.bar and target.is_weightless:
        return "no_weight"
    if is_heavier(target.weight_kg, weight_kg):
        return "lighter"
    reached = (
        lift.reps >= target.reps and not is_heavier(target.weight_kg, lift.weight_kg) for lift in lifts
    )
    return "done" if len(lifts) == target.sets and all(reached) else "missed"


def usual_weight_kg(lifts: Sequence[Lift]) -> float:
    """The weight of most lifts, of equally many the lower one."""
    weights = [lift.weight_kg for lift in lifts]

    def frequency(weight_kg: float) -> int:
        return sum(abs(other - weight_kg) <= TOLERANCE_KG for other in weights)

    return max(weights, key=lambda weight_kg: (frequency(weight_kg), -weight_kg))
