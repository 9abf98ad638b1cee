"""Charts that templates draw as SVG: sparklines, bars and the calendar.

Render one with `{% include "charts/bars.html" with chart=chart %}`, and so on for the others. SVG has no size
of its own. Positions are percentages of the plot ("x", "y"), or thousandths of it inside a path, so that the
stylesheet sets the size and text keeps its size.
"""

import datetime
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import NamedTuple, TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fitness.days import ONE_DAY, begin_of_week
from fitness.web.axes import DayAxis, Point, Tick, ValueAxis
from fitness.web.charts import GoalLine
from fitness.web.days import format_month, format_short_day
from fitness.web.language import current


class BarRect(TypedDict):
    """The drawing of a bar."""

    x: float
    y: float
    width: float
    height: float
    title: str


class CalendarCell(NamedTuple):
    """The drawing of a day with events."""

    day: str
    x: float  # in percent, as `y`
    y: float
    level: int  # 1, 2 or 3
    title: str


@dataclass(frozen=True)
class Sparkline:
    """A line through points, oldest first, or steps from one to the next.

    `since` and `until` widen the time axis beyond the points.
    """

    points: Sequence[Point]
    since: datetime.date | None = None
    until: datetime.date | None = None
    in_steps: bool = False

    @cached_property
    def x_axis(self) -> DayAxis:
        return DayAxis.over(*(day for day, _ in self.points), self.since, self.until)

    @cached_property
    def y_axis(self) -> ValueAxis:
        values = [value for _, value in self.points]
        return ValueAxis(values, 2, whole=all(isinstance(value, int) for value in values))

    @property
    def path(self) -> str:
        """In thousandths of the plot; a dot where there is one point."""
        (first_x, first_y), *others = map(self.coordinates, self.points)
        lines = (f"H{x}V{y}" if self.in_steps else f"L{x} {y}" for x, y in others)
        return f"M{first_x} {first_y}{''.join(lines)}h0"

    @property
    def ends(self) -> list[tuple[float, float]]:
        """The first and the last point, in percent of the plot."""
        return [(x / 10, y / 10) for x, y in map(self.coordinates, (self.points[0], self.points[-1]))]

    def coordinates(self, point: Point) -> tuple[float, float]:
        """The point in thousandths of the plot, from the left and from the top."""
        day, value = point
        return round(1000 * self.x_axis.fraction(day), 1), round(1000 - 1000 * self.y_axis.fraction(value), 1)


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    note: str = ""  # added to the tooltip behind the value


@dataclass(frozen=True)
class BarChart(GoalLine):
    """One bar for each label, from zero up. Of many labels, about `labels` are written."""

    title: str
    bars: Sequence[Bar]
    unit: str = ""
    goal: float | None = None
    steps: int = 4
    labels: int = 4

    @property
    def is_empty(self) -> bool:
        return not any(bar.value for bar in self.bars)

    @cached_property
    def y_axis(self) -> ValueAxis:
        values = [bar.value for bar in self.bars]
        goals = [] if self.goal is None else [self.goal]
        return ValueAxis([*values, *goals], self.steps, from_zero=True)

    @property
    def goal_y(self) -> float | None:
        return None if self.goal is None else self.y_axis.from_top(self.goal)

    @property
    def rects(self) -> Iterator[BarRect]:
        """The drawings of the bars that have a height."""
        slot = 100 / len(self.bars)
        for index, bar in enumerate(self.bars):
            if bar.value:
                yield {
                    "x": round(slot * (index + 0.15), 3),
                    "y": self.y_axis.from_top(bar.value),
                    "width": round(slot * 0.7, 3),
                    "height": round(100 * self.y_axis.fraction(bar.value), 2),
                    "title": f"{bar.label}: {self.format_value(bar.value)}{bar.note}",
                }

    @property
    def x_ticks(self) -> list[Tick]:
        """The labels that are written: that of the last bar, which is often today's, and every nth before."""
        every_nth = math.ceil(len(self.bars) / self.labels)
        slot = 100 / len(self.bars)
        return [
            Tick(round(slot * (index + 0.5), 2), bar.label)
            for index, bar in enumerate(self.bars)
            if (len(self.bars) - 1 - index) % every_nth == 0
        ]

    @property
    def summary(self) -> list[str]:
        """Two sentences for screen readers; none without values."""
        filled = [bar for bar in self.bars if bar.value]
        if not filled:
            return []
        highest = max(filled, key=lambda bar: bar.value)
        last = self.format_value(self.bars[-1].value)
        mean = self.format_value(math.fsum(bar.value for bar in filled) / len(filled))
        return [
            _("%(filled)s of %(all)s have a value, %(mean)s on average.")
            % {"filled": len(filled), "all": len(self.bars), "mean": mean},
            _("Highest: %(highest)s (%(label)s). Last: %(last)s.")
            % {"highest": self.format_value(highest.value), "label": highest.label, "last": last},
        ]


