"""What a rule would do: in the next sessions (preview), and in the past ones (back-test)."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, replace

from training.plans.loading import Loading, is_heavier
from training.plans.rules import Effort, Rule, State, Target, Wave, current_targets, in_week
from training.plans.steps import (
    Kind,
    LoggedSet,
    Session,
    Step,
    step,
    usual_weight_kg,
)

SESSIONS = 12
MISSED_EVERY = 3


@dataclass(frozen=True)
class Forecast:
    """The targets of a future session, and what the rule does to them after it."""

    number: int  # from 1
    targets: tuple[Target, ...]
    is_missed: bool
    kind: Kind


@dataclass(frozen=True)
class Tested:
    """A past session, and the targets that the rule would have set for it."""

    session: Session
    targets: tuple[Target, ...]
    step: Step | None  # None in a deload week, or where no working set was completed

    @property
    def steps_down(self) -> bool:
        return self.step is not None and self.step.kind == "deloaded"

    @property
    def asked_for_more(self) -> bool:
        """Whether the weight that was lifted, its sets or its repetitions were below the target."""
        if self.step is None:
            return False
        lifts, target = self.step.lifts, self.step.before.target
        if len(self.targets) > 1 or target.open:  # a wave is judged by one line, in any of the sets
            return not any(
                lift.reps >= target.reps and not is_heavier(target.weight_kg, lift.weight_kg)
                for lift in lifts
            )
        weight_kg = usual_weight_kg(lifts)
        if is_heavier(weight_kg, target.weight_kg):
            return False
        is_short = len(lifts) < target.sets or any(lift.reps < target.reps for lift in lifts)
        return is_short or is_heavier(target.weight_kg, weight_kg)


def preview(rule: Rule, state: State, loading: Loading, *, with_misses: bool = False) -> list[Forecast]:
    """The next twelve sessions, if all is done, or if every third is missed by one repetition."""
    found = []
    for number in range(1, SESSIONS + 1):
        targets = current_targets(rule, state, loading)
        is_missed = with_misses and number % MISSED_EVERY == 0
        made = step(rule, state, imagined(rule, targets, is_missed), loading)
        assert made  # an imagined session has sets
        found.append(Forecast(number, targets, is_missed, made.kind))
        state = made.after
    return found


def imagined(rule: Rule, targets: Iterable[Target], is_missed: bool) -> Session:
    """A session that does what the targets ask; `is_missed` leaves one repetition of each last set out."""
    rpe = rule.rpe_up if isinstance(rule, Effort) else None
    sets: list[LoggedSet] = []
    for target in targets:
        counts = [target.reps] * target.sets
        counts[-1] = max(counts[-1] - is_missed, 0)
        for reps in counts:
            one: LoggedSet = {
                "type": "working",
                "weight_kg": target.weight_kg,
                "reps": reps,
                "completed": True,
                "rpe": rpe,
            }
            sets.append(one)
    return Session("", datetime.datetime.min, sets)


def back_test(rule: Rule, state: State, sessions: Iterable[Session], loading: Loading) -> list[Tested]:
    """Applies a rule to all past sessions, beginning with the weight of the first of them.

    People lifted without this rule: where they lifted more than it asks, the target moves to that weight.
    """
    # The first session sets the weight or the training max.
    if isinstance(rule, Wave):
        state = in_week(rule, 0, 0, 0, loading)
    else:
        state = replace(state, target=replace(state.target, weight_kg=0), misses=0)
    tested = []
    for session in sorted(sessions, key=lambda one: (one.at, one.workout_id)):
        made = step(rule, state, session, loading)
        tested.append(Tested(session, current_targets(rule, state, loading), made))
        state = made.after if made else state
    return tested
