"""Targets, rules and steps in plain words, in the unit of the account.

The API and the tools have no language, so theirs are English. A reason is made when it is read, not stored:
the account may change its unit, its time zone and its language.
"""

import datetime

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fitness.web.days import format_day_of_month
from fitness.web.units import MINUS, to_unit
from training.plans.forecasts import imagined
from training.plans.loading import TOLERANCE_KG, Loading, is_heavier
from training.plans.rules import (
    Double,
    Effort,
    Linear,
    Rule,
    Stages,
    State,
    Target,
    Wave,
    current_targets,
    judged_line,
)
from training.plans.steps import LiftedSet, Step, step, usual_weight_kg


def target_text(target: Target, unit: str) -> str:
    """Such as "4 × 6 at 62.5 kg"; "1 × 5+" where the last set is for as many repetitions as possible."""
    reps = f"{target.sets} × {target.reps}{'+' * target.open}"
    if target.is_weightless:
        return reps
    weight = f"{local(to_unit(target.weight_kg, unit))} {unit}"
    return _("%(reps)s at %(weight)s") % {"reps": reps, "weight": weight}


def then_in_words(rule: Rule, state: State, target: Target, loading: Loading) -> str:
    """What comes after a target: "Then +2.5 kg", "Last set as many as are clean. Then +5 kg"."""
    said = {"then": what_follows(rule, state, loading)}
    if not target.open:
        return _("Then %(then)s") % said
    if target.sets == 1:
        return _("As many as are clean. Then %(then)s") % said
    return _("Last set as many as are clean. Then %(then)s") % said


def what_follows(rule: Rule, state: State, loading: Loading) -> str:
    """What changes after a session in which everything is done: "+5 kg", "+1 rep", "week 2 of 4"."""
    made = step(rule, state, imagined(rule, current_targets(rule, state, loading), is_missed=False), loading)
    assert made  # an imagined session has sets
    if isinstance(rule, Wave):
        return next_week(rule, state, made.after, loading.unit)
    more = difference(state.target, made.after.target, loading.unit)
    if isinstance(rule, Effort) and made.kind == "progressed":
        rpe = local(f"{rule.rpe_up:g}")
        return _("%(more)s at RPE %(rpe)s or less") % {"more": more, "rpe": rpe}
    return more


def next_week(rule: Wave, before: State, after: State, unit: str) -> str:
    count = {"week": after.week + 1, "weeks": len(rule.weeks)}
    change_kg = after.training_max_kg - before.training_max_kg
    if abs(change_kg) <= TOLERANCE_KG:
        return _("week %(week)s of %(weeks)s") % count
    change = signed(change_kg, unit)  # less after an open set that missed its repetitions
    return _("week %(week)s of %(weeks)s, training max %(change)s") % {**count, "change": change}


def difference(before: Target, after: Target, unit: str) -> str:
    if is_heavier(after.weight_kg, before.weight_kg):
        more = signed(after.weight_kg - before.weight_kg, unit)
        if after.reps == before.reps:
            return more
        return _("%(more)s with %(reps)s") % {"more": more, "reps": reps_text(after.reps)}
    if after.reps > before.reps:
        return f"+{reps_text(after.reps - before.reps)}"
    return _("the same again")


def signed(kg: float, unit: str) -> str:
    return f"{MINUS if kg < 0 else '+'}{local(to_unit(abs(kg), unit))} {unit}"


def reason(step: Step, unit: str, zone: datetime.tzinfo | None = None) -> str:
    """Why a target is what it is: "up from 60: 4 × 6 done on 9 Nov"; in a zone, or in that of the step."""
    return Reason(step, unit, step.at.astimezone(zone) if zone else step.at).text()


