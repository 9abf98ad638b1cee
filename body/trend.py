"""The body trend: functions that compute statistics of weight logs, oldest first.

Computed values are rounded to two decimals, logged values are not. Nothing here raises.
"""

import bisect
import datetime
import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Protocol, TypedDict, TypeVar

WEEK = datetime.timedelta(weeks=1)
DECAY_PER_DAY = 0.9  # what is left of the difference between trend and weight after a day
LEAD = datetime.timedelta(days=400)  # before a window: of what is older no trend of it depends

Entry = tuple[datetime.datetime, float]  # a time and the value that was measured then


class LoggedWeight(Protocol):
    """What the trend reads of a weight log."""

    @property
    def logged_at(self) -> datetime.datetime: ...
    @property
    def weight_kg(self) -> float: ...
    @property
    def body_fat_percent(self) -> float | None: ...


LogRow = TypeVar("LogRow", bound=LoggedWeight)


class Summary(TypedDict):
    """Statistics of a series of entries, in the unit of its values; None if there are no entries.

    `change_per_week` is None as well if all entries are of one time.
    """

    entries: int
    first: float | None
    last: float | None
    change: float | None
    average: float | None
    minimum: float | None
    maximum: float | None
    change_per_week: float | None


NO_ENTRIES: Summary = {
    "entries": 0,
    "first": None,
    "last": None,
    "change": None,
    "average": None,
    "minimum": None,
    "maximum": None,
    "change_per_week": None,
}


class Point(TypedDict):
    """A day with a log: its last log, and the trend of the weight."""

    day: datetime.date
    weight_kg: float
    trend_kg: float
    body_fat_percent: float | None


class BodyTrend(TypedDict):
    weight: Summary  # kg
    body_fat: Summary  # percent of the body weight
    points: list[Point]


def body_trend(
    logs: Sequence[LoggedWeight],
    since: datetime.datetime | None = None,
    until: datetime.datetime | None = None,
    zone: datetime.tzinfo = datetime.UTC,
) -> BodyTrend:
    """The response of GET /stats/body without its window. The days of its points are those of `zone`.

    `logs` are those that `WeightLogQuerySet.of_trend` finds for the window: what is around it counts for the
    trend alone.
    """
    in_window = logged_in(logs, since, until)
    return {
        "weight": summary([(log.logged_at, log.weight_kg) for log in in_window]),
        "body_fat": summary(
            [(log.logged_at, log.body_fat_percent) for log in in_window if log.body_fat_percent is not None]
        ),
        "points": daily_points(logs, since, until, zone),
    }


def logged_in(
    logs: Iterable[LogRow], since: datetime.datetime | None, until: datetime.datetime | None
) -> list[LogRow]:
    return [
        log
        for log in logs
        if (since is None or log.logged_at >= since) and (until is None or log.logged_at < until)
    ]


def summary(entries: Sequence[Entry]) -> Summary:
    """Statistics of entries that are sorted by time."""
    if not entries:
        return NO_ENTRIES.copy()
    values = [value for _, value in entries]
    return {
        "entries": len(values),
        "first": values[0],
        "last": values[-1],
        "change": rounded(values[-1] - values[0]),
        "average": rounded(math.fsum(values) / len(values)),
        "minimum": min(values),
        "maximum": max(values),
        "change_per_week": change_per_week(entries),
    }


def change_per_week(entries: Sequence[Entry]) -> float | None:
    """The slope of the line through the entries by ordinary least squares, in units of the values a week.

    None if all entries are of one time: a vertical line has no slope.
    """
    start, _ = entries[0]
    weeks = [(time - start) / WEEK for time, _ in entries]
    if not any(weeks):
        return None
    return rounded(statistics.linear_regression(weeks, [value for _, value in entries]).slope)


def daily_points(
    logs: Sequence[LoggedWeight],
    since: datetime.datetime | None = None,
    until: datetime.datetime | None = None,
    zone: datetime.tzinfo = datetime.UTC,
) -> list[Point]:
    """One point for each day with a log in a window, oldest first; `logs` as in `body_trend`.

    The trend is the exponentially smoothed moving average of John Walker, "The Hacker's Diet"
    (a tenth of the difference each day), carried over days without a log: after n days it has
    moved by 1 - 0.9^n of the difference. It starts at the first of the logs.
    """
    trends = daily_trends(logs, zone)
    shown = {log.logged_at.astimezone(zone).date(): log for log in logged_in(logs, since, until)}
    return [
        {
            "day": day,
            "weight_kg": log.weight_kg,
            "trend_kg": rounded(trends[day]),
            "body_fat_percent": log.body_fat_percent,
        }
        for day, log in shown.items()
    ]


def daily_trends(logs: Sequence[LoggedWeight], zone: datetime.tzinfo) -> dict[datetime.date, float]:
    """The trend of each day with a log, in kg and unrounded."""
    last_of_day = {log.logged_at.astimezone(zone).date(): log.weight_kg for log in logs}
    trends: dict[datetime.date, float] = {}
    for day, weight_kg in last_of_day.items():
        if not trends:
            trend_kg, previous_day = logs[0].weight_kg, day
        trend_kg += (1 - DECAY_PER_DAY ** (day - previous_day).days) * (weight_kg - trend_kg)
        trends[day], previous_day = trend_kg, day
    return trends


def trend_change(points: Sequence[Point], day: datetime.date, days: int) -> float | None:
    """By how much the trend of a day with a log differs from that of `days` earlier, in kg.

    Compares with the last day with a log until then. None if there is none, or if it is twice as long ago.
    """
    numbers = [point["day"].toordinal() for point in points]
    now, behind = bisect.bisect_left(numbers, day.toordinal()), bisect.bisect(numbers, day.toordinal() - days)
    if behind == 0 or numbers[now] - numbers[behind - 1] > 2 * days:
        return None
    return rounded(points[now]["trend_kg"] - points[behind - 1]["trend_kg"])


def whole_change(points: Sequence[Point]) -> float | None:
    """The trend of the last day against that of the first, in kg; None for less than two days.

    Where single weights are compared, a meal or a glass of water on either day is part of the difference.
    """
    if len(points) < 2:
        return None
    return round(points[-1]["trend_kg"] - points[0]["trend_kg"], 1) + 0.0  # as `rounded`


def rounded(value: float) -> float:
    return round(value, 2) + 0.0  # -0.0 becomes 0.0
