"""Rules as pages of plans and routines show them: each entry's, why its target moved, and lighter weeks.

For the form of a rule also what it would do: the next sessions, and the past ones under it.
"""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import Account
from fitness.days import ONE_DAY, today
from fitness.web.local_time import zone_of
from fitness.web.units import to_unit
from training.models import Exercise, Plan
from training.models.exercise import TIMED
from training.models.planned import PlannedExercise
from training.models.planning import Planning
from training.plans import Rule, Step, Target, Tested, preview, reason, sentence
from training.plans.loading import WITHOUT_STEPS
from training.plans.past import tested
from training.plans.plan_rules import Place, PlanRule, PlanWeek, lighter_targets
from training.plans.rearranging import carry_over
from training.plans.rules import lighter
from training.plans.steps import STAYS, Kind
from training.plans.wording import explanation, local, target_text, then_in_words

STEPS = 12  # of a rule that its page shows
SHOWN = 100  # past sessions of a rule
FIRST = 3  # of these, before a fold
TURNS = {
    "progressed": gettext_lazy("up"),
    "held": gettext_lazy("same again"),
    "moved": gettext_lazy("moved up"),
    "next_stage": gettext_lazy("next stage"),
    "next_week": gettext_lazy("next week"),
    "deloaded": gettext_lazy("stepped down"),
    "held_by_you": gettext_lazy("same again"),
}


@dataclass(frozen=True)
class RuleLine:
    """The line under an entry: its rule, and what the last session did to its target.

    `now` is what follows its target; empty in a lighter week, and where no weight is known yet.
    `turn` is the session's effect in a word, and `kind` the kind of its step; empty before the first one.
    """

    sentence: str
    reason: str
    address: str = ""
    now: str = ""
    turn: str = ""
    kind: Kind | str = ""


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

    def __init__(self, account: Account, plan: Planning, day: datetime.date) -> None:
        self.pk, self.noun = plan.pk, plan.noun
        self.account, self.week, self.progression = account, plan.week, plan.progressions
        self.is_deload = self.progression.is_deload(day)
        self.day = day

    @property
    def lighter_weeks(self) -> LighterWeeks | None:
        every, begin = self.progression.deload_every, self.progression.next_deload(self.day)
        if every is None or begin is None:
            return None
        return LighterWeeks(every, self.progression.deload_percent, self.is_deload, begin)

    def lines(self) -> dict[Place, RuleLine]:
        steps = self.account.progression_steps.last_of(self.progression)
        unit, zone = self.account.units, zone_of(self.account.time_zone)
        found: dict[Place, RuleLine] = {}
        for one in self.progression.rules:
            made = steps.get(one.id)
            why = reason(made, unit, zone) if made else ""
            turn, kind = (str(TURNS[made.kind]), made.kind) if made else ("", "")
            rule = sentence(one.rule, self.week.loading(one))
            for place, target in self.week.targets(one).items():
                has_load = self.has_load(place, target)
                now = then_in_words(one.rule, one.state, target, self.week.loading(one)) if has_load else ""
                found[place] = RuleLine(rule, why, self.address(place), now, turn, kind)
        return found

    def ended(self) -> list[EndedLine]:
        """The rules that wait for their exercise, the newest first. Without any there is no statement."""
        if not self.progression.ended:
            return []
        wanted = {one.exercise_id for one in self.progression.ended}
        names = {pk: one.name for pk, one in Exercise.objects.seen_by(self.account).find_all(wanted).items()}
        places, possible = self.progression.places, entries_for_rules(self.account, self.week)
        lines = []
        for one in self.progression.ended:
            place = one.rule.places[0]
            successor = possible.get(place) if place not in places else None
            address = f"{self.address(place)}?kind={one.rule.rule.kind}" if successor else ""
            name = successor["name"] if successor else ""
            lines.append(EndedLine(names.get(one.exercise_id, one.exercise_id), name, address))
        return lines

    def has_load(self, place: Place, target: Target) -> bool:
        """Whether the target is that of the next workout, with a weight if the exercise needs one."""
        return not self.is_deload and (not target.is_weightless or is_of_body(self.week.by_place[place]))

    def address(self, place: Place) -> str:
        return reverse(f"{self.noun}-rule", args=[self.pk, *place])

    def on_days(self, days: Sequence[Any], *, brief: bool = False) -> list[dict[str, Any]]:
        """The days with the `rule` of each entry, and in a deload week its `lighter` target as text.

        In `brief` without rules, which takes no statement.
        """
        if self.progression.is_empty:
            return list(days)
        lines = {} if brief else self.lines()
        return [{**day, "exercises": list(self.entries(day, lines))} for day in days]

    def entries(self, day: Mapping[str, Any], lines: Mapping[Place, RuleLine]) -> Iterable[dict[str, Any]]:
        for position, entry in enumerate(day["exercises"]):
            place = Place(day["weekday"], position)
            less = self.lighter_targets.get(place)
            lighter = target_text(less, self.account.units) if less else ""
            yield {**entry, "place": place, "rule": lines.get(place), "lighter": lighter}

    @cached_property
    def lighter_targets(self) -> dict[Place, Target]:
        return lighter_targets(self.week, self.progression) if self.is_deload else {}

    def sentences(self) -> list[tuple[str, list[str]]]:
        """Each rule in one line with the exercises that have it."""
        found: dict[str, list[str]] = {}
        for one in self.progression.rules:
            names = found.setdefault(sentence(one.rule, self.week.loading(one)), [])
            name = self.week.entry_of(one)["name"]
            if name not in names:
                names.append(name)
        return list(found.items())


