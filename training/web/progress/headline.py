"""The sentence at the top of /progress: the most useful thing that the figures say.

A pure function of a History, whose times are those of the account's zone. The most useful is asked for first:
what was just achieved, then what is to be changed, then how it goes. What might be untrue is not said.
"""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fitness.days import begin_of_week
from fitness.web.days import format_day
from fitness.web.templatetags.units import number, weight
from fitness.web.units import signed
from training.models.sets import Lift, estimated_1rm_kg, rank
from training.stats import BestOfSession
from training.templatetags.training import counted_reps, counted_sets
from training.web.names import exercise_name, term

STALLED = 4  # sessions in a row without a better one
COMPARED_WITH = 2  # sessions before these, at least
LIGHT = 0.9  # of the best before: what is less was light on purpose, and no attempt
CURRENT_DAYS = 14  # since the last session; a lift that was stopped has not stalled
FEW_SETS = 10  # a week: the lower end of what most advice for a muscle group is
FULL_WEEKS = 4  # before this one


class Change(NamedTuple):
    """What a lift was, and what it is, by a measure: kg, reps, seconds or km."""

    then: float
    now: float
    measure: str = "e1rm"

    @property
    def text(self) -> str:
        """As a column shows it: "+9 %", "-2 reps", "-75 % help"."""
        amount = -self.amount if self.measure == "help" else self.amount
        shown = signed(amount)
        if self.measure == "help":
            return _("%(amount)s %% help") % {"amount": shown}
        if self.measure == "reps":
            return ngettext("%(amount)s rep", "%(amount)s reps", abs(amount)) % {"amount": shown}
        return _("%(amount)s %%") % {"amount": shown}

    @property
    def amount(self) -> int:
        """In percent or in reps; more than 0 is better."""
        if self.measure == "reps":
            return round(self.now - self.then)
        difference = self.then - self.now if self.measure == "help" else self.now - self.then
        return round(100 * difference / (self.then or self.now or 1))


@dataclass(frozen=True)
class LiftHistory:
    """A lift, with as much of its history as is compared.

    `record` is the first session with the best set of all, where an earlier session was beaten by it.
    `sessions` are the last ones, oldest first; `change` is in 90 days; None where nothing can be compared.
    """

    name: str
    measure: str = "e1rm"  # "e1rm", "reps", "help", "time" or "distance"
    record: BestOfSession | None = None
    sessions: Sequence[BestOfSession] = ()
    change: Change | None = None


@dataclass(frozen=True)
class History:
    """What the sentence is made of. Lifts are in the order of their importance; warm-ups are no sets."""

    now: datetime.datetime
    last_workout: datetime.datetime
    lifts: Sequence[LiftHistory] = ()
    # The sets of each muscle group in the FULL_WEEKS, oldest first.
    groups: Mapping[str, Sequence[int]] = field(default_factory=dict)
    week_sets: int = 0  # since Monday
    usual_sets: float | None = None  # up to the same weekday, on average; None without an earlier week
    last_week_sets: int = 0
    units: str = "kg"

    @property
    def monday(self) -> datetime.date:
        return begin_of_week(self.now.date())


def headline(history: History) -> str:
    """One sentence; empty where there is nothing to say, as of workouts that are still to come."""
    rules: Sequence[Callable[[History], str]] = (record, stall, few_sets, change, week, last_workout)
    return next(filter(None, (rule(history) for rule in rules)), "")


def record(history: History) -> str:
    """A record since Monday, of the lift that matters most; how many more there are."""
    found = [
        (lift, lift.record) for lift in history.lifts if lift.record and is_of_this_week(lift.record, history)
    ]
    if not found:
        return ""
    (lift, best), others = found[0], len(found) - 1
    text = {"exercise": exercise_name(lift.name), "lift": lift_text(best.best, lift.measure, history.units)}
    if not others:
        return _("%(exercise)s, %(lift)s: a record this week.") % text
    said = ngettext(
        "%(exercise)s, %(lift)s: a record this week, and %(count)s more exercise has one.",
        "%(exercise)s, %(lift)s: a record this week, and %(count)s more exercises have one.",
        others,
    )
    return said % {**text, "count": others}


def is_of_this_week(session: BestOfSession, history: History) -> bool:
    return session.at <= history.now and session.at.date() >= history.monday


def lift_text(best: Lift, measure: str, units: str) -> str:
    weight_kg, reps = best
    if measure == "help":
        said = {"reps": counted_reps(reps), "weight": weight(weight_kg, units)}
        return _("%(reps)s with %(weight)s of help") % said
    if not weight_kg:
        return counted_reps(reps)
    return f"{weight(weight_kg, units)} × {number(reps)}"


