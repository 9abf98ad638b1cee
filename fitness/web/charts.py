"""Charts: what scripts draw of lines, and what templates draw as SVG of bars, calendars and sparklines.

Render one with `{% include "charts/line.html" with chart=chart %}`, and so on for the others. A page with
line charts includes `charts/scripts.html` in its `scripts` block: `static/charts/main.js` draws
`LineChart.drawing` on a canvas, where mouse, finger and arrow keys read its values. Without scripts there is
its table.

SVG has no size of its own. Positions are percentages of the plot ("x", "y"), or thousandths of it inside a
path, so that the stylesheet sets the size and text keeps its size. A day may also be a datetime, which lies
between its day and the next one.
"""

import datetime
import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Literal, TypedDict

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from fitness.days import ONE_DAY
from fitness.web.days import format_month, format_short_day
from fitness.web.language import current
from fitness.web.units import group_thousands, in_local_form

MIN_RANGE = 0.01  # values closer together than this are drawn as one value
EDGE_PERCENT = 4  # labels this near to a side are aligned to that side
COLUMNS = 240  # of a line chart, each with four points at most: about one for each pixel
TABLE_ROWS = 40  # of the table below a chart, whose page is to stay below 60 KB
FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
MICROSECONDS = 86_400_000_000  # of a day

Point = tuple[datetime.date, float]  # the day and the value
Look = Literal["line", "steps", "dots"]
TableColumn = tuple[Mapping[datetime.date, float], Collection[Point]]  # values and records

TABLE_ROW = '<tr><th scope="row">{}</th>{}</tr>'
TABLE_CELL = '<td class="table-number">{}{}</td>'
BADGE = ' <span class="badge badge-record">{}</span>'


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


class DrawnSeries(TypedDict):
    """A series as the script draws it: a value for each of the chart's times, null where it has none."""

    name: str
    look: Look
    number: int
    values: list[float | None]
    marked: list[int]  # the times of the points that have a ring
    joined: list[int] | None  # the times of the points that the line joins, where the others are dots


class Drawing(TypedDict):
    """What the script draws of a line chart. Times are seconds since 1970 of the clock on the wall."""

    title: str
    unit: str
    times: list[int]
    series: list[DrawnSeries]
    since: int
    until: int
    low: float
    high: float
    ticks: list[tuple[float, str]]  # of the value axis
    goal: float | None


class BarRect(TypedDict):
    """The drawing of a bar."""

    x: float
    y: float
    width: float
    height: float
    title: str


class CalendarCell(TypedDict):
    """The drawing of a day with events."""

    day: str
    x: float  # in percent, as `y`
    y: float
    level: int  # 1, 2 or 3
    title: str  # as markup


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

    def fraction(self, day: datetime.date) -> float:
        """The position of a day on the axis: 0 is its first day, 1 its last. The middle if it has one day."""
        return (day_number(day) - self.start) / self.length if self.length else 0.5


@dataclass(frozen=True)
class Series:
    """Values over days, oldest first, drawn as a line, as steps or as dots.

    The points in `marked` are personal records: each has a ring, and the word beside its value. A line joins
    all points, or those in `joined`: then each point is a dot, too.
    """

    name: str
    points: Sequence[Point]
    look: Look = "line"
    marked: Sequence[Point] = field(default_factory=list)
    joined: Sequence[Point] | None = None

    @property
    def kept(self) -> set[Point]:
        """The points that are drawn however many there are."""
        return {*self.marked, *(self.joined or ())}

    @property
    def drawn_as(self) -> Look:
        """A line through a single point would be invisible, so that is a dot."""
        joined = self.points if self.joined is None else self.joined
        return self.look if len(joined) > 1 else "dots"


class GoalLine:
    """The horizontal line at `goal`, and the format of values, of a chart that has a value axis."""

    unit: str
    goal: float | None

    @property
    def y_axis(self) -> ValueAxis:
        raise NotImplementedError

    @property
    def goal_y(self) -> float | None:
        return None if self.goal is None else self.y_axis.from_top(self.goal)

    @property
    def goal_label(self) -> str:
        if self.goal is None:
            return ""
        return _("Goal %(value)s") % {"value": self.format_value(self.goal)}

    def format_value(self, value: float) -> str:
        shown = group_thousands(round_value(value))
        if self.unit == "reps":
            return ngettext("%(count)s rep", "%(count)s reps", 1 if value == 1 else 2) % {"count": shown}
        return f"{shown} {self.unit}".strip()