@lru_cache(maxsize=4_000)  # a calendar has up to 371 days, which are the same on the next page
def workouts_on(day: datetime.date, count: int, language: str | None) -> str:
    """The title of a day in the current language, which is part of the key alone."""
    text = ngettext("%(day)s: %(count)s workout", "%(day)s: %(count)s workouts", count)
    return text % {"day": format_short_day(day), "count": count}


@dataclass(frozen=True)
class Calendar:
    """A year of days in columns of weeks, coloured by the number of workouts on each day.

    `first_weekday` is on top: 1 for Monday, up to 7.
    """

    title: str
    counts: Mapping[datetime.date, int]
    until: datetime.date
    weeks: int = 53
    first_weekday: int = 1

    @cached_property
    def since(self) -> datetime.date:
        return begin_of_week(self.until, self.first_weekday) - ONE_DAY * 7 * (self.weeks - 1)

    @cached_property
    def days(self) -> list[datetime.date]:
        return [self.since + ONE_DAY * number for number in range((self.until - self.since).days + 1)]

    @property
    def blank_path(self) -> str:
        """All days without an event as one path: an element for each would be up to 371, without tooltips."""
        blanks = (self.corner(day) for day in self.days if not self.counts.get(day))
        width, height = round(1000 * 0.82 / self.weeks, 1), round(1000 * 0.82 / 7, 1)
        return "".join(f"M{x * 10:.1f} {y * 10:.1f}h{width}v{height}h-{width}z" for x, y in blanks)

    @property
    def levels(self) -> list[tuple[int, list[CalendarCell]]]:
        """The days with events. Successive ones of a level share a group, which has its colour."""
        return [(level, list(cells)) for level, cells in itertools.groupby(self.cells, attrgetter("level"))]

    @property
    def cells(self) -> Iterator[CalendarCell]:
        language = current()
        for day in self.days:
            if count := self.counts.get(day):
                yield CalendarCell(
                    f"{day}", *self.corner(day), min(count, 3), workouts_on(day, count, language)
                )

    @property
    def month_ticks(self) -> list[Tick]:
        months = [day for day in self.days if day.day == 1]
        ticks = [Tick(self.corner(month)[0], format_month(month)) for month in months]
        return [tick for tick in ticks if tick.percent <= 97]

    @property
    def summary(self) -> list[str]:
        active = [day for day in self.days if self.counts.get(day)]
        total = sum(self.counts[day] for day in active)
        text = ngettext(
            "%(total)s workout on %(active)s of %(days)s days up to %(until)s.",
            "%(total)s workouts on %(active)s of %(days)s days up to %(until)s.",
            total,
        )
        days = {"active": len(active), "days": len(self.days), "until": format_short_day(self.until)}
        return [text % {"total": total, **days}]

    def corner(self, day: datetime.date) -> tuple[float, float]:
        """The upper left corner of a day's cell, in percent of the plot."""
        week, weekday = divmod((day - self.since).days, 7)
        return round(100 * week / self.weeks, 3), round(100 * weekday / 7, 3)
