"""When the trend of the body weight reaches the goal: a function of what the trend has, without a clock.

Nothing here raises.
"""

import datetime
import math
from typing import NamedTuple

from body.models import Goal
from body.trend import BodyTrend

MIN_POINTS = 3
MIN_DAYS = 7  # from the first day of the trend to its last
MAX_AGE_DAYS = 30  # of its last day
MAX_WEEKS = 156  # what is further away depends on more than a trend


class Forecast(NamedTuple):
    """Where the trend leads. `day` is None where that is away from the target."""

    kg_per_week: float
    target_kg: float
    day: datetime.date | None


def forecast(trend: BodyTrend, goal: Goal | None, today: datetime.date) -> Forecast | None:
    """The straight continuation of a trend from its last day.

    None without a target weight, without a trend (too few days, the last one long ago, or no change), once
    the target is reached, and where it is years away.
    """
    target_kg = goal.target_weight_kg if goal else None
    kg_per_week = trend["weight"]["change_per_week"]
    if goal is None or target_kg is None or not kg_per_week or not is_current(trend, today):
        return None
    last = trend["points"][-1]
    if goal.progress(last["trend_kg"]) == 100:
        return None
    weeks = (target_kg - last["trend_kg"]) / kg_per_week
    if weeks > MAX_WEEKS:
        return None
    if weeks <= 0:
        return Forecast(kg_per_week, target_kg, None)
    day = last["day"] + datetime.timedelta(days=math.ceil(7 * weeks))
    return Forecast(kg_per_week, target_kg, max(day, today))


def is_current(trend: BodyTrend, today: datetime.date) -> bool:
    """Whether a trend has enough days, the last of them not long ago."""
    days = [point["day"] for point in trend["points"]]
    return (
        len(days) >= MIN_POINTS
        and (days[-1] - days[0]).days >= MIN_DAYS
        and (today - days[-1]).days <= MAX_AGE_DAYS
    )
