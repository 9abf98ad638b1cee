"""The story behind the demo's data: its days, with phases of eating and weeks away from training."""

import datetime
import itertools
import random
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from accounts.models import Account
from fitness.days import ONE_DAY
from fitness.db.owned import Owned

START_KG = 79.5  # of body weight
AWAY = 0.09  # of the weeks
M = TypeVar("M", bound=Owned)


class Phase(NamedTuple):
    goal: str  # one of Account.TrainingGoal
    days: int
    kg_per_week: float
    surplus_kcal: int


PHASES = (Phase("bulk", 140, 0.22, 280), Phase("cut", 98, -0.42, -450), Phase("maintain", 63, 0.0, 0))


class Day(NamedTuple):
    date: datetime.date
    phase: Phase
    weight_kg: float  # without the deviations of scales and meals
    weeks_trained: int  # before its week
    is_away: bool  # no training in its week: ill, or on holiday


class Dice(random.Random):
    """A random generator with a seed, so that the demo's data can be repeated."""

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def time_on(self, day: Day, hour: float, deviation_minutes: float) -> datetime.datetime:
        """A time around an hour of a day (6.5 is half past six), in UTC and to the second."""
        midnight = datetime.datetime.combine(day.date, datetime.time(), datetime.UTC)
        return midnight + datetime.timedelta(seconds=int(60 * self.gauss(60 * hour, deviation_minutes)))

    def uuid7_at(self, time: datetime.datetime) -> UUID:
        """A UUIDv7 (RFC 9562) as an instance gets that is created at this time."""
        milliseconds, random_bits = int(time.timestamp() * 1000), self.getrandbits(74)
        return UUID(
            int=milliseconds << 80 | 7 << 76 | random_bits >> 62 << 64 | 2 << 62 | random_bits % 2**62
        )


class Story:
    """The days of an account up to yesterday, oldest first. The same arguments make the same story."""

    def __init__(self, account: Account, today: datetime.date, days: int) -> None:
        self.account, self.seed = account, f"{account.email} {today} {days}"
        self.days = list(self.make_days([today - ONE_DAY * back for back in range(days, 0, -1)]))

    def dice(self, part: str) -> Dice:
        """The random generator of one part of the data: a change of a part leaves all others as they are."""
        return Dice(f"{self.seed} {part}")

    def make_days(self, dates: list[datetime.date]) -> Iterator[Day]:
        dice, weight_kg, weeks_trained = self.dice("days"), START_KG, 0
        is_away = dice.chance(AWAY)
        phases = itertools.cycle(phase for phase in PHASES for _ in range(phase.days))
        for date, phase in zip(dates, phases, strict=False):
            if date.weekday() == 0 and date != dates[0]:
                weeks_trained += not is_away
                is_away = dice.chance(AWAY)
            weight_kg += dice.gauss(phase.kg_per_week / 7, 0.04)
            yield Day(date, phase, weight_kg, weeks_trained, is_away)

    def record(self, dice: Dice, model: type[M], at: datetime.datetime, field: str, **values: Any) -> M:
        """An unsaved instance of the account whose `field` has the time at which it was created."""
        return model(id=dice.uuid7_at(at), account=self.account, **{field: at}, **values)
