"""Steps and rules in plain English, in the unit of the account.

A reason is made when it is read, not stored: the account may change its unit and its time zone.
"""

import datetime

from fitness.web.days import format_day_of_month
from fitness.web.units import to_unit
from training.progression.loading import Loading
from training.progression.rules import Double, Effort, Linear, Rule, Stages, Wave, judged_line
from training.progression.sessions import Lift, usual_weight_kg
from training.progression.steps import Step
from training.progression.targets import State, is_heavier

TIMES = {1: "once", 2: "twice", 3: "three times", 4: "four times", 5: "five times"}


def reason(step: Step, unit: str, zone: datetime.tzinfo | None = None) -> str:
    """Why a target is what it is: "up from 60: 4 × 6 done on 9 Nov"; in a zone, or in that of the step."""
    return Reason(step, unit, step.at.astimezone(zone) if zone else step.at).text()


class Reason:
    def __init__(self, step: Step, unit: str, at: datetime.datetime) -> None:
        self.step, self.unit, self.day = step, unit, format_day_of_month(at)
        self.before, self.after = step.before.target, step.after.target

    def text(self) -> str:
        match self.step.kind:
            case "progressed":
                return f"up from {self.size(self.step.before)}: {self.done()} on {self.day}"
            case "held":
                return f"held: {self.why()}"
            case "moved":
                return f"moved from {self.size(self.step.before)} to what was lifted: {self.why()}"
            case "next_stage":
                return f"{self.after.sets} × {self.after.reps} now: {self.why()}"
            case "next_week":
                return f"week {self.step.after.week + 1} now: {self.done()} on {self.day}"
            case "deloaded":
                return f"down to {self.size(self.step.after)}{self.first_stage()}: {self.why_less()}"
            case "held_by_you":
                return f"held by you on {self.day}"

    def shown(self, kg: float) -> str:
        return str(to_unit(kg, self.unit))

    def size(self, state: State) -> str:
        """What differs between the targets: the training max, the weight or the repetitions."""
        if state.training_max_kg:
            return f"a training max of {self.shown(state.training_max_kg)}"
        if is_heavier(self.before.weight_kg, self.after.weight_kg) or is_heavier(
            self.after.weight_kg, self.before.weight_kg
        ):
            return "no weight" if state.target.is_weightless else self.shown(state.target.weight_kg)
        return reps_text(state.target.reps)

    def first_stage(self) -> str:
        is_reset = self.step.before.stage != self.step.after.stage
        return f" and {self.after.sets} × {self.after.reps}" if is_reset else ""

    def done(self) -> str:
        """What was lifted, with its weight if that was not the one asked for."""
        if self.step.after.training_max_kg:
            return self.best()
        weight_kg = usual_weight_kg(self.step.lifts)
        weight = f" with {self.shown(weight_kg)}" if is_heavier(weight_kg, self.before.weight_kg) else ""
        reps = min(self.before.reps, min(lift.reps for lift in self.step.lifts))
        return f"{self.before.sets} × {reps}{weight} done{self.rpe()}"

    def best(self) -> str:
        """The set that a wave is judged by: with the weight that was asked or more, else the heaviest."""
        best = max(self.step.lifts, key=self.worth)
        return f"{best.reps} of {self.before.reps} with {self.shown(best.weight_kg)}"

    def worth(self, lift: Lift) -> tuple[bool, float, int]:
        is_as_asked = not is_heavier(self.before.weight_kg, lift.weight_kg)
        return is_as_asked and lift.reps >= self.before.reps, lift.weight_kg, lift.reps

    def rpe(self) -> str:
        rpe = self.step.lifts[-1].rpe
        return f" at RPE {rpe:g}" if self.step.why == "effort" and rpe is not None else ""

    def why(self) -> str:
        match self.step.why:
            case "lighter" | "heavier":
                return (
                    f"{self.all_reps()} with {self.weights()} instead of {self.shown(self.before.weight_kg)}"
                )
            case "effort":
                return self.done()
            case "no_rpe":
                return "the last set has no RPE"
            case "no_weight":
                return "no weight was written"
            case "most" | "done":
                return f"{self.done()}, and its rule goes no further"
            case "least":
                return f"{self.all_reps()}, and it is the least already"
            case "missed":
                return self.all_reps()

    def why_less(self) -> str:
        state = self.step.before
        if state.training_max_kg:
            return self.best()
        if state.misses and self.step.why != "effort":
            return f"missed {TIMES.get(state.misses + 1, f'{state.misses + 1} times')}"
        return self.why()

    def all_reps(self) -> str:
        """The repetitions beside those that were asked for: "6, 6, 4 of 6", "6, 6 of 4 × 6"."""
        lifts, target = self.step.lifts, self.before
        asked = str(target.reps) if len(lifts) == target.sets else f"{target.sets} × {target.reps}"
        is_light = any(is_heavier(target.weight_kg, lift.weight_kg) for lift in lifts)
        weights = f" with {self.weights()}" if is_light and self.step.why == "missed" else ""
        return f"{', '.join(str(lift.reps) for lift in lifts)} of {asked}{weights}"

    def weights(self) -> str:
        """The weight of all sets, or that of each."""
        shown = [self.shown(lift.weight_kg) for lift in self.step.lifts]
        return shown[0] if len(set(shown)) == 1 else ", ".join(shown)


def reps_text(reps: int) -> str:
    return f"{reps} rep{'s' * (reps != 1)}"


def sentence(rule: Rule, loading: Loading) -> str:
    """The rule in one line: "+2.5 kg a session"; waves that share a training max are one rule."""
    unit = loading.unit
    more = f"+{loading.increment:g} {unit}"
    match rule:
        case Linear():
            return f"{more if loading.increment else '+1 rep'} a session"
        case Double():
            then = f", then {more}" if loading.increment else ""
            return f"{rule.reps_from} to {rule.reps_to} reps{then}"
        case Effort():
            step = f"{loading.increment:g} {unit}" if loading.increment else "1 rep"
            return f"+{step} up to RPE {rule.rpe_up:g}, as much less above RPE {rule.rpe_down:g}"
        case Stages():
            listed = ", ".join(f"{stage.sets} × {stage.reps}" for stage in rule.stages)
            return f"{more} a session in {listed}, then {rule.reset_percent:g} %"
        case Wave():
            training_max_kg = rule.training_max_kg
            of = f" of {to_unit(training_max_kg, unit)} {unit}" if training_max_kg else ""
            return f"{wave_name(rule)}{of}, {more} a cycle"


def wave_name(rule: Wave) -> str:
    """The repetitions of its weeks: "5/3/1"."""
    lines = [judged_line(rule, week) or lines[-1] for week, lines in enumerate(rule.weeks)]
    return "/".join(str(line.reps) for line in lines)
