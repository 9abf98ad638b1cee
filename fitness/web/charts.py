"""Charts as plain data: from days and values to drawing coordinates, which templates turn into SVG.

A chart has no size of its own. Positions are percentages of the plot ("x", "y"), or thousandths of
it inside a path, so that the stylesheet decides how large it is and its text keeps its size.
Render one with `{% include "charts/line.html" with chart=chart %}`, and so on for the others.
"""

import datetime
import itertools
import math
from dataclasses import dataclass, field
from functools import cached_property

from fitness.web.units import spelled

DAY = datetime.timedelta(days=1)
MONTH_STEPS = (1, 2, 3, 6, 12)
NARROW = 0.01  # values closer together than this are one value to an axis
EDGE = 4  # percent from a side within which a label is aligned to that side


@dataclass(frozen=True)
class Tick:
    at: float  # percent of the axis
    label: str

    @property
    def anchor(self):
        if self.at < EDGE:
            return "start"
        return "end" if self.at > 100 - EDGE else "middle"


@dataclass(frozen=True)
class Mark:
    x: float
    y: float
    title: str


class ValueAxis:
    """An axis from `low` to `high` in steps that people count in: 1, 2, 2.5 or 5 times a power of ten."""

    def __init__(self, values, steps=4, from_zero=False):
        low, high = min(values, default=0), max(values, default=0)
        if from_zero:
            low = min(low, 0)
        if high - low < NARROW:
            low, high = (0, max(high, 1)) if from_zero else (low - 1, high + 1)
        self.step = human_step((high - low) / steps)
        self.low = math.floor(low / self.step + 1e-9) * self.step
        self.high = math.ceil(high / self.step - 1e-9) * self.step

    def share(self, value):
        return (value - self.low) / (self.high - self.low)

    def from_top(self, value):
        return round(100 - 100 * self.share(value), 2)

    @property
    def ticks(self):
        count = round((self.high - self.low) / self.step)
        values = (self.low + index * self.step for index in range(count + 1))
        return [Tick(self.from_top(value), rounded_label(value, self.step)) for value in values]


class DayAxis:
    """An axis from one day or moment to another."""

    def __init__(self, first, last):
        self.first, self.last = as_day(first), as_day(last)
        self.start, self.length = position(first), position(last) - position(first)

    def share(self, day):
        return (position(day) - self.start) / self.length if self.length else 0.5

    @property
    def ticks(self):
        return [Tick(round(100 * self.share(day), 2), self.label(day)) for day in self.tick_days]

    @property
    def tick_days(self):
        if self.length <= 7:
            return [self.first + DAY * index for index in range(int(self.length) + 1)]
        if self.length <= 42:
            monday = self.first + DAY * (-self.first.weekday() % 7)
            return list(every(DAY * 7, monday, self.last))
        months = list(month_starts(self.first, self.last))
        step = next(step for step in MONTH_STEPS if step == 12 or len(months) <= 6 * step)
        chosen = [month for month in months if (month.month - 1) % step == 0]
        years = math.ceil(len(chosen) / 6)
        return [month for month in chosen if step < 12 or month.year % years == 0]

    def label(self, day):
        if self.length <= 42:
            return f"{day.day} {day:%b}"
        return f"{day.year}" if day.month == 1 else f"{day:%b}"


@dataclass(frozen=True)
class Series:
    """Values over days, oldest first: (day or moment, value) pairs, drawn as "line" or as "dots".

    `marked` are those of the points that deserve a ring, for example personal records.
    """

    name: str
    points: list
    look: str = "line"
    marked: list = field(default_factory=list)


