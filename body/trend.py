"""The body trend: plain functions over weight logs, oldest first.

A log has `logged_at` (an aware datetime in UTC), `weight_kg` and `body_fat_percent` (or None).
What is computed has two decimals; what was logged is told as it was logged. Nothing here raises.
"""

import datetime
import math
import statistics

WEEK = datetime.timedelta(weeks=1)
KEPT_AFTER_A_DAY = 0.9

NOTHING = dict.fromkeys(("first", "last", "change", "average", "minimum", "maximum", "change_per_week"), None)


def body_trend(logs):
    """The answer of GET /stats/body but for its window: {weight, body_fat, points}."""
    return {
        "weight": summary([(log.logged_at, log.weight_kg) for log in logs]),
        "body_fat": summary(
            [(log.logged_at, log.body_fat_percent) for log in logs if log.body_fat_percent is not None]
        ),
        "points": points(logs),
    }


def summary(entries):
    """What a series of (moment, value) amounts to, in the values' unit; all None for an empty one."""
    if not entries:
        return {"entries": 0, **NOTHING}
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


def change_per_week(entries):
    """The slope, in units a week, of the line through (moment, value) pairs by ordinary least squares.

    None when all moments are one: no line goes through a single instant.
    """
    start = entries[0][0]
    weeks = [(moment - start) / WEEK for moment, _ in entries]
    if not any(weeks):
        return None
    return rounded(statistics.linear_regression(weeks, [value for _, value in entries]).slope)


def points(logs):
    """One point a day with a log: the day's last log, and the trend of the weight in kg.

    The trend is the exponentially smoothed moving average of John Walker, "The Hacker's Diet"
    (a tenth of the difference each day), carried over days without a log: after n days it has
    moved by 1 - 0.9^n of the difference. It starts at the first log.
    """
    if not logs:
        return []
    found = []
    trend_kg, before = logs[0].weight_kg, logs[0].logged_at.date()
    last_of_day = {log.logged_at.date(): log for log in logs}
    for day, log in last_of_day.items():
        trend_kg += (1 - KEPT_AFTER_A_DAY ** (day - before).days) * (log.weight_kg - trend_kg)
        before = day
        found.append(
            {
                "day": day,
                "weight_kg": log.weight_kg,
                "trend_kg": rounded(trend_kg),
                "body_fat_percent": log.body_fat_percent,
            }
        )
    return found


def rounded(value):
    return round(value, 2) + 0.0  # -0.0 becomes 0.0
