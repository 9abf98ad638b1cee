"""The rules of a plan or routine: the entries of each, where its fold is, and what a workout is to it.

They are stored as JSON beside the exercises (`Adapting.rules`). Not pure like the rest: it knows the days. A
routine is a week with one day, ROUTINE_DAY.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, cast
from uuid import UUID, uuid4

from training.models import exercise
from training.models.planned import PlanDay, PlannedExercise
from training.progression.groups import Entry, groups, key, shared_rule
from training.progression.loading import Loading, loading_of
from training.progression.rules import Rule, Wave, asked, begin, in_week, rule_from_json, rule_to_json
from training.progression.sessions import WARMUP, LoggedSet, Session, usual_weight_kg
from training.progression.targets import State, Target

DELOAD_PERCENT = 85.0
ROUTINE_DAY = 0  # in place of a weekday


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

    A fold begins where somebody sets a rule or types a target. Workouts that were stored before `since` are
    not part of it. `newest` is its last session that made a step.
    """

    id: str
    fold: int
    since: datetime.datetime
    places: tuple[Place, ...]
    rules: tuple[Rule, ...]
    start: State
    state: State
    newest: Position | None = None

    @property
    def rule(self) -> Rule:
        """The rule that is folded."""
        return shared_rule([Entry(0, 0, "", rule, self.state.target) for rule in self.rules])

    def to_json(self) -> dict[str, Any]:
        newest = self.newest and [self.newest.at.isoformat(), self.newest.workout_id]
        return {
            "id": self.id,
            "fold": self.fold,
            "since": self.since.isoformat(),
            "places": [list(place) for place in self.places],
            "rules": [rule_to_json(rule) for rule in self.rules],
            "start": self.start.to_json(),
            "state": self.state.to_json(),
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
            State.from_json(stored["start"]),
            State.from_json(stored["state"]),
            newest and Position(datetime.datetime.fromisoformat(newest[0]), newest[1]),
        )


