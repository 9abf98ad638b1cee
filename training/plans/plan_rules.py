"""The rules of a plan or routine, and its targets on one of its days, which are lower in a deload week.

The rules are stored as JSON beside the exercises (`Planning.rules`). A routine is treated as a week with one
day, ROUTINE_DAY.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

from accounts.models import Account
from fitness.days import begin_of_week
from fitness.web.local_time import zone_of
from training.models.exercise import Exercise
from training.models.planned import PlanDay, PlannedExercise
from training.plans.loading import Loading, default_increment_kg, loading_of
from training.plans.rules import (
    Rule,
    State,
    Target,
    current_targets,
    lighter,
    rule_from_json,
    rule_to_json,
    shared_rule,
)
from training.plans.steps import Step
from training.plans.wording import reason

DELOAD_PERCENT = 85.0
ROUTINE_DAY = 0  # in place of a weekday


class Place(NamedTuple):
    """Where in a plan's week an entry is: the day, and the entry's index in it."""

    weekday: int  # 1 to 7, or ROUTINE_DAY
    position: int

    @property
    def fields(self) -> dict[str, int]:
        """The fields by which clients name it; in a routine the position is enough."""
        return {"position": self.position} if self.weekday == ROUTINE_DAY else self._asdict()


class SessionKey(NamedTuple):
    """The start and the id of a workout, by which sessions are ordered."""

    at: datetime.datetime
    workout_id: str


@dataclass(frozen=True)
class PlanRule:
    """A target of a plan: the entries that share it, the rule of each of them, and its state.

    A rule begins where somebody sets it, and begins again where somebody types another target: `fold` counts
    how often. Workouts that were stored before `began_at` are no sessions of it. `newest` is the last session
    that made a step; that step has the state before it.
    """

    id: str
    fold: int
    began_at: datetime.datetime
    places: tuple[Place, ...]
    entry_rules: tuple[Rule, ...]
    state: State
    newest: SessionKey | None = None

    @cached_property
    def rule(self) -> Rule:
        """The rule of all entries, by which a session is judged."""
        return shared_rule(self.entry_rules)

    def to_json(self) -> dict[str, Any]:
        newest = self.newest and [self.newest.at.isoformat(), self.newest.workout_id]
        state = self.state.to_json()
        return {
            "id": self.id,
            "fold": self.fold,
            "since": self.began_at.isoformat(),
            "places": [list(place) for place in self.places],
            "rules": [rule_to_json(rule) for rule in self.entry_rules],
            "start": state,  # read by processes of 64f3c407 alone, during an update
            "state": state,
            "newest": newest,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        newest = stored["newest"]
        return cls(
            stored["id"],
            stored["fold"],
            datetime.datetime.fromisoformat(stored["since"]),
            tuple(Place(*place) for place in stored["places"]),
            tuple(map(rule_from_json, stored["rules"])),
            State.from_json(stored["state"]),
            newest and SessionKey(datetime.datetime.fromisoformat(newest[0]), newest[1]),
        )


@dataclass(frozen=True)
class EndedRule:
    """A rule whose exercise has left the plan. It goes on where it was once the exercise is back."""

    exercise_id: str
    ended_at: datetime.datetime
    rule: PlanRule  # with the places that it had

    def to_json(self) -> dict[str, Any]:
        return {
            "exercise_id": self.exercise_id,
            "ended_at": self.ended_at.isoformat(),
            "rule": self.rule.to_json(),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        ended_at = datetime.datetime.fromisoformat(stored["ended_at"])
        return cls(stored["exercise_id"], ended_at, PlanRule.from_json(stored["rule"]))


@dataclass(frozen=True)
class Progression:
    """All rules of a plan, those of exercises that have left it, and its deload weeks.

    Weeks begin on Monday in the time zone of the account. They are counted from the week in which the deload
    was set or the plan was activated, whichever is later. With a deload every fourth week the fourth is the
    first one that is lighter.
    """

    rules: tuple[PlanRule, ...] = ()
    deload_every: int | None = None
    deload_percent: float = DELOAD_PERCENT
    counted_from: datetime.date = datetime.date.min
    ended: tuple[EndedRule, ...] = ()  # the newest first

    @property
    def is_empty(self) -> bool:
        has_rules = self.rules or self.ended
        return not has_rules and self.deload_every is None and self.deload_percent == DELOAD_PERCENT

    @property
    def rule_ids(self) -> set[str]:
        """The ids of all rules, also of ended ones."""
        return {one.id for one in (*self.rules, *(ended.rule for ended in self.ended))}

    @property
    def places(self) -> dict[Place, tuple[PlanRule, Rule]]:
        """The entries that have a rule: the rule that they share, and each one's own."""
        return {
            place: (one, rule)
            for one in self.rules
            for place, rule in zip(one.places, one.entry_rules, strict=True)
        }

    def is_deload(self, day: datetime.date) -> bool:
        week = self.week_number(day)
        return self.deload_every is not None and week > 0 and week % self.deload_every == 0

    def next_deload(self, day: datetime.date) -> datetime.date | None:
        """The Monday of the deload week that a day is in, or of the first one after it; None without any."""
        if self.deload_every is None:
            return None
        week = self.week_number(day)
        left = -week % self.deload_every if week > 0 else self.deload_every - week
        return begin_of_week(day) + datetime.timedelta(weeks=left)

    def week_number(self, day: datetime.date) -> int:
        """Counted from 1; less before the first week."""
        return (begin_of_week(day) - begin_of_week(self.counted_from)).days // 7 + 1

    def to_json(self) -> dict[str, Any]:
        return {
            "deload_every": self.deload_every,
            "deload_percent": self.deload_percent,
            "counted_from": self.counted_from.isoformat(),
            "followed": [one.to_json() for one in self.rules],
            "ended": [one.to_json() for one in self.ended],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(
            tuple(map(PlanRule.from_json, stored["followed"])),
            stored["deload_every"],
            stored["deload_percent"],
            datetime.date.fromisoformat(stored["counted_from"]),
            tuple(map(EndedRule.from_json, stored.get("ended", ()))),  # 64f3c407 had none
        )


def day_of(account: Account, at: datetime.datetime) -> datetime.date:
    return at.astimezone(zone_of(account.time_zone)).date()


@dataclass(frozen=True)
class PlanWeek:
    """The days of a plan, for an account with a unit and a time zone."""

    days: Sequence[PlanDay]
    unit: str
    zone: datetime.tzinfo

    @classmethod
    def of(cls, account: Account, days: Sequence[PlanDay]) -> Self:
        return cls(days, account.units, zone_of(account.time_zone))

    def entries(self) -> Iterator[tuple[Place, PlannedExercise]]:
        for day in self.days:
            for position, entry in enumerate(day["exercises"]):
                yield Place(day["weekday"], position), entry

    @cached_property
    def by_place(self) -> dict[Place, PlannedExercise]:
        return dict(self.entries())

    @cached_property
    def by_exercise(self) -> dict[str, list[tuple[Place, PlannedExercise]]]:
        found: dict[str, list[tuple[Place, PlannedExercise]]] = defaultdict(list)
        for place, entry in self.entries():
            found[entry["exercise_id"]].append((place, entry))
        return found

    @cached_property
    def assisted(self) -> set[str]:
        """The ids of the exercises whose weight is help, read for lighter weeks and changes of days alone."""
        return Exercise.objects.of_everyone().assisted_among(self.by_exercise)

    def entry_of(self, rule: PlanRule) -> PlannedExercise:
        """The first entry of a rule: all of them are of one exercise."""
        return self.by_place[rule.places[0]]

    def loading(self, rule: PlanRule) -> Loading:
        return loading_of(self.entry_of(rule)["equipment"], self.unit, rule.rule.increment_kg)

    def targets(self, rule: PlanRule) -> dict[Place, Target]:
        """The current target of each entry of a rule."""
        targets = current_targets(rule.rule, rule.state, self.loading(rule))
        if len(targets) == 1:
            return dict.fromkeys(rule.places, targets[0])
        return dict(zip(rule.places, targets, strict=True))

    def with_targets(self, rules: Iterable[PlanRule]) -> list[PlanDay]:
        """The days with the current targets of the rules."""
        return self.with_targets_at(
            {place: target for one in rules for place, target in self.targets(one).items()}
        )

    def with_targets_at(self, targets: Mapping[Place, Target]) -> list[PlanDay]:
        days: list[PlanDay] = []
        for day in self.days:
            entries = [
                with_target(entry, targets.get(Place(day["weekday"], position)))
                for position, entry in enumerate(day["exercises"])
            ]
            days.append({**day, "exercises": entries})
        return days


def with_target(entry: PlannedExercise, target: Target | None) -> PlannedExercise:
    if target is None:
        return entry
    return {**entry, "sets": target.sets, "reps": target.reps, "weight_kg": target.weight_kg}


def target_of(entry: PlannedExercise) -> Target:
    return Target(entry["sets"], entry["reps"], entry["weight_kg"])


@dataclass(frozen=True)
class DayTarget:
    """The target of one entry on a day, with its rule."""

    entry: PlannedExercise
    place: Place
    target: Target
    rule: PlanRule | None = None
    is_deload: bool = False

    @property
    def is_binding(self) -> bool:
        """Whether the target wins over what was lifted last time."""
        return self.rule is not None or (self.is_deload and not self.target.is_weightless)


def day_targets(
    week: PlanWeek, progression: Progression, weekday: int, today: datetime.date
) -> list[DayTarget]:
    """The target of each entry of a day, in their order."""
    rules, is_deload = progression.places, progression.is_deload(today)
    found = []
    for place, entry in week.entries():
        if place.weekday != weekday:
            continue
        rule, _ = rules.get(place, (None, None))
        if is_deload:
            target = lighter_target(week, progression, place)
        else:
            target = week.targets(rule)[place] if rule else target_of(entry)
        found.append(DayTarget(entry, place, target, rule, is_deload))
    return found


def lighter_target(week: PlanWeek, progression: Progression, place: Place) -> Target:
    """The target of an entry in a deload week. An assisted exercise keeps its weight, which is help."""
    entry = week.by_place[place]
    target, equipment = target_of(entry), entry["equipment"]
    if target.is_weightless or entry["exercise_id"] in week.assisted:
        return target
    rule, _ = progression.places.get(place, (None, None))
    default = loading_of(equipment, week.unit, default_increment_kg(equipment, week.unit))
    return lighter(target, progression.deload_percent, week.loading(rule) if rule else default)


def lighter_targets(week: PlanWeek, progression: Progression) -> dict[Place, Target]:
    """What a deload week asks of the entries of which it asks less than other weeks."""
    targets = {place: lighter_target(week, progression, place) for place in week.by_place}
    return {place: less for place, less in targets.items() if less != target_of(week.by_place[place])}


def reason_of(target: DayTarget, steps: Mapping[str, Step], week: PlanWeek) -> str:
    """Why an entry's target is what it is.

    Empty for the second entry of a rule in the day, before the first session, and in a deload week, whose
    weight is not that of the last step.
    """
    rule = target.rule
    if target.is_deload or rule is None or rule.id not in steps:
        return ""
    is_first = target.place == min(one for one in rule.places if one.weekday == target.place.weekday)
    return reason(steps[rule.id], week.unit, week.zone) if is_first else ""


def day_with_targets(
    week: PlanWeek, progression: Progression, weekday: int, today: datetime.date
) -> dict[str, Any]:
    """A day of a plan as it is trained today, for a page: `is_deload`, and targets that may be `open`.

    Without rules the day as it is stored.
    """
    day = next(one for one in week.days if one["weekday"] == weekday)
    if progression.is_empty:
        return {**day}
    targets = day_targets(week, progression, weekday, today)
    return {
        **day,
        "exercises": [{**one.entry, **asdict(one.target)} for one in targets],
        "is_deload": progression.is_deload(today),
    }