def is_of_body(entry: PlannedExercise) -> bool:
    """Whether it needs no weight; for other exercises a weight of 0 is one that is not known yet."""
    return entry["equipment"] in WITHOUT_STEPS


def entries_for_rules(account: Account, week: PlanWeek) -> dict[Place, PlannedExercise]:
    """The entries that can have a rule: not timed or assisted ones, nor what the catalogue has no more."""
    exercises = Exercise.objects.seen_by(account).filter(pk__in=week.by_exercise, is_assisted=False)
    known = set(exercises.exclude(TIMED).values_list("pk", flat=True))
    return {place: entry for place, entry in week.entries() if entry["exercise_id"] in known}


def explained(plan: Planning, place: Place) -> str:
    """The stored rule at a place in a few sentences."""
    one, _ = plan.progressions.places[place]
    return explanation(one.rule, one.state, plan.week.loading(one))


@dataclass(frozen=True)
class StepLine:
    """What a workout did to a target."""

    workout_id: UUID
    at: datetime.datetime
    target: str  # after it; empty where it stayed, or is the one of now
    reason: str
    turn: str
    kind: Kind


def steps_of_rule(account: Account, plan: Planning, place: Place) -> list[StepLine]:
    """The last steps of the stored rule at a place, by the day of training."""
    one, _ = plan.progressions.places[place]
    rows = account.progression_steps.filter(rule=one.id).order_by("-at", "-workout_id")[:STEPS]
    zone = zone_of(account.time_zone)

    def is_other(made: Step) -> bool:
        return made.kind not in STAYS and made.after.target != one.state.target

    return [
        StepLine(
            row.workout_id,
            row.at,
            target_text(made.after.target, account.units) if is_other(made) else "",
            reason(made, account.units, zone),
            str(TURNS[made.kind]),
            made.kind,
        )
        for row in rows
        for made in (Step.from_json(row.step),)
    ]


@dataclass(frozen=True)
class ForecastRow:
    number: int
    day: datetime.date | None  # None of a routine, and of a plan that is not active
    is_deload: bool  # then the workout moves no target
    done: list[str]  # what is asked, a line for each entry
    missed: list[str]
    is_missed: bool


@dataclass(frozen=True)
class ReplayedRow:
    at: datetime.datetime
    asked: list[str]
    lifted: list[str]
    turn: str
    is_down: bool


@dataclass(frozen=True)
class Replay:
    """The account's past sessions with an exercise under a rule, newest first: the `first` and the `rest`."""

    summary: str
    first: list[ReplayedRow]
    rest: list[ReplayedRow]


def candidate(plan: Planning, rules: Mapping[Place, Rule], place: Place) -> tuple[PlanWeek, PlanRule]:
    """The rule at a place as `Plan.adapt` would store it, with the entries that would share its target."""
    week = plan.week
    changed = carry_over(week, rules, plan.progressions, timezone.now())
    return week, next(one for one in changed if place in one.places)


