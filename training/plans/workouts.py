"""Workouts as the rules of a plan read them: which day each counts for, and which sets each rule judges."""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self
from uuid import UUID

from training.models.workout_exercise import WorkoutEntry
from training.plans.plan_rules import Place, PlanRule, PlanWeek, SessionKey
from training.plans.steps import LoggedSet, Session, usual_weight_kg, worked

MAX_SETS = 100  # that an entry asks for


@dataclass(frozen=True)
class LoggedWorkout:
    """What was lifted in a workout: the sets of each occurrence of each exercise."""

    key: SessionKey
    stored_at: datetime.datetime
    sets_of: Mapping[str, Sequence[Sequence[LoggedSet]]]

    @classmethod
    def of(
        cls,
        workout_id: UUID,
        started_at: datetime.datetime,
        stored_at: datetime.datetime,
        entries: Iterable[WorkoutEntry],
    ) -> Self:
        sets_of: dict[str, list[Any]] = {}
        for entry in entries:
            sets_of.setdefault(entry["exercise"].id, []).append(entry["sets"])
        return cls(SessionKey(started_at, str(workout_id)), stored_at, sets_of)


@dataclass(frozen=True)
class Origin:
    """What a workout was begun from, and which targets its owner wants to keep.

    `routine_id` is the routine, whose targets then follow the workout. `weekday` is the day (1 to 7) of the
    workout's plan; without it the day is guessed. `held_rules` are the ids of the rules that change nothing.
    `forgives_untried`: it was begun with all sets to tick, so one that was left out is no miss.
    """

    routine_id: UUID | None = None
    weekday: int | None = None
    held_rules: frozenset[str] = frozenset()
    forgives_untried: bool = False


class Sessions:
    """The sessions of a workout: the sets that each rule of a week judges."""

    def __init__(self, week: PlanWeek, workout: LoggedWorkout, weekday: int | None = None) -> None:
        """`weekday` is the day of the plan where that is known, because the workout was begun from it."""
        self.week, self.workout, self.weekday = week, workout, weekday
        self.at = workout.key.at.astimezone(week.zone)
        self.sets_of = cache(self.sets_of_exercise)  # rules of one exercise share its sets
        self.day_of = cache(self.day_of_exercise)

    def of(
        self,
        rule: PlanRule,
        *,
        is_deload: bool = False,
        is_held: bool = False,
        forgives_untried: bool = False,
    ) -> tuple[int, Session] | None:
        """The day of the plan, and the session; None where the workout has no sets for these entries."""
        exercise_id = self.week.entry_of(rule)["exercise_id"]
        if not self.workout.sets_of.get(exercise_id):
            return None
        weekday = self.day_of(exercise_id) if self.weekday is None else self.weekday
        if weekday is None or all(place.weekday != weekday for place in rule.places):
            return None
        by_place = self.sets_of(exercise_id, weekday)
        sets = [one for place in rule.places for one in by_place.get(place, ())]
        forgives = forgives_untried and not self.has_failed(exercise_id)
        workout_id = self.workout.key.workout_id
        return weekday, Session(workout_id, self.at, sets, is_deload, is_held, forgives)

    def has_failed(self, exercise_id: str) -> bool:
        """Whether a set was tried without a repetition, which `worked` leaves out."""
        sets = [one for some in self.workout.sets_of[exercise_id] for one in some]
        return any(one["completed"] and not one["reps"] for one in sets)

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
        sets = [one for some in self.workout.sets_of[exercise_id] for one in some]
        lifts = Session("", self.at, sets).first_lifts(MAX_SETS)
        weight_kg = usual_weight_kg(lifts) if lifts else 0
        return min(weights, key=lambda day: min(abs(weight_kg - other) for other in weights[day]))

    def sets_of_exercise(self, exercise_id: str, weekday: int) -> dict[Place, list[LoggedSet]]:
        """The sets of an exercise for each of its entries in a day.

        Where the workout has it as often as the day, in their order. Else each entry in turn takes as many
        working sets as it asks for, and the last one the rest.
        """
        occurrences = self.workout.sets_of[exercise_id]
        entries = [
            (place, entry["sets"])
            for place, entry in self.week.by_exercise[exercise_id]
            if place.weekday == weekday
        ]
        if len(entries) == len(occurrences):
            return {place: list(sets) for (place, _), sets in zip(entries, occurrences, strict=True)}
        left = worked(one for sets in occurrences for one in sets)
        found: dict[Place, list[LoggedSet]] = {}
        for place, count in entries[:-1]:
            found[place], left = left[:count], left[count:]
        return {**found, entries[-1][0]: left} if entries else {}