@dataclass(frozen=True)
class LineChart:
    """Several series on one pair of axes, perhaps with a horizontal line for a goal.

    `since` and `until` widen the time axis beyond the points; `steps` is about how many grid lines.
    """

    title: str
    series: list
    unit: str = ""
    goal: float | None = None
    since: datetime.date | None = None
    until: datetime.date | None = None
    steps: int = 4

    @cached_property
    def drawn(self):
        return [series for series in self.series if series.points]

    @property
    def is_empty(self):
        return not self.drawn

    @cached_property
    def x_axis(self):
        days = [day for series in self.drawn for day in (series.points[0][0], series.points[-1][0])]
        days += [day for day in (self.since, self.until) if day]
        return DayAxis(min(days, key=position), max(days, key=position))

    @cached_property
    def y_axis(self):
        values = [value for series in self.drawn for _, value in series.points]
        return ValueAxis(values if self.goal is None else [*values, self.goal], self.steps)

    @property
    def goal_y(self):
        return None if self.goal is None else self.y_axis.from_top(self.goal)

    @property
    def goal_label(self):
        return f"Goal {self.told(self.goal)}"

    @property
    def paths(self):
        """{name, look, number, path} of each series; colours go by the number."""
        for number, series in enumerate(self.drawn, start=1):
            places = [self.place(point) for point in series.points]
            draw = line_path if series.look == "line" and len(places) > 1 else dots_path
            look = "line" if draw is line_path else "dots"
            yield {"name": series.name, "look": look, "number": number, "path": draw(places)}

    @property
    def marks(self):
        return [
            Mark(
                round(100 * self.x_axis.share(day), 2),
                self.y_axis.from_top(value),
                f"{self.told(value)} on {told_day(day)}",
            )
            for series in self.drawn
            for day, value in series.marked
        ]

    @property
    def summary(self):
        """A sentence for each series, for those who do not see the drawing."""
        return [self.summary_of(series) for series in self.drawn]

    def summary_of(self, series):
        (first_day, first), (last_day, last) = series.points[0], series.points[-1]
        if len(series.points) == 1:
            return f"{series.name}: {self.told(first)} on {told_day(first_day)}."
        values = [value for _, value in series.points]
        return (
            f"{series.name}: {len(values)} values, {self.told(first)} on {told_day(first_day)} and "
            f"{self.told(last)} on {told_day(last_day)}; lowest {self.told(min(values))}, "
            f"highest {self.told(max(values))}."
        )

    def place(self, point):
        day, value = point
        return round(1000 * self.x_axis.share(day), 1), round(1000 - 1000 * self.y_axis.share(value), 1)

    def told(self, value):
        return f"{spelled(tidy(value))} {self.unit}".strip()


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    note: str = ""  # what the tooltip adds to the value


@dataclass(frozen=True)
class BarChart:
    """One bar for each label, from zero up. Where there are many, only some labels are written."""

    title: str
    bars: list
    unit: str = ""
    goal: float | None = None
    steps: int = 4
    labels: int = 4

    @property
    def is_empty(self):
        return not any(bar.value for bar in self.bars)

    @cached_property
    def y_axis(self):
        values = [bar.value for bar in self.bars]
        goals = [] if self.goal is None else [self.goal]
        return ValueAxis([*values, *goals], self.steps, from_zero=True)

    @property
    def goal_y(self):
        return None if self.goal is None else self.y_axis.from_top(self.goal)

    @property
    def goal_label(self):
        return f"Goal {self.told(self.goal)}"

    @property
    def rects(self):
        """{x, y, width, height, title} of each bar that has a height."""
        slot = 100 / len(self.bars)
        for index, bar in enumerate(self.bars):
            if bar.value:
                yield {
                    "x": round(slot * (index + 0.15), 3),
                    "y": self.y_axis.from_top(bar.value),
                    "width": round(slot * 0.7, 3),
                    "height": round(100 * self.y_axis.share(bar.value), 2),
                    "title": f"{bar.label}: {self.told(bar.value)}{bar.note}",
                }

    @property
    def x_ticks(self):
        """Labels under bars, counted from the last one, which is often today."""
        every_nth = math.ceil(len(self.bars) / self.labels)
        slot = 100 / len(self.bars)
        return [
            Tick(round(slot * (index + 0.5), 2), bar.label)
            for index, bar in enumerate(self.bars)
            if (len(self.bars) - 1 - index) % every_nth == 0
        ]

    @property
    def summary(self):
        given = [bar for bar in self.bars if bar.value]
        if not given:
            return []
        highest = max(given, key=lambda bar: bar.value)
        mean = self.told(math.fsum(bar.value for bar in given) / len(given))
        return [
            f"{len(given)} of {len(self.bars)} have a value, {mean} on average.",
            f"Highest: {self.told(highest.value)} ({highest.label}). Last: {self.told(self.bars[-1].value)}.",
        ]

    def told(self, value):
        return f"{spelled(tidy(value))} {self.unit}".strip()


