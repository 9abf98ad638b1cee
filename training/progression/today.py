"""What a rule asks for now and what follows once that is done, as a page says it of an entry."""

from django.utils.translation import gettext as _

from fitness.web.units import to_unit
from training.progression.forecasts import imagined
from training.progression.loading import Loading
from training.progression.reasons import local, reps_text
from training.progression.rules import Effort, Rule, Wave, asked
from training.progression.steps import step
from training.progression.targets import TOLERANCE_KG, State, Target, is_heavier

MINUS = "\N{MINUS SIGN}"


def target_in_words(target: Target, unit: str) -> str:
    """Such as "5 × 3 at 95 kg, last set as many as are clean"."""
    said = f"{target.sets} × {target.reps}"
    if not target.is_weightless:
        weight = f"{local(to_unit(target.weight_kg, unit))} {unit}"
        said = _("%(reps)s at %(weight)s") % {"reps": said, "weight": weight}
    if not target.open:
        return said
    if target.sets == 1:
        return _("%(target)s, as many as are clean") % {"target": said}
    return _("%(target)s, last set as many as are clean") % {"target": said}


def what_follows(rule: Rule, state: State, loading: Loading) -> str:
    """What is asked next once all of a session is done: "+5 kg", "+1 rep", "week 2 of 4"."""
    made = step(rule, state, imagined(rule, asked(rule, state, loading), is_missed=False), loading)
    assert made  # an imagined session has sets
    if isinstance(rule, Wave):
        return next_week(rule, state, made.after, loading.unit)
    more = difference(state.target, made.after.target, loading.unit)
    if isinstance(rule, Effort) and made.kind == "progressed":
        rpe = local(f"{rule.rpe_up:g}")
        return _("%(more)s where the last set is at most RPE %(rpe)s") % {"more": more, "rpe": rpe}
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
