"""The axes of charts: what is written beside them, and where on them a value or a day is.

A day may also be a datetime, which lies between its day and the next one.
"""

import datetime
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from fitness.web.units import in_local_form

MIN_RANGE = 0.01  # values closer together than this are drawn as one value
EDGE_PERCENT = 4  # labels this near to a side are aligned to that side
MICROSECONDS = 86_400_000_000  # of a day

Point = tuple[datetime.date, float]  # the day and the value


@dataclass(frozen=True)
class Tick:
    percent: float  # of the axis
    label: str

    @property
    def anchor(self) -> str:
        """Where the label is anchored: labels at the sides stay within the chart."""
        if self.percent < EDGE_PERCENT:
            return "start"
        return "end" if self.percent > 100 - EDGE_PERCENT else "middle"


class ValueAxis:
    """An axis from `low` to `high` in steps of 1, 2, 2.5 or 5 times a power of ten.

    It goes below zero only where a value does. With `whole`, for values that are counted, steps are integers.
    """

    def __init__(
        self, values: Iterable[float], steps: int = 4, from_zero: bool = False, whole: bool = False
    ) -> None:
        values = list(values)
        low, high = min(values, default=0.0), max(values, default=0.0)
        if from_zero:
            low = min(low, 0)
        if high - low < MIN_RANGE:
            bottom = 0 if from_zero or 0 <= low < 1 else low - 1
            low, high = bottom, max(high, 1) if from_zero else high + 1
        self.step = nice_step((high - low) / steps)
        if whole:
            self.step = max(math.floor(self.step), 1)
        self.low = math.floor(low / self.step + 1e-9) * self.step
        self.high = math.ceil(high / self.step - 1e-9) * self.step

    def fraction(self, value: float) -> float:
        """The position of a value on the axis: 0 is `low`, 1 is `high`."""
        return (value - self.low) / (self.high - self.low)

    def from_top(self, value: float) -> float:
        """The position of a value in percent from the top of the plot."""
        return round(100 - 100 * self.fraction(value), 2)

    @property
    def ticks(self) -> list[Tick]:
        return [Tick(self.from_top(value), label) for value, label in self.labels]

    @property
    def labels(self) -> list[tuple[float, str]]:
        """The values of the ticks and what is written beside them."""
        count = round((self.high - self.low) / self.step)
        values = [self.low + index * self.step for index in range(count + 1)]
        return [(value, tick_label(value, self.step)) for value in values]


class DayAxis:
    """An axis from one day to another."""

    def __init__(self, first: datetime.date, last: datetime.date) -> None:
        self.start, self.length = day_number(first), day_number(last) - day_number(first)

    @classmethod
    def over(cls, *days: datetime.date | None) -> Self:
        """The shortest one with all of the days."""
        known = [day for day in days if day]
        return cls(min(known, key=day_number), max(known, key=day_number))

    def fraction(self, day: datetime.date) -> float:
        """The position of a day on the axis: 0 is its first day, 1 its last. The middle if it has one day."""
        return (day_number(day) - self.start) / self.length if self.length else 0.5


def nice_step(min_step: float) -> float:
    """The smallest of 1, 2, 2.5 or 5 times a power of ten that is at least `min_step`.

    A tolerance of 0.1 % absorbs rounding. The idea is that of Heckbert, "Nice Numbers for Graph Labels",
    Graphics Gems (1990).
    """
    power: float = 10 ** math.floor(math.log10(min_step))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= min_step * 0.999)


def tick_label(value: float, step: float) -> str:
    """A value with as many decimals as the step of its axis has, and its thousands grouped."""
    decimals = next(count for count in range(12) if math.isclose(round(step, count), step))
    return in_local_form(f"{value + 0.0:,.{decimals}f}")


def day_number(day: datetime.date) -> float:
    """A day or a datetime as a number of days since 0001-01-01."""
    if not isinstance(day, datetime.datetime):
        return day.toordinal()
    passed = 60 * (60 * day.hour + day.minute) + day.second
    return day.toordinal() + (1_000_000 * passed + day.microsecond) / MICROSECONDS