@dataclass(frozen=True)
class LineChart(GoalLine):
    """Several series on one pair of axes, with a horizontal line if there is a goal.

    `since` and `until` widen the time axis beyond the points. There are about `steps` grid lines. The table
    has the newest `rows`.
    """

    title: str
    series: Sequence[Series]
    unit: str = ""
    goal: float | None = None
    since: datetime.date | None = None
    until: datetime.date | None = None
    steps: int = 4
    rows: int = TABLE_ROWS

    @cached_property
    def drawn_series(self) -> list[Series]:
        return [series for series in self.series if series.points]

    @property
    def is_empty(self) -> bool:
        return not self.drawn_series

    @property
    def has_marks(self) -> bool:
        return any(series.marked for series in self.drawn_series)

    @cached_property
    def x_axis(self) -> DayAxis:
        days = [day for series in self.drawn_series for day in (series.points[0][0], series.points[-1][0])]
        days += [day for day in (self.since, self.until) if day]
        return DayAxis(min(days, key=day_number), max(days, key=day_number))

    @cached_property
    def y_axis(self) -> ValueAxis:
        values = [value for series in self.drawn_series for _, value in series.points]
        if self.goal is not None:
            values.append(self.goal)
        return ValueAxis(values, self.steps, whole=all(isinstance(value, int) for value in values))

    @cached_property
    def drawn_points(self) -> list[tuple[Series, list[Point]]]:
        """Each series with those of its points that are drawn."""
        columns = COLUMNS // max(len(self.drawn_series), 1)
        return [(series, thinned(series.points, columns, series.kept)) for series in self.drawn_series]

    @property
    def sparkline(self) -> str:
        """The path of a chart with one series, in thousandths of the plot; a dot where it has one point."""
        ((series, points),) = self.drawn_points
        if series.look == "steps":
            (first_x, first_y), *others = map(self.coordinates, points)
            return f"M{first_x} {first_y}{''.join(f'H{x}V{y}' for x, y in others)}h0"
        return f"M{'L'.join(f'{x} {y}' for x, y in map(self.coordinates, points))}h0"

    @property
    def ends(self) -> list[tuple[float, float]]:
        """The first and the last point of a chart with one series, in percent of the plot."""
        ((_, points),) = self.drawn_points
        return [(x / 10, y / 10) for x, y in map(self.coordinates, (points[0], points[-1]))]

    @property
    def drawing(self) -> Drawing:
        """The chart as JSON for the script. A time that one series is drawn at has the values of all."""
        times = sorted({seconds(day) for _, points in self.drawn_points for day, _ in points})
        axis = self.x_axis
        return {
            "title": self.title,
            "unit": self.unit,
            "times": times,
            "series": [
                self.drawn(number, series, times) for number, series in enumerate(self.drawn_series, 1)
            ],
            "since": round((axis.start - FIRST_DAY) * 86_400),
            "until": round((axis.start + axis.length - FIRST_DAY) * 86_400),
            "low": self.y_axis.low,
            "high": self.y_axis.high,
            "ticks": self.y_axis.labels,
            "goal": self.goal,
        }

    def drawn(self, number: int, series: Series, times: list[int]) -> DrawnSeries:
        values = {seconds(day): round_value(value) for day, value in series.points}
        joined = None if series.joined is None else [seconds(day) for day, _ in series.joined]
        return {
            "name": series.name,
            "look": series.drawn_as,
            "number": number,
            "values": [values.get(time) for time in times],
            "marked": [seconds(day) for day, _ in series.marked],
            "joined": joined,
        }

    @cached_property
    def table_days(self) -> list[datetime.date]:
        """The days that have a value, newest first."""
        days = {day for series in self.drawn_series for day, _ in series.points}
        return sorted(days, key=day_number, reverse=True)

    @property
    def table(self) -> SafeString:
        """The rows of the table. Not by a template, in which they were a tenth of the home page."""
        values = [dict(series.points) for series in self.drawn_series]
        marked = [set(series.marked) for series in self.drawn_series]
        columns = list(zip(values, marked, strict=True))
        badge = BADGE.format(pgettext("best set", "Record"))
        return mark_safe("".join(self.table_row(day, columns, badge) for day in self.table_days[: self.rows]))

    def table_row(self, day: datetime.date, columns: Sequence[TableColumn], badge: str) -> str:
        cells = [
            TABLE_CELL.format(
                "–" if (value := values.get(day)) is None else escape(self.format_value(value)),
                badge if (day, value) in marked else "",
            )
            for values, marked in columns
        ]
        return TABLE_ROW.format(escape(format_short_day(day)), "".join(cells))

    @property
    def newest(self) -> str:
        """The values of the newest day, as in "2 Mar 2026: Weighed 82.4 kg, Trend 82.1 kg"."""
        last = self.table_days[0]
        values = [(series, series.points[-1]) for series in self.drawn_series if series.points[-1][0] == last]
        texts = [self.format_value(value) + self.remark(series, value, last) for series, (_, value) in values]
        if len(self.drawn_series) > 1:
            texts = [f"{series.name} {text}" for (series, _), text in zip(values, texts, strict=True)]
        return f"{format_short_day(last)}: {', '.join(texts)}"

    def remark(self, series: Series, value: float, day: datetime.date) -> str:
        return " " + _("(record)") if (day, value) in series.marked else ""

    @property
    def summary(self) -> list[str]:
        """A sentence for each series, for screen readers."""
        return [self.series_summary(series) for series in self.drawn_series]

    def series_summary(self, series: Series) -> str:
        first, last = self.format_point(series.points[0]), self.format_point(series.points[-1])
        if len(series.points) == 1:
            return f"{series.name}: {first}."
        values = [point[1] for point in series.points]
        return _(
            "%(name)s: %(count)s values, %(first)s and %(last)s; lowest %(lowest)s, highest %(highest)s."
        ) % {
            "name": series.name,
            "count": len(values),
            "first": first,
            "last": last,
            "lowest": self.format_value(min(values)),
            "highest": self.format_value(max(values)),
        }

    def format_point(self, point: Point) -> str:
        """The point as "82.4 kg on 2 Mar 2026"."""
        day, value = point
        return _("%(value)s on %(day)s") % {"value": self.format_value(value), "day": format_short_day(day)}

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


