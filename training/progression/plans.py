"""The rules of a plan or routine: the entries of each, what they ask now, and what a workout is to them.

They are stored as JSON beside the exercises (`Adapting.rules`). Not pure like the rest: it knows the days. A
routine is a week with one day, ROUTINE_DAY.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, Self, cast
from uuid import UUID

from training.models import exercise
from training.models.planned import PlanDay, PlannedExercise
from training.progression.groups import Entry, shared_rule
from training.progression.loading import Loading, loading_of
from training.progression.rules import Rule, asked, rule_from_json, rule_to_json
from training.progression.sessions import WARMUP, LoggedSet, Session, usual_weight_kg
from training.progression.targets import State, Target

DELOAD_PERCENT = 85.0
ROUTINE_DAY = 0  # in place of a weekday
MAX_SETS = 100  # that an entry asks for


class Place(NamedTuple):
    """Where in a plan's week an entry is: the day, and the entry's index in it."""

    weekday: int  # 1 to 7, or ROUTINE_DAY
    position: int

    @property
    def fields(self) -> dict[str, int]:
        """As clients name it: in a routine by its position alone."""
        return {"position": self.position} if self.weekday == ROUTINE_DAY else self._asdict()


class Position(NamedTuple):
    """Where in the order of sessions a workout is."""

    at: datetime.datetime
    workout_id: str


class Exercise(NamedTuple):
    """What a rule needs of an exercise: entries of a plan have it."""

    id: str
    name: str
    equipment: str


@dataclass(frozen=True)
class Done:
    """What was done in a workout: of each exercise the sets of each of its occurrences."""

    position: Position
    stored_at: datetime.datetime
    sets_of: Mapping[str, Sequence[Sequence[LoggedSet]]]


@dataclass(frozen=True)
class Begun:
    """What somebody began a workout from, and decided when it was finished.

    `routine_id` is the routine, whose targets then follow the workout. `weekday` is the day (1 to 7) of the
    workout's plan, which nothing else needs to guess then. `held` are the ids of the rules whose targets the
    person leaves as they are.
    """

    routine_id: UUID | None = None
    weekday: int | None = None
    held: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Followed:
    """The entries of a plan that share a target, each with its rule.

    It begins, and begins anew, where somebody sets a rule or types a target: `fold` counts how often, and
    workouts that were stored before `since` are no sessions of it. `newest` is its last session that made a
    step; that step has the state before it.
    """

    id: str
    fold: int
    since: datetime.datetime
    places: tuple[Place, ...]
    rules: tuple[Rule, ...]
    state: State
    newest: Position | None = None

    @cached_property
    def rule(self) -> Rule:
        """The rule of all entries, by which a session is judged."""
        return shared_rule([Entry(0, 0, "", rule, self.state.target) for rule in self.rules])

    def to_json(self) -> dict[str, Any]:
        newest = self.newest and [self.newest.at.isoformat(), self.newest.workout_id]
        state = self.state.to_json()
        return {
            "id": self.id,
            "fold": self.fold,
            "since": self.since.isoformat(),
            "places": [list(place) for place in self.places],
            "rules": [rule_to_json(rule) for rule in self.rules],
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
            newest and Position(datetime.datetime.fromisoformat(newest[0]), newest[1]),
        )


@dataclass(frozen=True)
class EndedRule:
    """A rule whose exercise has left the plan. It goes on where it was once the exercise is back."""

    exercise_id: str
    ended_at: datetime.datetime
    rule: Followed  # with the places that it had

    def to_json(self) -> dict[str, Any]:
        return {
            "exercise_id": self.exercise_id,
            "ended_at": self.ended_at.isoformat(),
            "rule": self.rule.to_json(),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        ended_at = datetime.datetime.fromisoformat(stored["ended_at"])
        return cls(stored["exercise_id"], ended_at, Followed.from_json(stored["rule"]))


@dataclass(frozen=True)
class Progression:
    """All rules of a plan, those of exercises that have left it, and its deload weeks.

    Weeks begin on Monday in the zone of the account. The first is the one in which the deload was set or the
    plan was activated, whichever is later: of a deload each fourth week, the fourth from there is lighter.
    """

    followed: tuple[Followed, ...] = ()
    deload_every: int | None = None
    deload_percent: float = DELOAD_PERCENT
    counted_from: datetime.date = datetime.date.min
    ended: tuple[EndedRule, ...] = ()  # the newest first

    @property
    def is_empty(self) -> bool:
        has_rules = self.followed or self.ended
        return not has_rules and self.deload_every is None and self.deload_percent == DELOAD_PERCENT

    @property
    def all_rules(self) -> list[Followed]:
        return [*self.followed, *(one.rule for one in self.ended)]

    @property
    def places(self) -> dict[Place, tuple[Followed, Rule]]:
        return {
            place: (one, rule)
            for one in self.followed
            for place, rule in zip(one.places, one.rules, strict=True)
        }

    def is_deload(self, day: datetime.date) -> bool:
        week = (monday(day) - monday(self.counted_from)).days // 7 + 1
        return self.deload_every is not None and week > 0 and week % self.deload_every == 0

    def to_json(self) -> dict[str, Any]:
        return {
            "deload_every": self.deload_every,
            "deload_percent": self.deload_percent,
            "counted_from": self.counted_from.isoformat(),
            "followed": [one.to_json() for one in self.followed],
            "ended": [one.to_json() for one in self.ended],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(
            tuple(map(Followed.from_json, stored["followed"])),
            stored["deload_every"],
            stored["deload_percent"],
            datetime.date.fromisoformat(stored["counted_from"]),
            tuple(map(EndedRule.from_json, stored.get("ended", ()))),  # 64f3c407 had none
        )


def monday(day: datetime.date) -> datetime.date:
    return day - datetime.timedelta(days=min(day.weekday(), (day - datetime.date.min).days))


@dataclass(frozen=True)
class Week:
    """The days of a plan, for an account with a unit and a time zone."""

    days: Sequence[PlanDay]
    unit: str
    zone: datetime.tzinfo

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
        return exercise.Exercise.objects.of_everyone().assisted_among(self.by_exercise)

    def exercise_of(self, followed: Followed) -> Exercise:
        entry = self.by_place[followed.places[0]]
        return Exercise(entry["exercise_id"], entry["name"], entry["equipment"])

    def loading(self, followed: Followed) -> Loading:
        return loading_of(self.exercise_of(followed).equipment, self.unit, followed.rule.increment_kg)

    def asked(self, followed: Followed) -> dict[Place, Target]:
        """What is asked of each entry now."""
        targets = asked(followed.rule, followed.state, self.loading(followed))
        if len(targets) == 1:
            return dict.fromkeys(followed.places, targets[0])
        return dict(zip(followed.places, targets, strict=True))

    def with_targets(self, all_followed: Iterable[Followed]) -> list[PlanDay]:
        """The days with what is asked now."""
        return self.with_targets_at(
            {place: target for one in all_followed for place, target in self.asked(one).items()}
        )

    def with_targets_at(self, targets: Mapping[Place, Target]) -> list[PlanDay]:
        days: list[PlanDay] = []
        for day in self.days:
            entries = [
                with_target(entry, targets.get(Place(day["weekday"], position)))
                for position, entry in enumerate(day["exercises"])
            ]
            days.append(cast(PlanDay, {**day, "exercises": entries}))
        return days


class Sessions:
    """What a workout is to the rules of a week: the day that it counts for, and each rule's session."""

    def __init__(self, week: Week, done: Done, weekday: int | None = None) -> None:
        """`weekday` is the day of the plan where that is known, because the workout was begun from it."""
        self.week, self.done, self.weekday = week, done, weekday
        self.at = done.position.at.astimezone(week.zone)
        self.sets_of = cache(self.sets_of_exercise)  # rules of one exercise share its sets
        self.day_of = cache(self.day_of_exercise)

    def of(
        self, followed: Followed, *, is_deload: bool = False, is_held: bool = False
    ) -> tuple[int, Session] | None:
        """The day of the plan, and the session; None where the workout has no sets for these entries."""
        exercise_id = self.week.exercise_of(followed).id
        if not self.done.sets_of.get(exercise_id):
            return None
        weekday = self.day_of(exercise_id) if self.weekday is None else self.weekday
        if weekday is None or all(place.weekday != weekday for place in followed.places):
            return None
        by_place = self.sets_of(exercise_id, weekday)
        sets = [one for place in followed.places for one in by_place.get(place, ())]
        return weekday, Session(self.done.position.workout_id, self.at, sets, is_deload, is_held)

    def day_of_exercise(self, exercise_id: str) -> int | None:
        """The weekday of the plan on which the exercise was trained; None where it has none.

        That of the workout's own weekday, else the only one, else the one with the nearest weight.
        """
        weights: dict[int, list[float]] = defaultdict(list)
        for place, entry in self.week.by_exercise[exercise_id]:
            weights[place.weekday].append(entry["weight_kg"])
        weekday = self.at.isoweekday()
        if weekday in weights or not weights:
            return weekday if weights else None
        sets = [one for some in self.done.sets_of[exercise_id] for one in some]
        lifts = Session("", self.at, sets).lifts[:MAX_SETS]
        weight_kg = usual_weight_kg(lifts) if lifts else 0
        return min(weights, key=lambda day: min(abs(weight_kg - other) for other in weights[day]))

    def sets_of_exercise(self, exercise_id: str, weekday: int) -> dict[Place, list[LoggedSet]]:
        """The sets of an exercise for each of its entries in a day.

        Where the workout has it as often as the day, in their order. Else each entry in turn takes as many
        working sets as it asks for, and the last one the rest.
        """
        occurrences = self.done.sets_of[exercise_id]
        entries = [
            (place, entry["sets"])
            for place, entry in self.week.by_exercise[exercise_id]
            if place.weekday == weekday
        ]
        if len(entries) == len(occurrences):
            return {place: list(sets) for (place, _), sets in zip(entries, occurrences, strict=True)}
        left = [one for sets in occurrences for one in sets if one["completed"] and one["type"] != WARMUP]
        dealt: dict[Place, list[LoggedSet]] = {}
        for place, count in entries[:-1]:
            dealt[place], left = left[:count], left[count:]
        return {**dealt, entries[-1][0]: left} if entries else {}


def with_target(entry: PlannedExercise, target: Target | None) -> PlannedExercise:
    if target is None:
        return entry
    return {**entry, "sets": target.sets, "reps": target.reps, "weight_kg": target.weight_kg}


def target_of(entry: PlannedExercise) -> Target:
    return Target(entry["sets"], entry["reps"], entry["weight_kg"])
