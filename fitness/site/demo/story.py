"""The story behind the demo's data: weeks with and without training, and phases of eating."""

import datetime
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from fitness.days import ONE_DAY


class Dice(random.Random):
    """A random generator with a seed, so that the demo's data can be repeated."""

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def near(self, mean: float, deviation: float, step: float | None = None) -> float:
        """A normally distributed number, rounded to a multiple of `step` if there is one."""
        drawn = self.gauss(mean, deviation)
        return round(round(drawn / step) * step, 6) if step else drawn

    def time_on(self, day: datetime.date, hour: float, deviation_minutes: float) -> datetime.datetime:
        """A time of a day around an hour (6.5 is half past six), in UTC and to the second."""
        minutes = min(max(self.near(hour * 60, deviation_minutes), 0), 24 * 60 - 1)
        midnight = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
        return midnight + datetime.timedelta(seconds=int(minutes * 60))

    def uuid7_at(self, time: datetime.datetime) -> UUID:
        """A UUIDv7 (RFC 9562) as an instance gets that is created at this time."""
        milliseconds = int(time.timestamp() * 1000)
        return UUID(
            int=milliseconds << 80 | 7 << 76 | self.getrandbits(12) << 64 | 2 << 62 | self.getrandbits(62)
        )


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
    kind: str  # training, holiday or ill
    weeks_trained: int  # before this week

    @property
    def is_missed(self) -> bool:
        return self.kind != "training"


class Story:
    """The weeks, weights and phases from `start` to yesterday. The same arguments make the same story."""

    def __init__(self, email: str, today: datetime.date, days: int) -> None:
        self.seed = f"{email} {today} {days}"
        self.days = [today - ONE_DAY * back for back in range(days, 0, -1)]
        self.start = self.days[0]
        self.phases = list(self.make_phases())
        self.weeks = dict(self.make_weeks())
        self.weights_kg = dict(self.make_weights())

    def dice(self, part: str) -> Dice:
        """The random generator of one part of the data: a change of a part leaves all others as they are."""
        return Dice(f"{self.seed} {part}")

    def make_phases(self) -> Iterator[tuple[datetime.date, Phase]]:
        """(first day, Phase) of every phase that has begun."""
        first = self.start
        for phase in itertools.cycle(PHASES):
            if first > self.days[-1]:
                return
            yield first, phase
            first += ONE_DAY * phase.days

    def make_weeks(self) -> Iterator[tuple[datetime.date, Week]]:
        dice, weeks_trained = self.dice("weeks"), 0
        for monday in dict.fromkeys(map(monday_of, self.days)):
            week = Week(dice.choices(["training", "holiday", "ill"], [91, 6, 3])[0], weeks_trained)
            yield monday, week
            weeks_trained += not week.is_missed

    def make_weights(self) -> Iterator[tuple[datetime.date, float]]:
        """The weight in kg on each day, without the deviations of scales and meals."""
        dice, weight_kg = self.dice("weight"), START_KG
        for day in self.days:
            weight_kg += dice.near(self.phase(day).kg_per_week / 7, 0.04)
            yield day, weight_kg

    def week(self, day: datetime.date) -> Week:
        return self.weeks[monday_of(day)]

    def phase(self, day: datetime.date) -> Phase:
        return [phase for first, phase in self.phases if first <= day][-1]


def monday_of(day: datetime.date) -> datetime.date:
    return day - ONE_DAY * day.weekday()