def stall(history: History) -> str:
    for lift in history.lifts:
        if has_stalled(lift, history.now):
            said = _("%(exercise)s has stalled: its last four workouts were no better than those before.")
            return said % {"exercise": exercise_name(lift.name)}
    return ""


def has_stalled(lift: LiftHistory, now: datetime.datetime) -> bool:
    """Whether its last STALLED sessions were attempts, none of them better than the best before."""
    before, last = lift.sessions[:-STALLED], lift.sessions[-STALLED:]
    if len(before) < COMPARED_WITH or (now - last[-1].at).days >= CURRENT_DAYS:
        return False
    best = max(strength(session, lift.measure) for session in before)
    if lift.measure != "help" and not best[0]:
        return False  # of a lift that is compared by weight, in weeks without any
    return all(is_attempt(strength(session, lift.measure), best) for session in last)


def strength(session: BestOfSession, measure: str) -> Lift:
    """What sessions of a lift are compared by: the greater is the better. Help is less than 0."""
    weight_kg, reps = session.best
    if measure == "help":
        return rank(session.best, is_assisted=True)
    return (estimated_1rm_kg(weight_kg, reps) if measure == "e1rm" else reps, 0)


def is_attempt(reached: Lift, best: Lift) -> bool:
    """Whether a session was no better than the best, and not light on purpose."""
    lightest = best[0] - abs(best[0]) * (1 - LIGHT)
    return lightest <= reached[0] and reached <= best


def few_sets(history: History) -> str:
    """The muscle groups that lag: few sets in each of the last weeks, while most groups get enough."""
    trained = {name: sets for name, sets in history.groups.items() if any(sets)}
    few = {name: sum(sets) for name, sets in trained.items() if all(0 < one < FEW_SETS for one in sets)}
    if not few or 2 * len(few) > len(trained):
        return ""
    fewest = [name for name, total in few.items() if total == min(few.values())]
    said = ngettext(
        "%(groups)s had fewer than %(sets)s sets in each of the last four weeks.",
        "%(groups)s had fewer than %(sets)s sets in each of the last four weeks.",
        len(fewest),
    )
    return said % {"groups": listed([term(name, "muscle group") for name in fewest]), "sets": FEW_SETS}


def listed(names: Sequence[str]) -> str:
    """ "Arms", "Arms and Core", "Arms, Core and Chest"."""
    *first, last = names
    return _("%(first)s and %(last)s") % {"first": ", ".join(first), "last": last} if first else last


def change(history: History) -> str:
    """The lift that matters most among those that changed."""
    compared = [(lift.name, lift.change) for lift in history.lifts if lift.change]
    changed = [(name, change) for name, change in compared if change.amount]
    if not changed:
        return _("Your exercises are where they were 90 days ago.") if compared else ""
    name, found = changed[0]
    said = change_text(found, is_better=found.amount > 0)
    return said % {"exercise": exercise_name(name), "amount": abs(found.amount)}


def change_text(change: Change, *, is_better: bool) -> str:
    """The sentence of a change, without its exercise and amount."""
    if change.measure == "help":
        less = _("%(exercise)s with %(amount)s %% less help than 90 days ago.")
        return less if is_better else _("%(exercise)s with %(amount)s %% more help than 90 days ago.")
    if change.measure == "reps":
        return reps_changed(abs(change.amount), is_better=is_better)
    up = _("%(exercise)s up %(amount)s %% in 90 days.")
    return up if is_better else _("%(exercise)s down %(amount)s %% in 90 days.")


def reps_changed(count: int, *, is_better: bool) -> str:
    if is_better:
        return ngettext(
            "%(exercise)s up %(amount)s rep in 90 days.",
            "%(exercise)s up %(amount)s reps in 90 days.",
            count,
        )
    return ngettext(
        "%(exercise)s down %(amount)s rep in 90 days.",
        "%(exercise)s down %(amount)s reps in 90 days.",
        count,
    )


def week(history: History) -> str:
    """How far this week is; before its first set, what the last one was."""
    if not history.week_sets:
        last = _("%(sets)s last week.") % {"sets": counted_sets(history.last_week_sets)}
        return last if history.last_week_sets else ""
    usual, sets = round(history.usual_sets or 0), counted_sets(history.week_sets)
    if not usual:
        return _("%(sets)s so far this week.") % {"sets": sets}
    said = _("%(sets)s so far this week; usually %(usual)s by %(day)s.")
    return said % {"sets": sets, "usual": usual, "day": date_format(history.now, _("l"))}


def last_workout(history: History) -> str:
    if history.last_workout > history.now:
        return ""
    return _("Your last workout was on %(day)s.") % {"day": format_day(history.last_workout)}
