"""When the trend reaches the goal."""

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pytest

from body.forecast import forecast
from body.models import Goal
from body.trend import body_trend, daily_points, trend_change

TODAY = date(2026, 3, 2)


class Log(NamedTuple):
    logged_at: datetime
    weight_kg: float
    body_fat_percent: float | None = None


def logs(weights, last=TODAY):
    """A log a day, up to the last one."""
    noon = datetime(last.year, last.month, last.day, 12, tzinfo=UTC)
    return [Log(noon - timedelta(days=len(weights) - 1 - n), kg) for n, kg in enumerate(weights)]


def steady(kg_per_day, days=60, start=84.0):
    return [start + kg_per_day * day for day in range(days)]


def foretold(weights, target, start=None, last=TODAY):
    return forecast(
        body_trend(logs(weights, last)), Goal(target_weight_kg=target, start_weight_kg=start), TODAY
    )


def test_a_trend_goes_on_as_it_went():
    weights = steady(-0.1)
    found = foretold(weights, 76)
    trend_kg = body_trend(logs(weights))["points"][-1]["trend_kg"]
    assert (found.kg_per_week, found.target_kg) == (-0.7, 76)
    assert abs((found.day - TODAY).days - (trend_kg - 76) / 0.1) <= 1


def test_gaining_is_foretold_as_well():
    found = foretold(steady(0.05), 90)
    assert found.kg_per_week == 0.35
    assert found.day > TODAY


def test_a_trend_that_leads_away_has_no_day():
    assert foretold(steady(0.1), 80, start=84).day is None


@pytest.mark.parametrize(
    ("weights", "target", "start"),
    [
        ([], 80, 84),
        ([84], 80, 84),
        ([84, 83], 80, 84),
        ([84, 83.5, 83, 82.5], 80, 84),  # half a week
        ([84.0] * 30, 80, 84),
        (steady(-0.1), None, 84),
        (steady(-0.1), 80, 84),  # passed
        (steady(-0.002), 60, 84),  # in years
    ],
)
def test_nothing_is_foretold(weights, target, start):
    assert foretold(weights, target, start) is None


def test_nothing_is_foretold_without_a_goal():
    assert forecast(body_trend(logs(steady(-0.1))), None, TODAY) is None


def test_a_trend_of_long_ago_says_nothing():
    assert foretold(steady(-0.1), 76, last=TODAY - timedelta(days=31)) is None
    assert foretold(steady(-0.1), 76, last=TODAY - timedelta(days=20)).day >= TODAY


def test_a_trend_is_compared_with_the_last_log_a_week_before():
    points = daily_points(logs(steady(-0.1, days=20)))
    assert trend_change(points, TODAY, 7) == round(points[-1]["trend_kg"] - points[-8]["trend_kg"], 2)
    assert trend_change(points, TODAY, 30) is None
    apart = [*daily_points(logs([84], TODAY - timedelta(days=14))), points[-1]]
    assert trend_change(apart, TODAY, 7) is not None
    apart[0]["day"] -= timedelta(days=1)
    assert trend_change(apart, TODAY, 7) is None


def test_the_first_days_of_the_calendar_have_no_earlier_trend():
    (point,) = daily_points(logs([84], date(1, 1, 1)))
    assert trend_change([point], date(1, 1, 1), 7) is None