class Reason:
    def __init__(self, step: Step, unit: str, at: datetime.datetime) -> None:
        self.step, self.unit, self.day = step, unit, format_day_of_month(at)
        self.before, self.after = step.before.target, step.after.target

    def text(self) -> str:
        after_text = f"{self.after.sets} × {self.after.reps}"
        match self.step.kind:
            case "progressed":
                said = _("up from %(before)s: %(done)s on %(day)s")
                return said % {"before": self.size(self.step.before), "done": self.done(), "day": self.day}
            case "held":
                return _("held: %(why)s") % {"why": self.why()}
            case "moved":
                said = _("moved from %(before)s to what was lifted: %(why)s")
                return said % {"before": self.size(self.step.before), "why": self.why()}
            case "next_stage":
                return _("%(target)s now: %(why)s") % {"target": after_text, "why": self.why()}
            case "next_week":
                said = _("week %(week)s now: %(done)s on %(day)s")
                return said % {"week": self.step.after.week + 1, "done": self.done(), "day": self.day}
            case "deloaded":
                is_reset = self.step.before.stage != self.step.after.stage
                said = _("down to %(size)s: %(why)s")
                if is_reset:
                    said = _("down to %(size)s and %(target)s: %(why)s")
                found = {"size": self.size(self.step.after), "target": after_text, "why": self.why_less()}
                return said % found
            case "held_by_you":
                return _("held by you on %(day)s") % {"day": self.day}

    def shown(self, kg: float) -> str:
        return local(to_unit(kg, self.unit))

    def size(self, state: State) -> str:
        """What differs between the targets: the training max, the weight or the repetitions."""
        if state.training_max_kg:
            return _("a training max of %(weight)s") % {"weight": self.shown(state.training_max_kg)}
        if abs(self.before.weight_kg - self.after.weight_kg) > TOLERANCE_KG:
            return _("no weight") if state.target.is_weightless else self.shown(state.target.weight_kg)
        return reps_text(state.target.reps)

    def done(self) -> str:
        """What was lifted, with its weight if that was not the one asked for."""
        if self.step.after.training_max_kg:
            return self.best()
        weight_kg = usual_weight_kg(self.step.lifts)
        reps = min(self.before.reps, min(lift.reps for lift in self.step.lifts))
        lifted = f"{self.before.sets} × {reps}"
        if is_heavier(weight_kg, self.before.weight_kg):
            lifted = _("%(reps)s with %(weight)s") % {"reps": lifted, "weight": self.shown(weight_kg)}
        rpe = self.step.lifts[-1].rpe
        if self.step.why == "effort" and rpe is not None:
            return _("%(lifted)s done at RPE %(rpe)s") % {"lifted": lifted, "rpe": local(f"{rpe:g}")}
        return _("%(lifted)s done") % {"lifted": lifted}

    def best(self) -> str:
        """The set that a wave is judged by: with the weight that was asked or more, else the heaviest."""
        best = max(self.step.lifts, key=self.worth)
        reps = {"done": best.reps, "asked": self.before.reps}
        return _("%(done)s of %(asked)s with %(weight)s") % {**reps, "weight": self.shown(best.weight_kg)}

    def worth(self, lift: LiftedSet) -> tuple[bool, float, int]:
        is_as_asked = not is_heavier(self.before.weight_kg, lift.weight_kg)
        return is_as_asked and lift.reps >= self.before.reps, lift.weight_kg, lift.reps

    def why(self) -> str:
        match self.step.why:
            case "lighter" | "heavier":
                lifted = {"reps": self.all_reps(), "weights": self.weights()}
                said = _("%(reps)s with %(weights)s instead of %(asked)s")
                return said % {**lifted, "asked": self.shown(self.before.weight_kg)}
            case "effort":
                return self.done()
            case "no_rpe":
                return _("the last set has no RPE")
            case "no_weight":
                return _("no weight was written")
            case "most" | "done":
                return _("%(done)s, and its rule goes no further") % {"done": self.done()}
            case "least":
                return _("%(reps)s, and it is the least already") % {"reps": self.all_reps()}
            case "untried":
                return self.not_done()
            case "missed":
                return self.all_reps()

    def not_done(self) -> str:
        if self.step.before.training_max_kg:
            return _("the top set was not done")
        count = self.before.sets - len(self.step.lifts)
        return ngettext("%(count)s set not done", "%(count)s sets not done", count) % {"count": count}

    def why_less(self) -> str:
        state = self.step.before
        if state.training_max_kg:
            return self.best()
        if state.misses and self.step.why != "effort":
            return missed(state.misses + 1)
        return self.why()

    def all_reps(self) -> str:
        """The repetitions beside those that were asked for: "6, 6, 4 of 6", "6, 6 of 4 × 6"."""
        lifts, target = self.step.lifts, self.before
        asked = str(target.reps) if len(lifts) == target.sets else f"{target.sets} × {target.reps}"
        is_light = any(is_heavier(target.weight_kg, lift.weight_kg) for lift in lifts)
        reps = {"done": ", ".join(str(lift.reps) for lift in lifts), "asked": asked}
        if is_light and self.step.why == "missed":
            return _("%(done)s of %(asked)s with %(weight)s") % {**reps, "weight": self.weights()}
        return _("%(done)s of %(asked)s") % reps

    def weights(self) -> str:
        """The weight of all sets, or that of each."""
        shown = [self.shown(lift.weight_kg) for lift in self.step.lifts]
        return shown[0] if len(set(shown)) == 1 else ", ".join(shown)


def missed(times: int) -> str:
    words = {
        1: _("missed once"),
        2: _("missed twice"),
        3: _("missed three times"),
        4: _("missed four times"),
        5: _("missed five times"),
    }
    if times in words:
        return words[times]
    return ngettext("missed %(count)s time", "missed %(count)s times", times) % {"count": times}


def reps_text(reps: int) -> str:
    return ngettext("%(count)s rep", "%(count)s reps", reps) % {"count": reps}


