"""What a plan or routine asks for on one of its days: by its rules, and in a deload week less."""

import datetime
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from training.models.planned import PlannedExercise
from training.progression.loading import default_increment_kg, loading_of
from training.progression.plans import Followed, Place, Progression, Week, target_of
from training.progression.reasons import reason
from training.progression.rules import lighter
from training.progression.steps import Step
from training.progression.targets import Target


@dataclass(frozen=True)
class Asked:
    """What is asked of one entry of a day, with its rule."""

    entry: PlannedExercise
    place: Place
    target: Target
    followed: Followed | None = None
    is_deload: bool = False

    @property
    def is_binding(self) -> bool:
        """Whether somebody should lift this rather than what they did last time."""
        return self.followed is not None or (self.is_deload and not self.target.is_weightless)

    @property
    def is_first_of_rule(self) -> bool:
        """Whether no entry of the day before this one has the same rule."""
        if self.followed is None:
            return False
        return min(one for one in self.followed.places if one.weekday == self.place.weekday) == self.place


def asked_on(week: Week, progression: Progression, weekday: int, today: datetime.date) -> list[Asked]:
    """What is asked of each entry of a day, in their order."""
    rules, is_deload = progression.places, progression.is_deload(today)
    found = []
    for place, entry in week.entries():
        if place.weekday != weekday:
            continue
        followed, _ = rules.get(place, (None, None))
        target = week.asked(followed)[place] if followed else target_of(entry)
        if is_deload:
            target = lighter_target(week, progression, place)
        found.append(Asked(entry, place, target, followed, is_deload))
    return found


def lighter_target(week: Week, progression: Progression, place: Place) -> Target:
    """What a deload week asks of an entry. The weight of an assisted exercise is help, so it stays."""
    entry = week.by_place[place]
    target, equipment = target_of(entry), entry["equipment"]
    if target.is_weightless or entry["exercise_id"] in week.assisted:
        return target
    followed, _ = progression.places.get(place, (None, None))
    default = loading_of(equipment, week.unit, default_increment_kg(equipment, week.unit))
    return lighter(target, progression.deload_percent, week.loading(followed) if followed else default)


def reason_of(asked: Asked, steps: Mapping[str, Step], week: Week) -> str:
    """Why its target is what it is.

    Empty for a second entry of a rule, where nothing happened yet, and in a deload week, which asks for
    another weight than the step does.
    """
    if asked.is_deload or asked.followed is None or not asked.is_first_of_rule:
        return ""
    if asked.followed.id not in steps:
        return ""
    return reason(steps[asked.followed.id], week.unit, week.zone)


def day_asked(week: Week, progression: Progression, weekday: int, today: datetime.date) -> dict[str, Any]:
    """A day of a plan as it is trained today, for a page: `is_deload`, and targets that may be `open`.

    Without rules the day as it is stored.
    """
    day = next(one for one in week.days if one["weekday"] == weekday)
    if progression.is_empty:
        return {**day}
    asked = asked_on(week, progression, weekday, today)
    is_deload = progression.is_deload(today)
    return {
        **day,
        "exercises": [{**one.entry, **asdict(one.target)} for one in asked],
        "is_deload": is_deload,
    }