@dataclass(frozen=True)
class Progression:
    """All rules of a plan, and its deload weeks.

    Weeks begin on Monday in the zone of the account. The first is the one in which the deload was set or the
    plan was activated, whichever is later: of a deload each fourth week, the fourth from there is lighter.
    """

    followed: tuple[Followed, ...] = ()
    deload_every: int | None = None
    deload_percent: float = DELOAD_PERCENT
    counted_from: datetime.date = datetime.date.min

    @property
    def is_empty(self) -> bool:
        return not self.followed and self.deload_every is None and self.deload_percent == DELOAD_PERCENT

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
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(
            tuple(map(Followed.from_json, stored["followed"])),
            stored["deload_every"],
            stored["deload_percent"],
            datetime.date.fromisoformat(stored["counted_from"]),
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
        targets = {place: target for one in all_followed for place, target in self.asked(one).items()}
        days: list[PlanDay] = []
        for day in self.days:
            entries = [
                with_target(entry, targets.get(Place(day["weekday"], position)))
                for position, entry in enumerate(day["exercises"])
            ]
            days.append(cast(PlanDay, {**day, "exercises": entries}))
        return days

    def day_of(self, exercise_id: str, done: Done) -> int | None:
        """The weekday of the plan on which the exercise of a workout was trained; None where it has none.

        That of its own weekday, else the only one, else the one with the nearest weight.
        """
        weights: dict[int, list[float]] = defaultdict(list)
        for place, entry in self.by_exercise[exercise_id]:
            weights[place.weekday].append(entry["weight_kg"])
        weekday = done.position.at.astimezone(self.zone).isoweekday()
        if weekday in weights or not weights:
            return weekday if weights else None
        sets = [one for some in done.sets_of[exercise_id] for one in some]
        lifts = Session("", done.position.at, sets).lifts
        weight_kg = usual_weight_kg(lifts) if lifts else 0
        return min(weights, key=lambda day: min(abs(weight_kg - other) for other in weights[day]))

    def sets_of_places(
        self, exercise_id: str, weekday: int, occurrences: Sequence[Sequence[LoggedSet]]
    ) -> dict[Place, list[LoggedSet]]:
        """The sets of an exercise for each of its entries in a day.

        Where the workout has it as often as the day, in their order. Else each entry in turn takes as many
        working sets as it asks for, and the last one the rest.
        """
        entries = [
            (place, entry["sets"])
            for place, entry in self.by_exercise[exercise_id]
            if place.weekday == weekday
        ]
        if len(entries) == len(occurrences):
            return {place: list(sets) for (place, _), sets in zip(entries, occurrences, strict=True)}
        left = [one for sets in occurrences for one in sets if one["completed"] and one["type"] != WARMUP]
        dealt: dict[Place, list[LoggedSet]] = {}
        for place, count in entries[:-1]:
            dealt[place], left = left[:count], left[count:]
        return {**dealt, entries[-1][0]: left} if entries else {}

    def session(
        self,
        progression: Progression,
        followed: Followed,
        done: Done,
        weekday: int | None = None,
        *,
        is_held: bool = False,
    ) -> tuple[int, Session] | None:
        """What a workout is to entries that share a target: the plan's day, and the session.

        None where it has no sets for them. `weekday` is the day of the plan where that is known.
        """
        exercise_id = self.exercise_of(followed).id
        occurrences = done.sets_of.get(exercise_id)
        if not occurrences:
            return None
        weekday = self.day_of(exercise_id, done) if weekday is None else weekday
        if weekday is None or all(place.weekday != weekday for place in followed.places):
            return None
        by_place = self.sets_of_places(exercise_id, weekday, occurrences)
        sets = [one for place in followed.places for one in by_place.get(place, ())]
        at = done.position.at.astimezone(self.zone)
        is_deload = progression.is_deload(at.date())
        session = Session(done.position.workout_id, at, sets, is_deload, is_held)
        return weekday, session


def with_target(entry: PlannedExercise, target: Target | None) -> PlannedExercise:
    if target is None:
        return entry
    return {**entry, "sets": target.sets, "reps": target.reps, "weight_kg": target.weight_kg}


def target_of(entry: PlannedExercise) -> Target:
    return Target(entry["sets"], entry["reps"], entry["weight_kg"])


def follow_entries(
    week: Week,
    rules: Mapping[Place, Rule],
    former: Progression,
    at: datetime.datetime,
    moved: Mapping[Place, Place],
    changed: Iterable[Place] = (),
) -> tuple[Followed, ...]:
    """The rules of a plan that somebody has changed: its entries, its rules or both.

    `moved` has the former place of each entry that was there before, `changed` the places of those whose
    target was typed. What has the same rule and target as before keeps its fold; anything else begins one.
    """
    places, typed = former.places, set(changed)
    kept: dict[str, list[Entry]] = defaultdict(list)
    fresh: list[Entry] = []
    for place, planned in week.entries():
        if place not in rules:
            continue
        entry = Entry(*place, planned["exercise_id"], rules[place], target_of(planned))
        known, rule = places.get(moved.get(place, place), (None, None)) if place in moved else (None, None)
        if known and rule == entry.rule and place not in typed:
            kept[known.id].append(entry)
        else:
            fresh.append(entry)
    by_id = {one.id: one for one in former.followed}
    for pk in list(kept):
        if breaks_wave(by_id[pk], kept[pk], fresh):
            fresh += kept.pop(pk)
    left = []
    for entry in sorted(fresh):
        same = next((pk for pk, some in kept.items() if is_same(entry, some[0])), None)
        if same:
            kept[same].append(entry)
        else:
            left.append(entry)
    stay = [with_entries(by_id[pk], some) for pk, some in kept.items()]
    taken = set(kept)
    for group in groups(left):
        known = first_known(group.entries, moved, former, taken)
        taken |= {known.id} if known else set()
        stay.append(begun(week, group.entries, known, at, typed))
    return tuple(sorted(stay, key=lambda one: one.places))


def breaks_wave(followed: Followed, entries: Sequence[Entry], fresh: Iterable[Entry]) -> bool:
    """Whether a wave has lost or gained a line: its weeks are others then."""
    if not isinstance(followed.rule, Wave):
        return False
    return len(entries) != len(followed.places) or any(key(one) == key(entries[0]) for one in fresh)


def is_same(entry: Entry, other: Entry) -> bool:
    return not isinstance(entry.rule, Wave) and key(entry) == key(other)


def with_entries(followed: Followed, entries: Sequence[Entry]) -> Followed:
    entries = sorted(entries, key=lambda one: (one.weekday, one.position))
    places = tuple(Place(one.weekday, one.position) for one in entries)
    return replace(followed, places=places, rules=tuple(one.rule for one in entries))


def first_known(
    entries: Sequence[Entry], moved: Mapping[Place, Place], former: Progression, taken: set[str]
) -> Followed | None:
    """The former rule of one of the entries, whose id and steps go on."""
    places = former.places
    for entry in entries:
        place = Place(entry.weekday, entry.position)
        if place in moved and moved[place] in places and places[moved[place]][0].id not in taken:
            return places[moved[place]][0]
    return None


def begun(
    week: Week, entries: Sequence[Entry], known: Followed | None, at: datetime.datetime, typed: set[Place]
) -> Followed:
    """A new fold, from what the entries ask."""
    rule = shared_rule(list(entries))
    places = tuple(Place(one.weekday, one.position) for one in entries)
    rules = tuple(one.rule for one in entries)
    state = State(entries[0].target)
    one = Followed(str(uuid4()), 1, at, places, rules, state, state)
    loading = week.loading(one)
    if known and isinstance(rule, Wave) and has_same_maximum(rule, known.rule):
        state = typed_wave(rule, known.state, entries, typed, loading)
    else:
        state = begin(rule, entries[0].target, loading)
    if known:
        one = replace(one, id=known.id, fold=known.fold + 1)
    return replace(one, start=state, state=state)


def has_same_maximum(rule: Wave, former: Rule) -> bool:
    """Whether a wave has the training max that somebody gave the former one, and goes on with today's."""
    return (
        isinstance(former, Wave)
        and former.training_max_kg == rule.training_max_kg
        and len(former.weeks) == len(rule.weeks)
    )


def typed_wave(
    rule: Wave, state: State, entries: Sequence[Entry], typed: set[Place], loading: Loading
) -> State:
    """The same week of a wave, with the training max of which somebody has typed a percentage."""
    training_max_kg = state.training_max_kg
    for line, entry in zip(rule.weeks[state.week], entries, strict=True):
        if Place(entry.weekday, entry.position) in typed and entry.target.weight_kg:
            training_max_kg = min(entry.target.weight_kg * 100 / line.percent, 2000)
            break
    return in_week(rule, state.week, training_max_kg, state.misses, loading)


def matched(new: Week, old: Week, rules: Mapping[Place, Rule]) -> dict[Place, Place]:
    """For entries of a changed plan the places that they had before, as far as these have rules.

    The same place and exercise first, then the exercise elsewhere in the day, then what took its place. A
    wave's training max is of its exercise, and does not pass on to another.
    """
    left = {place: entry["exercise_id"] for place, entry in old.entries() if place in rules}
    found: dict[Place, Place] = {}
    wanted = {place: entry for place, entry in new.entries() if entry["exercise_id"] not in new.assisted}

    def take(place: Place, former: Place | None) -> None:
        if former is not None and place not in found:
            found[place] = former
            del left[former]

    for place, entry in wanted.items():
        take(place, place if left.get(place) == entry["exercise_id"] else None)
    for place, entry in wanted.items():
        if place not in found:
            same_day = (one for one in left if one.weekday == place.weekday)
            take(place, next((one for one in same_day if left[one] == entry["exercise_id"]), None))
    for place in wanted:
        is_free = place in left and not isinstance(rules[place], Wave)
        take(place, place if is_free else None)
    return found
