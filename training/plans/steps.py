"""Sessions and steps: what was lifted of an exercise in a workout, and what that did to its target."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self, TypedDict

from training.plans.loading import TOLERANCE_KG, Loading, is_heavier
from training.plans.rules import (
    MAX_REPS,
    Double,
    Effort,
    Linear,
    Rule,
    Stages,
    State,
    Target,
    Wave,
    at_stage,
    in_week,
    judged_line,
)

WARMUP = "warmup"
RESET_PERCENT = 90  # of a training max whose open set missed its repetitions


class LoggedSet(TypedDict):
    """A WorkoutSet (training/models/sets.py); that module cannot be imported without the models."""

    type: str
    weight_kg: float
    reps: int
    completed: bool
    rpe: float | None


class LiftedSet(NamedTuple):
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
    forgives_untried: bool = False  # sets that are missing were not tried, which is no miss

    def first_lifts(self, most: int) -> tuple[LiftedSet, ...]:
        first = worked(self.sets)[:most]
        return tuple(LiftedSet(one["weight_kg"], one["reps"], one["rpe"]) for one in first)


def worked(sets: Iterable[LoggedSet]) -> list[LoggedSet]:
    """The completed working sets with a repetition, in their order.

    Where none has one, these are failed attempts, and all of them count.
    """
    done = [one for one in sets if one["completed"] and one["type"] != WARMUP]
    return [one for one in done if one["reps"]] or done


# `lighter`: with less weight than asked. `heavier`: with more, and no set reached the repetitions.
# `untried`: missed by nothing but sets that were not tried; a miss where the session does not forgive that.
# `no_weight`: with a bar, and nobody wrote what was on it.
Result = Literal["done", "missed", "untried", "lighter", "heavier", "no_weight"]


@dataclass(frozen=True)
class Judged:
    """A session compared to a target, which has moved to what was lifted if that was heavier."""

    state: State
    lifts: tuple[LiftedSet, ...]
    result: Result
    is_moved: bool = False

    @property
    def weakest(self) -> int:
        return min(lift.reps for lift in self.lifts)


def judge(state: State, lifts: tuple[LiftedSet, ...], loading: Loading, moved_reps: int) -> Judged:
    """Compares lifts, of which there are at most as many as the target has sets, and at least one.

    A target that moves has `moved_reps`. It moves only if one set reached them: a heavy single says little
    about the weight for sets of five.
    """
    weight_kg = usual_weight_kg(lifts)
    loaded_kg = loading.round_down(weight_kg)
    is_moved = is_heavier(loaded_kg, state.target.weight_kg)
    if is_moved:
        if all(lift.reps < max(moved_reps, 1) or is_heavier(weight_kg, lift.weight_kg) for lift in lifts):
            return Judged(state, lifts, "heavier")
        state = replace(state, target=replace(state.target, weight_kg=loaded_kg, reps=moved_reps), misses=0)
    return Judged(state, lifts, compare(state, lifts, weight_kg, loading), is_moved)


def compare(state: State, lifts: tuple[LiftedSet, ...], weight_kg: float, loading: Loading) -> Result:
    target = state.target
    if loading.bar and target.is_weightless:
        return "no_weight"
    if is_heavier(target.weight_kg, weight_kg):
        return "lighter"
    reached = (
        lift.reps >= target.reps and not is_heavier(target.weight_kg, lift.weight_kg) for lift in lifts
    )
    if not all(reached):
        return "missed"
    return "done" if len(lifts) == target.sets else "untried"


def usual_weight_kg(lifts: Sequence[LiftedSet]) -> float:
    """The weight of most lifts, of equally many the lower one."""
    weights = [lift.weight_kg for lift in lifts]

    def frequency(weight_kg: float) -> int:
        return sum(abs(other - weight_kg) <= TOLERANCE_KG for other in weights)

    return max(weights, key=lambda weight_kg: (frequency(weight_kg), -weight_kg))


# What became of the target:
# progressed    more weight, repetitions or training max
# held          the same again; a miss may have been counted
# moved         to what was lifted, which was more than asked, and held there
# next_stage    the same weight in the next stage
# next_week     the next week of a wave, with the same training max
# deloaded      less weight, repetitions or training max
# held_by_you   would have changed, but the person has switched that off
Kind = Literal["progressed", "held", "moved", "next_stage", "next_week", "deloaded", "held_by_you"]
STAYS = ("held", "held_by_you")  # those that ask for the same again
# Besides the result: `effort` is the RPE of the last set, `no_rpe` that it has none, `most` that the target
# is as high as its rule goes, `least` that it is as low as can be loaded.
Why = Result | Literal["effort", "no_rpe", "most", "least"]


class Outcome(NamedTuple):
    kind: Kind
    state: State
    why: Why


@dataclass(frozen=True)
class Step:
    """What one session did to one target. `lifts` are those sets that were judged."""

    workout_id: str
    at: datetime.datetime
    kind: Kind
    why: Why
    lifts: tuple[LiftedSet, ...]
    before: State
    after: State

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "at": self.at.isoformat(),
            "lifts": [list(lift) for lift in self.lifts],
            "before": self.before.to_json(),
            "after": self.after.to_json(),
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        return cls(
            **{
                **stored,
                "at": datetime.datetime.fromisoformat(stored["at"]),
                "lifts": tuple(LiftedSet(*lift) for lift in stored["lifts"]),
                "before": State.from_json(stored["before"]),
                "after": State.from_json(stored["after"]),
            }
        )


def step(rule: Rule, state: State, session: Session, loading: Loading) -> Step | None:
    """What a session did to a target. None in a deload week, and where no working set was completed.

    An exercise that was skipped says nothing about strength, so it is not a miss.
    """
    asked = sum(one.sets for one in rule.weeks[state.week]) if isinstance(rule, Wave) else state.target.sets
    lifts = session.first_lifts(asked)
    if session.is_deload or not lifts:
        return None
    is_short = session.forgives_untried and len(lifts) < asked
    if isinstance(rule, Wave):
        outcome = wave(rule, state, lifts, loading, is_short=is_short)
    else:
        outcome = of_one_target(rule, state, lifts, loading, is_short=is_short)
    if session.is_held and replace(outcome.state, misses=state.misses) != state:
        outcome = Outcome("held_by_you", state, outcome.why)
    return Step(session.workout_id, session.at, outcome.kind, outcome.why, lifts, state, outcome.state)


def of_one_target(
    rule: Linear | Double | Effort | Stages,
    state: State,
    lifts: tuple[LiftedSet, ...],
    loading: Loading,
    *,
    is_short: bool,
) -> Outcome:
    moved_reps = rule.reps_from if isinstance(rule, Double) else state.target.reps
    judged = judge(state, lifts, loading, moved_reps)
    if judged.result in ("heavier", "no_weight"):
        return Outcome("held", state, judged.result)
    if judged.result == "untried" and is_short:
        return settled(Outcome("held", judged.state, "untried"), judged)
    if judged.result == "untried":
        judged = replace(judged, result="missed")
    match rule:
        case Linear():
            outcome = linear(rule, judged, loading)
        case Double():
            outcome = double(rule, judged, loading)
        case Effort():
            outcome = effort(rule, judged, loading)
        case Stages():
            outcome = stages(rule, judged, loading)
    return settled(outcome, judged)


def settled(outcome: Outcome, judged: Judged) -> Outcome:
    """The outcome, with its kind corrected by what has changed in the target.

    Somebody who lifted more than the target does not get a lower one: a target that moved stays there.
    """
    moved = judged.state
    is_same = outcome.state.target == moved.target
    if judged.is_moved and outcome.kind == "held":
        return outcome._replace(kind="moved")
    if judged.is_moved and outcome.kind == "deloaded":
        return Outcome("moved", replace(moved, misses=int(judged.result != "done")), outcome.why)
    if is_same and outcome.kind in ("progressed", "deloaded"):
        why: Why = "most" if outcome.kind == "progressed" else "least"
        return Outcome("moved" if judged.is_moved else "held", outcome.state, why)
    return outcome


def linear(rule: Linear, judged: Judged, loading: Loading) -> Outcome:
    if judged.result != "done":
        return missed(rule, judged, loading)
    return progressed(harder(judged.state.target, judged, loading))


def double(rule: Double, judged: Judged, loading: Loading) -> Outcome:
    if judged.result != "done":
        return missed(rule, judged, loading)
    target = judged.state.target
    if judged.weakest < rule.reps_to:
        return progressed(with_reps(target, max(target.reps + 1, judged.weakest)))
    if not loading.increment:
        return progressed(with_reps(target, rule.reps_to))
    return progressed(with_reps(with_weight(target, loading.add(target.weight_kg)), rule.reps_from))


def missed(rule: Linear | Double, judged: Judged, loading: Loading) -> Outcome:
    """The same again; after as many misses in a row as the rule has, the deload."""
    misses = judged.state.misses + 1
    if misses < rule.misses:
        return Outcome("held", replace(judged.state, misses=misses), judged.result)
    target, bottom = judged.state.target, rule.reps_from if isinstance(rule, Double) else 1
    if target.is_weightless:
        target = with_reps(target, max(int(target.reps * rule.deload_percent / 100), bottom))
    else:
        target = with_weight(target, loading.take_percent(target.weight_kg, rule.deload_percent))
        target = with_reps(target, bottom) if isinstance(rule, Double) else target
    return Outcome("deloaded", State(target), judged.result)


def effort(rule: Effort, judged: Judged, loading: Loading) -> Outcome:
    if judged.result != "done":
        return Outcome("deloaded", eased(judged.state, loading), judged.result)
    rpe = judged.lifts[-1].rpe
    if rpe is None:
        return Outcome("held", State(judged.state.target), "no_rpe")
    if rpe > rule.rpe_down:
        return Outcome("deloaded", eased(judged.state, loading), "effort")
    if rpe > rule.rpe_up:
        return Outcome("held", State(judged.state.target), "effort")
    return Outcome("progressed", State(harder(judged.state.target, judged, loading)), "effort")


def harder(target: Target, judged: Judged, loading: Loading) -> Target:
    """An increment more, without weight one repetition more than the target or the weakest set had."""
    if loading.increment and not target.is_weightless:
        return with_weight(target, loading.add(target.weight_kg))
    return with_reps(target, max(target.reps, judged.weakest) + 1)


def eased(state: State, loading: Loading) -> State:
    """An increment less, without weight one repetition."""
    target = state.target
    if loading.increment and not target.is_weightless:
        return State(with_weight(target, loading.subtract(target.weight_kg)))
    return State(with_reps(target, max(target.reps - 1, 1)))


def stages(rule: Stages, judged: Judged, loading: Loading) -> Outcome:
    state, weight_kg = judged.state, judged.state.target.weight_kg
    if judged.result == "done":
        return Outcome("progressed", at_stage(rule, state.stage, loading.add(weight_kg)), "done")
    if state.stage + 1 < len(rule.stages):
        return Outcome("next_stage", at_stage(rule, state.stage + 1, weight_kg), judged.result)
    reset_kg = loading.take_percent(weight_kg, rule.reset_percent)
    return Outcome("deloaded", at_stage(rule, 0, reset_kg), judged.result)


def wave(
    rule: Wave, state: State, lifts: tuple[LiftedSet, ...], loading: Loading, *, is_short: bool
) -> Outcome:
    """The next week, and after the last one the next training max.

    The same week again where `is_short` and the judged set was not tried. A heavier set than that of the
    judged line with as many repetitions first moves the training max.
    """
    misses, training_max_kg = state.misses, state.training_max_kg
    result: Result = "done"
    if line := judged_line(rule, state.week):
        reached = [lift.weight_kg for lift in lifts if lift.reps >= line.reps]
        best_kg = loading.round_down(max(reached, default=0))
        if is_heavier(best_kg, state.target.weight_kg):
            training_max_kg = max(training_max_kg, loading.round_down(best_kg * 100 / line.percent))
        is_done = bool(reached) and not is_heavier(state.target.weight_kg, max(reached))
        if is_short and all(is_heavier(state.target.weight_kg, lift.weight_kg) for lift in lifts):
            return Outcome("held", state, "untried")
        misses, result = int(not is_done), "done" if is_done else "missed"
    if loading.bar and not training_max_kg:
        return Outcome("held", state, "no_weight")
    return after_week(rule, replace(state, misses=misses, training_max_kg=training_max_kg), result, loading)


def after_week(rule: Wave, state: State, result: Result, loading: Loading) -> Outcome:
    week, training_max_kg = state.week + 1, state.training_max_kg
    if week < len(rule.weeks):
        return Outcome("next_week", in_week(rule, week, training_max_kg, state.misses, loading), result)
    kind: Kind
    if state.misses:
        kind, training_max_kg = "deloaded", loading.take_percent(training_max_kg, RESET_PERCENT)
    else:
        kind, training_max_kg = "progressed", loading.plus(training_max_kg)
    if training_max_kg == state.training_max_kg:  # the bar alone, or an increment of nothing
        kind = "next_week"
    return Outcome(kind, in_week(rule, 0, training_max_kg, 0, loading), "missed" if state.misses else "done")


def progressed(target: Target) -> Outcome:
    """The target without a memory of misses."""
    return Outcome("progressed", State(target), "done")


def with_weight(target: Target, weight_kg: float) -> Target:
    return replace(target, weight_kg=weight_kg)


def with_reps(target: Target, reps: int) -> Target:
    return replace(target, reps=min(reps, MAX_REPS))
