"""What a made-up lifter lives through: weeks of training and weeks without, phases of eating."""

import datetime
from dataclasses import dataclass

from fitness.site.demo.dice import Dice

DELOAD_EVERY = 6  # weeks of training
START_KG = 79.5
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Phase:
    goal: str  # of Account.TrainingGoal
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
    trained: int  # how many weeks of training lie behind

    @property
    def is_missed(self):
        return self.kind in ("holiday", "ill")


class Story:
    """The days from `start` up to yesterday. The same for the same account's email and the same day."""

    def __init__(self, email, today, days):
        self.seed = f"{email} {today} {days}"
        self.days = [today - DAY * back for back in range(days, 0, -1)]
        self.start = self.days[0]
        self.weeks = {week.monday: week for week in self.told_weeks()}
        self.weights_kg = dict(zip(self.days, self.told_weights(), strict=True))

    def dice(self, part):
        """Chance for one part of the data, independent of all other parts."""
        return Dice(f"{self.seed} {part}")

    def told_weeks(self):
        dice = self.dice("weeks")
        trained, monday = 0, monday_of(self.start)
        while monday <= self.days[-1]:
            kind = dice.choices(["training", "holiday", "ill"], [91, 6, 3])[0]
            if kind == "training" and trained % DELOAD_EVERY == DELOAD_EVERY - 1:
                kind = "deload"
            week = Week(monday, kind, trained)
            yield week
            trained += not week.is_missed
            monday += DAY * 7

    def told_weights(self):
        """The lifter's true weight in kg on each day, before scales and breakfast blur it."""
        dice, weight_kg = self.dice("weight"), START_KG
        for day in self.days:
            weight_kg += dice.near(self.phase(day).kg_per_week / 7, 0.04)
            yield weight_kg

    def week(self, day):
        return self.weeks[monday_of(day)]

    def phases(self):
        """(first day, Phase) for every phase that has begun."""
        first, index = self.start, 0
        while first <= self.days[-1]:
            phase = PHASES[index % len(PHASES)]
            yield first, phase
            first, index = first + DAY * phase.days, index + 1

    def phase(self, day):
        into = (day - self.start).days % sum(phase.days for phase in PHASES)
        for phase in PHASES:
            if into < phase.days:
                return phase
            into -= phase.days
        raise AssertionError("a day lies in one of the phases")


def monday_of(day):
    return day - DAY * day.weekday()
