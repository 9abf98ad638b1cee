"""What a finished workout leads with: an exercise that went better than last time."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from fitness.web.templatetags.units import weight
from training.models.timed import TimedSet, clock, distance, in_short, timed_sets
from training.templatetags.training import counted_reps, lift
from training.web.comparing import ComparedExercise
from training.web.names import exercise_name


class Improvement(NamedTuple):
    """In words: "Barbell Bench Press", "82.5 kg × 5", "2.5 kg more than last time"."""

    exercise: str
    best: str
    more: str


def best_improvement(exercises: Iterable[ComparedExercise], units: str) -> Improvement | None:
    """That of the first record, else of the first exercise that has one: main exercises come first."""
    found = (improvement(one, units) for one in sorted(exercises, key=lambda one: not one["is_record"]))
    return next(filter(None, found), None)


def improvement(one: ComparedExercise, units: str) -> Improvement | None:
    """None where the best set, or the longest one, was not better than last time."""
    name, last = exercise_name(one["name"]), one["last"]
    if one["best"]:
        more = more_lifted(one, units)
        return Improvement(name, lift(one["best"], units, one["is_assisted"]), more) if more else None
    best, before = farthest(one["notes"]), farthest(last["notes"] if last else "")
    more = more_held(best, before, units) if best and before else ""
    return Improvement(name, in_short(best, units), more) if best and more else None


def more_lifted(one: ComparedExercise, units: str) -> str:
    if not one["change"]:
        return ""
    kg, reps = one["change"]["weight_kg"], one["change"]["reps"]
    if kg < 0 and one["is_assisted"]:
        return _("%(amount)s less help than last time") % {"amount": weight(-kg, units)}
    if kg > 0 and not one["is_assisted"]:
        return more_than_last_time(weight(kg, units))
    return more_than_last_time(counted_reps(reps)) if not kg and reps > 0 else ""


def farthest(notes: str) -> TimedSet | None:
    """The set of the notes with the greatest distance, else with the longest time."""
    sets = timed_sets(notes)
    return max(sets, key=lambda one: (one["distance_km"] or 0, one["seconds"] or 0), default=None)


def more_held(best: TimedSet, before: TimedSet, units: str) -> str:
    km = (best["distance_km"] or 0) - (before["distance_km"] or 0)
    seconds = (best["seconds"] or 0) - (before["seconds"] or 0)
    if before["distance_km"] and km > 0:
        return more_than_last_time(distance(km, units))
    return more_than_last_time(clock(seconds)) if before["seconds"] and not km and seconds > 0 else ""


def more_than_last_time(amount: str) -> str:
    return _("%(amount)s more than last time") % {"amount": amount}