def forecast(plan: Planning, week: PlanWeek, one: PlanRule) -> list[ForecastRow]:
    """The next workouts under a rule of the plan, those of its deload weeks among them."""
    loading, progression = week.loading(one), plan.progressions
    done = preview(one.rule, one.state, loading)
    missed = preview(one.rule, one.state, loading, with_misses=True)
    rows: list[ForecastRow] = []
    moves = 0  # workouts that moved the target
    for number, day in enumerate(islice(training_days(plan, one), len(done)), 1):
        is_deload = day is not None and progression.is_deload(day)
        asked, other = done[moves].targets, missed[moves].targets
        if is_deload:
            asked, other = (
                tuple(lighter(target, progression.deload_percent, loading) for target in targets)
                for targets in (asked, other)
            )
        is_missed = missed[moves].is_missed and not is_deload
        row = ForecastRow(number, day, is_deload, texts(asked, week.unit), texts(other, week.unit), is_missed)
        rows.append(row)
        moves += not is_deload
    return rows


def training_days(plan: Planning, one: PlanRule) -> Iterator[datetime.date | None]:
    """The days on which an active plan trains the entries of a rule, after the last time."""
    if not (isinstance(plan, Plan) and plan.active):
        yield from repeat(None)
    day = today()
    if one.newest and timezone.localdate(one.newest.at) >= day:
        day = timezone.localdate(one.newest.at) + ONE_DAY
    weekdays = {place.weekday for place in one.places}
    while True:
        if day.isoweekday() in weekdays:
            yield day
        day += ONE_DAY


def replay(account: Account, plan: Planning, week: PlanWeek, one: PlanRule) -> Replay | None:
    """None without a session in these years. Lighter weeks of the plan are left out: they move no target."""
    sessions = tested(account, plan.progressions, week, one)
    if not sessions:
        return None
    rows = [replayed(row, week.unit) for row in sessions[: -SHOWN - 1 : -1]]
    return Replay(summary(sessions, week.unit), rows[:FIRST], rows[FIRST:])


def summary(sessions: list[Tested], unit: str) -> str:
    more = sum(row.asked_for_more for row in sessions)
    down = sum(row.steps_down for row in sessions)
    last = sessions[-1].step
    assert last  # those without a step are left out
    state = last.after
    stands = (
        _("a training max of %(weight)s")
        % {"weight": f"{local(to_unit(state.training_max_kg, unit))} {unit}"}
        if state.training_max_kg
        else target_text(state.target, unit)
    )
    said = ngettext(
        "Over %(count)s workout it would %(asked)s, and %(stepped)s; today it would stand at %(target)s.",
        "Over %(count)s workouts it would %(asked)s, and %(stepped)s; today it would stand at %(target)s.",
        len(sessions),
    )
    return said % {"count": len(sessions), "asked": asked(more), "stepped": stepped(down), "target": stands}


def asked(times: int) -> str:
    """How often a rule asked for more: a part of the sentence of `summary`."""
    words = {
        0: _("never have asked for more"),
        1: _("have asked for more than you lifted once"),
        2: _("have asked for more than you lifted twice"),
    }
    many = _("have asked for more than you lifted %(count)s times") % {"count": times}
    return words.get(times, many)


def stepped(times: int) -> str:
    """How often a rule stepped down: a part of the sentence of `summary`."""
    words = {0: _("never stepped down"), 1: _("stepped down once"), 2: _("stepped down twice")}
    return words.get(times, _("stepped down %(count)s times") % {"count": times})


def replayed(row: Tested, unit: str) -> ReplayedRow:
    assert row.step
    lifted: dict[float, list[str]] = {}
    for lift in row.step.lifts:
        lifted.setdefault(lift.weight_kg, []).append(str(lift.reps))
    shown = [with_weight(reps_text(reps), weight_kg, unit) for weight_kg, reps in lifted.items()]
    is_first = row.targets[0].is_weightless and any(lift.weight_kg for lift in row.step.lifts)
    targets = [] if is_first else texts(row.targets, unit)
    return ReplayedRow(row.session.at, targets, shown, str(TURNS[row.step.kind]), row.steps_down)


def reps_text(reps: list[str]) -> str:
    """As in "4 × 6" where all sets are alike, else each: "6, 6, 5"."""
    return f"{len(reps)} × {reps[0]}" if len(set(reps)) == 1 else ", ".join(reps)


def texts(targets: Iterable[Target], unit: str) -> list[str]:
    """Such as "4 × 6 at 62.5"; a plus where the last set is open."""
    return [with_weight(f"{one.sets} × {one.reps}{'+' * one.open}", one.weight_kg, unit) for one in targets]


def with_weight(reps: str, weight_kg: float, unit: str) -> str:
    if not weight_kg:
        return reps
    return _("%(reps)s at %(weight)s") % {"reps": reps, "weight": local(to_unit(weight_kg, unit))}
