"""What pages of plans and routines show of rules: each entry's, why its target moved, and lighter weeks."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.web.local_time import zone_of
from training.models import Exercise
from training.models.adapting import Adapting
from training.models.exercise import TIMED
from training.models.planned import PlannedExercise
from training.progression import Step, reason, sentence
from training.progression.asking import lighter_target
from training.progression.loading import WITHOUT_STEPS
from training.progression.plans import Followed, Place, Week, monday, target_of
from training.progression.store import target_text
from training.progression.targets import Target
from training.progression.today import target_in_words, what_follows

STEPS = 12  # of a rule that its page shows


@dataclass(frozen=True)
class RuleLine:
    """What is shown under an entry: its rule in one line, and what the last session did to its target.

    `now` is what it asks for and what follows; empty in a lighter week, and where no weight is known yet.
    """

    sentence: str
    reason: str
    address: str = ""
    now: str = ""


@dataclass(frozen=True)
class EndedLine:
    """A rule whose exercise has left the plan, and what has taken its place, if that can have a rule."""

    exercise: str
    successor: str = ""
    address: str = ""  # of the form for the successor's rule


@dataclass(frozen=True)
class LighterWeeks:
    """When a plan is lighter, as its page says it."""

    every: int
    percent: float
    is_now: bool
    next: datetime.date  # the Monday of the next lighter week; of this one where it is_now


class RulesOnPage:
    """The rules of a plan for its pages. Without rules they take no statement."""

    def __init__(self, account: Account, plan: Adapting, day: datetime.date) -> None:
        self.pk, self.noun = plan.pk, plan.holder.noun
        self.account, self.week, self.progression = account, plan.week, plan.progressions
        self.is_deload = self.progression.is_deload(day)
        self.day = day

    @property
    def lighter_weeks(self) -> LighterWeeks | None:
        every = self.progression.deload_every
        if every is None:
            return None
        weeks = (monday(self.day) - monday(self.progression.counted_from)).days // 7 + 1
        left = 0 if self.is_deload else every - weeks % every if weeks > 0 else every - weeks
        begin = monday(self.day) + datetime.timedelta(weeks=left)
        return LighterWeeks(every, self.progression.deload_percent, self.is_deload, begin)

    def lines(self) -> dict[Place, RuleLine]:
        steps = self.account.progression_steps.last_of(self.progression)
        unit, zone = self.account.units, zone_of(self.account.time_zone)
        found: dict[Place, RuleLine] = {}
        for one in self.progression.followed:
            why = reason(steps[one.id], unit, zone) if one.id in steps else ""
            rule = sentence(one.rule, self.week.loading(one))
            for place, target in self.week.asked(one).items():
                found[place] = RuleLine(rule, why, self.address(place), self.now(one, place, target))
        return found

    def ended(self) -> list[EndedLine]:
        """The rules that wait for their exercise, the newest first. Without any there is no statement."""
        if not self.progression.ended:
            return []
        wanted = {one.exercise_id for one in self.progression.ended}
        names = {pk: one.name for pk, one in Exercise.objects.seen_by(self.account).find_all(wanted).items()}
        ruled, possible = self.progression.places, entries_for_rules(self.account, self.week)
        lines = []
        for one in self.progression.ended:
            place = one.rule.places[0]
            successor = possible.get(place) if place not in ruled else None
            address = f"{self.address(place)}?kind={one.rule.rule.kind}" if successor else ""
            name = successor["name"] if successor else ""
            lines.append(EndedLine(names.get(one.exercise_id, one.exercise_id), name, address))
        return lines

    def now(self, one: Followed, place: Place, target: Target) -> str:
        loading = self.week.loading(one)
        if self.is_deload or (target.is_weightless and not is_of_body(self.week.by_place[place])):
            return ""
        said = {"target": target_in_words(target, loading.unit)}
        said["then"] = what_follows(one.rule, one.state, loading)
        if place.weekday == self.day.isoweekday():
            return _("Today %(target)s. Then %(then)s") % said
        return _("Next %(target)s. Then %(then)s") % said

    def address(self, place: Place) -> str:
        return reverse(f"{self.noun}-rule", args=[self.pk, *place])

    def on_days(self, days: Sequence[Any]) -> list[dict[str, Any]]:
        """The days with the `rule` of each entry, and in a deload week its `lighter` target as text."""
        if self.progression.is_empty:
            return list(days)
        lines = self.lines()
        return [{**day, "exercises": list(self.entries(day, lines))} for day in days]

    def entries(self, day: Mapping[str, Any], lines: Mapping[Place, RuleLine]) -> Iterable[dict[str, Any]]:
        for position, entry in enumerate(day["exercises"]):
            place = Place(day["weekday"], position)
            yield {
                **entry,
                "place": place,
                "rule": lines.get(place),
                "lighter": self.lighter(place) if self.is_deload else "",
            }

    def lighter(self, place: Place) -> str:
        """This week's target of an entry where that is less."""
        target = lighter_target(self.week, self.progression, place)
        is_same = target == target_of(self.week.by_place[place])
        return "" if is_same else target_text(target, self.account.units)

    def sentences(self) -> list[tuple[str, list[str]]]:
        """Each rule in one line with the exercises that have it."""
        found: dict[str, list[str]] = {}
        for one in self.progression.followed:
            names = found.setdefault(sentence(one.rule, self.week.loading(one)), [])
            name = self.week.exercise_of(one).name
            if name not in names:
                names.append(name)
        return list(found.items())


def is_of_body(entry: PlannedExercise) -> bool:
    """Whether it needs no weight: of others, none is known yet."""
    return entry["equipment"] in WITHOUT_STEPS


def entries_for_rules(account: Account, week: Week) -> dict[Place, PlannedExercise]:
    """The entries that can have a rule: not timed or assisted ones, nor what the catalogue has no more."""
    exercises = Exercise.objects.seen_by(account).filter(pk__in=week.by_exercise, is_assisted=False)
    known = set(exercises.exclude(TIMED).values_list("pk", flat=True))
    return {place: entry for place, entry in week.entries() if entry["exercise_id"] in known}


@dataclass(frozen=True)
class StepLine:
    """What a workout did to a target."""

    workout_id: UUID
    at: datetime.datetime
    target: str  # after it
    reason: str


def steps_of_rule(account: Account, plan: Adapting, place: Place) -> list[StepLine]:
    """The last steps of the rule at a place, by the day of training; none without a rule."""
    if place not in plan.progressions.places:
        return []
    one, _ = plan.progressions.places[place]
    rows = account.progression_steps.filter(rule=one.id).order_by("-at", "-workout_id")[:STEPS]
    zone = zone_of(account.time_zone)
    return [
        StepLine(
            row.workout_id,
            row.at,
            target_text(made.after.target, account.units),
            reason(made, account.units, zone),
        )
        for row in rows
        for made in (Step.from_json(row.step),)
    ]
