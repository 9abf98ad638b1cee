"""The week of a program as somebody reads it before it is begun, with example weights."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.days import today
from training.models.planned import PlannedExercise
from training.program_plans import FittedWeek, Record
from training.programs import EXAMPLE_MAXIMA_KG, Program
from training.progression import Entry, Target, begin, current_targets, groups, loading_of, sentence
from training.progression.plans import Place, target_of, with_target
from training.progression.wording import target_in_words, what_follows
from training.starters import catalogue_of
from training.web.names import weekday_name
from training.web.rules import RuleLine, is_of_body


def example_week(account: Account, program: Program, records: Mapping[str, Record]) -> list[dict[str, Any]]:
    """The days of training in the order of the program, on the weekdays that they have if it is begun today.

    Weights are from somebody's records where they have some.
    """
    maxima_kg = EXAMPLE_MAXIMA_KG | {pk: record.maximum_kg for pk, record in records.items()}
    begun = program.begun_on(today().isoweekday())
    week = FittedWeek(begun, catalogue_of(begun.days.values()), maxima_kg, account.units)
    days = [week.day(weekday) for weekday in begun.days]
    planned = {
        Place(day["weekday"], position): entry
        for day in days
        for position, entry in enumerate(day["exercises"])
    }
    lines = dict(lines_of_rules(planned, week, account.units))
    return [
        {
            **day,
            "name": weekday_name(day["weekday"]),
            "exercises": [
                lines.get(place, entry) for place, entry in planned.items() if place.weekday == day["weekday"]
            ],
        }
        for day in days
    ]


def lines_of_rules(
    planned: Mapping[Place, PlannedExercise], week: FittedWeek, unit: str
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yields each entry that has a rule with the target and the line of it."""
    entries = [
        Entry(*place, exercise_id, rule, target_of(planned[place]))
        for place, (exercise_id, rule) in week.rules.items()
    ]
    for group in groups(entries):
        places = [Place(one.weekday, one.position) for one in group.entries]
        loading = loading_of(planned[places[0]]["equipment"], unit, group.rule.increment_kg)
        state = begin(group.rule, group.entries[0].target, loading)
        targets = current_targets(group.rule, state, loading)
        then = what_follows(group.rule, state, loading)
        for place, target in zip(places, targets if len(targets) > 1 else targets * len(places), strict=True):
            entry = with_target(planned[place], target)
            now = first_line(entry, target, then, unit)
            yield place, {**entry, "rule": RuleLine(sentence(group.rule, loading), "", now=now)}


def first_line(entry: PlannedExercise, target: Target, then: str, unit: str) -> str:
    if target.is_weightless and not is_of_body(entry):
        return ""
    return _("First %(target)s. Then %(then)s") % {"target": target_in_words(target, unit), "then": then}