@dataclass(frozen=True)
class Calendar:
    """A year of days in columns of weeks, Monday on top; `counts` holds what happened, by day."""

    title: str
    counts: dict
    until: datetime.date
    weeks: int = 53
    noun: str = "session"

    @property
    def since(self):
        return self.until - DAY * (self.until.weekday() + 7 * (self.weeks - 1))

    @cached_property
    def days(self):
        return list(every(DAY, self.since, self.until))

    @property
    def blank_path(self):
        """All days without anything, as one path: they are many, and say nothing."""
        blanks = (self.corner(day) for day in self.days if not self.counts.get(day))
        width, height = round(1000 * 0.82 / self.weeks, 1), round(1000 * 0.82 / 7, 1)
        return "".join(f"M{x * 10:.1f} {y * 10:.1f}h{width}v{height}h-{width}z" for x, y in blanks)

    @property
    def cells(self):
        """{x, y, level, title} of each day with something; the level is 1, 2 or 3."""
        for day in self.days:
            if count := self.counts.get(day):
                x, y = self.corner(day)
                title = f"{told_day(day)}: {count} {self.noun}{'s' if count > 1 else ''}"
                yield {"x": x, "y": y, "level": min(count, 3), "title": title}

    @property
    def cell_width(self):
        return round(82 / self.weeks, 3)

    @property
    def cell_height(self):
        return round(82 / 7, 3)

    @property
    def month_ticks(self):
        months = list(month_starts(self.since, self.until))
        ticks = [Tick(self.corner(month)[0], f"{month:%b}") for month in months]
        return [tick for tick in ticks if tick.at <= 97]

    @property
    def summary(self):
        active = [day for day in self.days if self.counts.get(day)]
        total = sum(self.counts[day] for day in active)
        return [
            f"{total} {self.noun}{'' if total == 1 else 's'} on {len(active)} of {len(self.days)} days "
            f"up to {told_day(self.until)}."
        ]

    def corner(self, day):
        week, weekday = divmod((day - self.since).days, 7)
        return round(100 * week / self.weeks, 3), round(100 * weekday / 7, 3)


def small_multiples(series, unit="", **options):
    """A small LineChart for each series, all on the time axis that holds every one of them."""
    days = [day for one in series for day, _ in one.points]
    if not days:
        return []
    window = {"since": min(days, key=position), "until": max(days, key=position), "steps": 2, **options}
    return [LineChart(one.name, [one], unit, **window) for one in series if one.points]


def line_path(places):
    return "M" + "L".join(f"{x} {y}" for x, y in places)


def dots_path(places):
    """Lines without length: their round caps are the dots, whatever the plot is stretched to."""
    return "".join(f"M{x} {y}h0" for x, y in places)


def human_step(rough):
    power = 10 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)


def rounded_label(value, step):
    """A tick with as many decimals as its step has, thousands grouped."""
    decimals = next(count for count in range(12) if math.isclose(round(step, count), step))
    return f"{value + 0.0:,.{decimals}f}"


def tidy(value):
    value = round(value, 2)
    return int(value) if value == int(value) else value


def as_day(moment):
    return moment.date() if isinstance(moment, datetime.datetime) else moment


def position(moment):
    """A day or a moment as a number of days."""
    if not isinstance(moment, datetime.datetime):
        return moment.toordinal()
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return moment.toordinal() + (moment - midnight) / DAY


def told_day(moment):
    return f"{moment.day} {moment:%b %Y}"


def every(step, first, last):
    return itertools.takewhile(lambda day: day <= last, (first + step * n for n in itertools.count()))


def month_starts(first, last):
    for year in range(first.year, last.year + 1):
        for month in range(1, 13):
            start = datetime.date(year, month, 1)
            if first <= start <= last:
                yield start