GROUP = '<g class="chart-level-{level}">{cells}</g>'
DAY = '<rect x="{x}%" y="{y}%"><title>{title}</title></rect>'
LINK = '<a href="{address}?day={day}"><title>{title}</title><rect x="{x}%" y="{y}%"/></a>'


@lru_cache(maxsize=4_000)  # a calendar has up to 371 days, which are the same on the next page
def workouts_on(day: datetime.date, count: int, language: str | None) -> str:
    """The title of a day in the current language, which is part of the key alone."""
    text = ngettext("%(day)s: %(count)s workout", "%(day)s: %(count)s workouts", count)
    return text % {"day": format_short_day(day), "count": count}


@dataclass(frozen=True)
class Calendar:
    """A year of days in columns of weeks, Monday on top, coloured by the number of workouts on each day."""

    title: str
    counts: Mapping[datetime.date, int]
    until: datetime.date
    weeks: int = 53

    @cached_property
    def since(self) -> datetime.date:
        return self.until - ONE_DAY * (self.until.weekday() + 7 * (self.weeks - 1))

    @cached_property
    def days(self) -> list[datetime.date]:
        return list(days_between(self.since, self.until, ONE_DAY))

    @property
    def blank_path(self) -> str:
        """All days without an event as one path: an element for each would be up to 371, without tooltips."""
        blanks = (self.corner(day) for day in self.days if not self.counts.get(day))
        width, height = round(1000 * 0.82 / self.weeks, 1), round(1000 * 0.82 / 7, 1)
        return "".join(f"M{x * 10:.1f} {y * 10:.1f}h{width}v{height}h-{width}z" for x, y in blanks)

    @property
    def cells(self) -> Iterator[CalendarCell]:
        """The drawings of the days with events."""
        language = current()
        for day in self.days:
            if count := self.counts.get(day):
                x, y = self.corner(day)
                title = escape(workouts_on(day, count, language))
                yield {"day": f"{day}", "x": x, "y": y, "level": min(count, 3), "title": title}

    @property
    def drawing(self) -> SafeString:
        """The cells. Not by a template, in which the days of a year were a sixth of the home page."""
        return self.drawn_as(DAY)

    def links(self, address: str) -> SafeString:
        """The cells, each a link to the page of an address that shows its day."""
        return self.drawn_as(LINK, address=escape(address))

    def drawn_as(self, form: str, **texts: str) -> SafeString:
        """The cells in a form. Successive ones of a level share a group, which has its colour."""
        groups = itertools.groupby(self.cells, itemgetter("level"))
        drawn = ((level, "".join(form.format(**cell, **texts) for cell in cells)) for level, cells in groups)
        return mark_safe("".join(GROUP.format(level=level, cells=cells) for level, cells in drawn))

    @property
    def month_ticks(self) -> list[Tick]:
        months = list(month_starts(self.since, self.until))
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


