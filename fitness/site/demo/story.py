"""The story behind the demo's data: weeks with and without training, and phases of eating."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

from fitness.days import ONE_DAY
from fitness.site.demo.dice import Dice
from fitness.site.demo.programme import DELOAD_EVERY

START_KG = 79.5


@dataclass(frozen=True)
class Phase:
    goal: str  # one of Account.TrainingGoal
    days: int
    kg_per_week: float
    surplus_kcal: int


PHASES = (
    Phase("bulk", 140, 0.22, 280),
    Phase("cut", 98, -0.42, -450),
    Phase("maintain", 63, 0.0, 0),
)


@dataclass(frozen=True)
class Week:
    monday: datetime.date
    kind: str  # training, deload, holiday or ill
    weeks_trained: int  # before this week

    @property
    def is_missed(self) -> bool:
        return self.kind in ("holiday", "ill")


class Story:
    """The weeks, weights and phases from `start` to yesterday. The same arguments make the same story."""

    def __init__(self, email: str, today: datetime.date, days: int) -> None:
        self.seed = f"{email} {today} {days}"
        self.days = [today - ONE_DAY * back for back in range(days, 0, -1)]
        self.start = self.days[0]
        self.weeks = {week.monday: week for week in self.make_weeks()}
        self.weights_kg = dict(zip(self.days, self.make_weights(), strict=True))

    def dice(self, part: str) -> Dice:
        """The random generator of one part of the data: a change of a part leaves all others as they are."""
        return Dice(f"{self.seed} {part}")

    def make_weeks(self) -> Iterator[Week]:
        dice = self.dice("weeks")
        weeks_trained, monday = 0, monday_of(self.start)
        while monday <= self.days[-1]:
            kind = dice.choices(["training", "holiday", "ill"], [91, 6, 3])[0]
            if kind == "training" and weeks_trained % DELOAD_EVERY == DELOAD_EVERY - 1:
                kind = "deload"
            week = Week(monday, kind, weeks_trained)
            yield week
            weeks_trained += not week.is_missed
            monday += ONE_DAY * 7

    def make_weights(self) -> Iterator[float]:
        """The weight in kg on each day, without the deviations of scales and meals."""
        dice, weight_kg = self.dice("weight"), START_KG
        for day in self.days:
            weight_kg += dice.near(self.phase(day).kg_per_week / 7, 0.04)
            yield weight_kg

    def week(self, day: datetime.date) -> Week:
        return self.weeks[monday_of(day)]

    def phases(self) -> Iterator[tuple[datetime.date, Phase]]:
        """(first day, Phase) of every phase that has begun."""
        first, index = self.start, 0
        while first <= self.days[-1]:
            phase = PHASES[index % len(PHASES)]
            yield first, phase
            first, index = first + ONE_DAY * phase.days, index + 1

    def phase(self, day: datetime.date) -> Phase:
        day_of_cycle = (day - self.start).days % sum(phase.days for phase in PHASES)
        for phase in PHASES:
            if day_of_cycle < phase.days:
                return phase
            day_of_cycle -= phase.days
        raise AssertionError("a day lies in one of the phases")


def monday_of(day: datetime.date) -> datetime.date:
    return day - ONE_DAY * day.weekday()