def local(value: float | str) -> str:
    """A number as the language writes it, without grouped thousands: "62.5", "62,5"."""
    return str(number_format(value))


def sentence(rule: Rule, loading: Loading) -> str:
    """The rule in one line: "+2.5 kg a session"; waves that share a training max are one rule."""
    unit = loading.unit
    weight = f"+{local(f'{loading.increment:g}')} {unit}"
    more = weight if loading.increment else f"+{reps_text(1)}"
    match rule:
        case Linear():
            return _("%(more)s a session") % {"more": more}
        case Double():
            reps = {"least": rule.reps_from, "most": rule.reps_to}
            if loading.increment:
                return _("%(least)s to %(most)s reps, then %(more)s") % {**reps, "more": more}
            return _("%(least)s to %(most)s reps") % reps
        case Effort():
            said = _("%(more)s up to RPE %(up)s, as much less above RPE %(down)s")
            return said % {"more": more, "up": local(f"{rule.rpe_up:g}"), "down": local(f"{rule.rpe_down:g}")}
        case Stages():
            listed = ", ".join(f"{stage.sets} × {stage.reps}" for stage in rule.stages)
            said = _("%(more)s a session in %(stages)s, then %(percent)s %%")
            return said % {"more": weight, "stages": listed, "percent": local(f"{rule.reset_percent:g}")}
        case Wave():
            return wave_sentence(rule, weight, unit)


def explanation(rule: Rule, state: State, loading: Loading) -> str:
    """The rule in two or three sentences: when its target rises, and when it falls."""
    unit = loading.unit
    weight = f"{local(f'{loading.increment:g}')}\xa0{unit}"
    size = weight if loading.increment else reps_text(1)
    change = {"more": f"+{size}", "less": f"{MINUS}{size}"}
    match rule:
        case Linear():
            said = _("All sets done: %(more)s next time.") % change
            return f"{said} {step_down(rule)}"
        case Double():
            reps = {"least": rule.reps_from, "most": rule.reps_to}
            said = _("All sets done: one rep more next time, from %(least)s up to %(most)s.") % reps
            if loading.increment:
                said += " " + _("Then %(more)s, and %(least)s reps again.") % {**change, **reps}
            return f"{said} {step_down(rule)}"
        case Effort():
            rpe = {"up": local(f"{rule.rpe_up:g}"), "down": local(f"{rule.rpe_down:g}")}
            return _(
                "Last set at RPE %(up)s or less: %(more)s next time. Above RPE %(down)s, or reps missed: "
                "%(less)s. In between it stays."
            ) % {**change, **rpe}
        case Stages():
            listed = ", ".join(f"{stage.sets} × {stage.reps}" for stage in rule.stages)
            said = _(
                "All sets done: %(more)s next time. After a miss comes the next of %(stages)s, and after the "
                "last of them the first again at %(percent)s %%."
            )
            reset = {"stages": listed, "percent": local(f"{rule.reset_percent:g}")}
            return said % {"more": f"+{weight}", **reset}
        case Wave():
            said = _("Then the max grows by %(weight)s, or falls where the last set was missed.")
            return f"{weeks(rule, state, unit)} {said % {'weight': weight}}"


def weeks(rule: Wave, state: State, unit: str) -> str:
    count = len(rule.weeks)
    if not state.training_max_kg:
        said = ngettext(
            "%(count)s week at percentages of a training max, which your next workout sets.",
            "%(count)s weeks at percentages of a training max, which your next workout sets.",
            count,
        )
        return said % {"count": count}
    said = ngettext(
        "%(count)s week at percentages of a training max of %(weight)s.",
        "%(count)s weeks at percentages of a training max of %(weight)s.",
        count,
    )
    return said % {"count": count, "weight": f"{local(to_unit(state.training_max_kg, unit))} {unit}"}


def step_down(rule: Linear | Double) -> str:
    said = ngettext(
        "%(count)s miss: down to %(percent)s %%.",
        "%(count)s misses in a row: down to %(percent)s %%.",
        rule.misses,
    )
    return said % {"count": rule.misses, "percent": local(f"{rule.deload_percent:g}")}


def wave_sentence(rule: Wave, more: str, unit: str) -> str:
    if not rule.training_max_kg:
        return _("%(wave)s, %(more)s a cycle") % {"wave": wave_name(rule), "more": more}
    said = {"wave": wave_name(rule), "weight": f"{local(to_unit(rule.training_max_kg, unit))} {unit}"}
    return _("%(wave)s of %(weight)s, %(more)s a cycle") % {**said, "more": more}


def wave_name(rule: Wave) -> str:
    """The repetitions of its weeks: "5/3/1"."""
    lines = [judged_line(rule, week) or lines[-1] for week, lines in enumerate(rule.weeks)]
    return "/".join(str(line.reps) for line in lines)