def small_multiples(
    series: Sequence[Series], unit: str = "", *, goal: float | None = None, steps: int = 2
) -> list[LineChart]:
    """A small LineChart for each series that has points, all with the same time axis."""
    days = [day for one in series for day, _ in one.points]
    if not days:
        return []
    since, until = min(days, key=day_number), max(days, key=day_number)
    return [LineChart(one.name, [one], unit, goal, since, until, steps) for one in series if one.points]


def thinned(points: Sequence[Point], columns: int, kept: Collection[Point] = ()) -> list[Point]:
    """At most four points for each of the columns in which a chart is drawn, and those of `kept`.

    These are the first, the lowest, the highest and the last one of a column: a line through them covers the
    same pixels as a line through all of its points.
    """
    if len(points) <= 4 * columns:
        return list(points)
    axis, kept = DayAxis(points[0][0], points[-1][0]), set(kept)
    chosen = {index for index, point in enumerate(points) if point in kept}

    def column_of(index: int) -> int:
        return min(int(columns * axis.fraction(points[index][0])), columns - 1)

    for _number, column in itertools.groupby(range(len(points)), column_of):
        indexes = list(column)
        chosen |= {indexes[0], indexes[-1]}
        chosen.add(min(indexes, key=lambda index: points[index][1]))
        chosen.add(max(indexes, key=lambda index: points[index][1]))
    return [points[index] for index in sorted(chosen)]


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


def round_value(value: float) -> float:
    """The value rounded to two decimals; an int if it is whole, which prints without a decimal point."""
    value = round(value, 2)
    return int(value) if value == int(value) else value


def day_number(day: datetime.date) -> float:
    """A day or a datetime as a number of days since 0001-01-01."""
    if not isinstance(day, datetime.datetime):
        return day.toordinal()
    passed = 60 * (60 * day.hour + day.minute) + day.second
    return day.toordinal() + (1_000_000 * passed + day.microsecond) / MICROSECONDS


def seconds(day: datetime.date) -> int:
    """A day or a datetime as seconds since 1970 of its own clock, whatever its zone."""
    return round((day_number(day) - FIRST_DAY) * 86_400)


def days_between(
    first: datetime.date, last: datetime.date, step: datetime.timedelta
) -> Iterator[datetime.date]:
    """The days from `first` to `last`, both included, in steps."""
    return itertools.takewhile(lambda day: day <= last, (first + step * n for n in itertools.count()))


def month_starts(first: datetime.date, last: datetime.date) -> Iterator[datetime.date]:
    """The first days of months from `first` to `last`, both included."""
    for year in range(first.year, last.year + 1):
        for month in range(1, 13):
            start = datetime.date(year, month, 1)
            if first <= start <= last:
                yield start
