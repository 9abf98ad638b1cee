"""Line charts, which a script draws.

Render one with `{% include "charts/line.html" with chart=chart %}`. A page with line charts includes
`charts/scripts.html` in its `scripts` block: `static/charts/main.js` draws `LineChart.drawing` on a canvas,
where mouse, finger and arrow keys read its values. Without scripts there is its table. What templates draw
as SVG is in `svg_charts`.
"""

import datetime
import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fitness.web.axes import DayAxis, Point, ValueAxis, day_number
from fitness.web.days import format_short_day
from fitness.web.units import group_thousands

COLUMNS = 240  # of a line chart, each with four points at most: about one for each pixel
TABLE_ROWS = 40  # of the table below a chart, whose page is to stay below 60 KB
FIRST_DAY = datetime.date(1970, 1, 1).toordinal()

Look = Literal["line", "steps", "dots"]


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
    """What is written at the horizontal line at `goal`, and the format of values."""

    unit: str
    goal: float | None

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
        return DayAxis.over(*days, self.since, self.until)

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
    def table(self) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
        """The rows of the table: the day, and of each series the value and whether it is a record."""
        columns = [(dict(series.points), set(series.marked)) for series in self.drawn_series]
        for day in self.table_days[: self.rows]:
            values = [(values.get(day), marked) for values, marked in columns]
            yield (
                format_short_day(day),
                [
                    ("–" if value is None else self.format_value(value), (day, value) in marked)
                    for value, marked in values
                ],
            )

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


def small_multiples(series: Sequence[Series], unit: str = "") -> list[LineChart]:
    """A small LineChart for each series that has points, all with the same time axis."""
    days = [day for one in series for day, _ in one.points]
    if not days:
        return []
    since, until = min(days, key=day_number), max(days, key=day_number)
    return [
        LineChart(one.name, [one], unit, since=since, until=until, steps=2) for one in series if one.points
    ]


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


def round_value(value: float) -> float:
    """The value rounded to two decimals; an int if it is whole, which prints without a decimal point."""
    value = round(value, 2)
    return int(value) if value == int(value) else value


def seconds(day: datetime.date) -> int:
    """A day or a datetime as seconds since 1970 of its own clock, whatever its zone."""
    return round((day_number(day) - FIRST_DAY) * 86_400)
