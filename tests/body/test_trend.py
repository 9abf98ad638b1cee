"""The body trend, compared with a naive computation that shares no code with the service."""

import random
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import groupby

import pytest

from tests.conftest import problems, statements

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)
FIGURES = ("first", "last", "change", "average", "minimum", "maximum", "change_per_week")
NO_ENTRIES = {"entries": 0, **dict.fromkeys(FIGURES)}
MARCH = {"since": "2026-03-01T00:00:00Z", "until": "2026-04-01T00:00:00Z"}


@pytest.fixture
def weigh(account):
    def weigh(logged_at, weight_kg, body_fat_percent=None):
        account.weight_logs.create(
            logged_at=logged_at, weight_kg=weight_kg, body_fat_percent=body_fat_percent
        )

    return weigh


def test_an_empty_window_has_no_values(api):
    assert api.get("/stats/body", **MARCH).json() == {
        **MARCH,
        "weight": NO_ENTRIES,
        "body_fat": NO_ENTRIES,
        "points": [],
    }


def test_a_single_log_has_no_slope(api, weigh):
    weigh("2026-03-05T06:00:00Z", 82.4567)
    trend = api.get("/stats/body", **MARCH).json()
    assert trend["weight"] == {
        "entries": 1,
        "first": 82.4567,
        "last": 82.4567,
        "change": 0,
        "average": 82.46,
        "minimum": 82.4567,
        "maximum": 82.4567,
        "change_per_week": None,
    }
    assert trend["body_fat"] == NO_ENTRIES
    assert trend["points"] == [
        {"day": "2026-03-05", "weight_kg": 82.4567, "trend_kg": 82.46, "body_fat_percent": None}
    ]


def test_logs_of_one_instant_have_no_slope(api, weigh):
    for weight_kg in (80.1, 80.2, 80.4):
        weigh("2026-03-05T06:00:00.123457Z", weight_kg)
    assert api.get("/stats/body", **MARCH).json()["weight"]["change_per_week"] is None


def test_a_kilogram_a_week_is_a_slope_of_one(api, weigh):
    weigh("2026-03-01T06:00:00Z", 84)
    weigh("2026-03-08T06:00:00Z", 83)
    weigh("2026-03-15T06:00:00Z", 82)
    weight = api.get("/stats/body", **MARCH).json()["weight"]
    assert (weight["change"], weight["change_per_week"], weight["average"]) == (-2, -1, 83)


def test_the_trend_moves_by_a_tenth_of_the_difference_a_day(api, weigh):
    weigh("2026-03-01T06:00:00Z", 80)
    weigh("2026-03-02T06:00:00Z", 90)
    weigh("2026-03-04T06:00:00Z", 90)
    points = api.get("/stats/body", **MARCH).json()["points"]
    assert [point["trend_kg"] for point in points] == [80, 81, 82.71]


def test_the_point_of_a_day_is_its_last_log(api, weigh):
    weigh("2026-03-01T23:59:59Z", 81, 18)
    weigh("2026-03-01T00:00:00Z", 80, 20)
    weigh("2026-03-02T00:00:00Z", 82)
    trend = api.get("/stats/body", **MARCH).json()
    assert trend["points"] == [
        {"day": "2026-03-01", "weight_kg": 81, "trend_kg": 80, "body_fat_percent": 18},
        {"day": "2026-03-02", "weight_kg": 82, "trend_kg": 80.2, "body_fat_percent": None},
    ]
    assert (trend["weight"]["entries"], trend["body_fat"]["entries"]) == (3, 2)


@pytest.mark.parametrize("seed", range(5))
def test_the_trend_equals_a_naive_computation(api, account, weigh, seed):
    chance = random.Random(seed)
    logs = [
        (
            NOON - timedelta(seconds=chance.randrange(30 * 86400)),
            round(chance.uniform(70, 90), 3),
            chance.choice([None, round(chance.uniform(10, 30), 2)]),
        )
        for _ in range(60)
    ]
    for log in logs:
        weigh(*log)
    logs.sort()
    trend = api.get("/stats/body", **MARCH).json()
    assert trend["weight"] == naive_summary([(at, kg) for at, kg, _ in logs])
    assert trend["body_fat"] == naive_summary([(at, fat) for at, _, fat in logs if fat is not None])
    assert trend["points"] == naive_points(logs)


def naive_summary(entries):
    values = [Fraction(value) for _, value in entries]
    days = [Fraction((at - NOON) // timedelta(microseconds=1), 86_400_000_000) for at, _ in entries]
    n = len(entries)
    slope = (n * sum(x * y for x, y in zip(days, values, strict=True)) - sum(days) * sum(values)) / (
        n * sum(x * x for x in days) - sum(days) ** 2
    )
    return {
        "entries": n,
        "first": float(values[0]),
        "last": float(values[-1]),
        "change": pytest.approx(float(values[-1] - values[0]), abs=0.00501),
        "average": pytest.approx(float(sum(values) / n), abs=0.00501),
        "minimum": float(min(values)),
        "maximum": float(max(values)),
        "change_per_week": pytest.approx(float(slope * 7), abs=0.00501),
    }


def naive_points(logs):
    """Goes from day to day: on each one the trend moves by a tenth towards the next logged weight."""
    trend, points = logs[0][1], []
    day = logs[0][0].date()
    for date, logs_of_day in groupby(logs, key=lambda log: log[0].date()):
        *_, (_, kg, fat) = logs_of_day
        while day < date:
            trend += (kg - trend) / 10
            day += timedelta(days=1)
        points.append(
            {
                "day": str(day),
                "weight_kg": kg,
                "trend_kg": pytest.approx(trend, abs=0.00501),
                "body_fat_percent": fat,
            }
        )
    return points


DAILY = [  # three logs a day for 30 days, whose trend no window may begin or end elsewhere
    (datetime(2026, 3, 1, hour, tzinfo=UTC) + timedelta(days=day), 80 + day % 7 + hour / 100)
    for day in range(30)
    for hour in (6, 12, 20)
]


@pytest.mark.parametrize(
    "window",
    [
        {"since": "2026-03-20T00:00:00Z"},
        {"since": "2026-03-20T10:00:00Z", "until": "2026-03-25T00:00:00Z"},
        {"since": "2026-03-01T10:00:00Z", "until": "2026-03-02T08:00:00Z"},
        {"since": "2026-03-24T00:00:00Z", "until": "2026-03-25T08:00:00Z"},
    ],
)
def test_a_day_has_one_trend_whatever_window_asks(api, weigh, window):
    for log in DAILY:
        weigh(*log)
    of_march = {point["day"]: point["trend_kg"] for point in api.get("/stats/body", **MARCH).json()["points"]}
    asked = api.get("/stats/body", **{**MARCH, **window}).json()
    assert asked["points"]
    for point in asked["points"]:
        assert point["trend_kg"] == of_march[point["day"]]
    first, *_ = (kg for at, kg in DAILY if at >= datetime.fromisoformat(window["since"]))
    assert asked["weight"]["first"] == first  # what is around the window counts for the trend alone


def test_what_is_older_than_400_days_before_the_window_counts_for_nothing(api, weigh):
    weigh("2025-01-24T06:00:00Z", 200)  # 401 days before the window
    weigh("2026-03-05T06:00:00Z", 80)
    weigh("2026-03-06T06:00:00Z", 90)
    assert [point["trend_kg"] for point in api.get("/stats/body", **MARCH).json()["points"]] == [80, 81]


def test_since_is_inclusive_and_until_exclusive(api, weigh):
    weigh(MARCH["since"], 80)
    weigh(MARCH["until"], 90)
    assert api.get("/stats/body", **MARCH).json()["weight"]["maximum"] == 80


WINDOWS = [
    ({}, "2025-12-31T12:00:00Z", "2026-03-31T12:00:00Z"),
    ({"until": "2026-01-01T00:00:00Z"}, "2025-10-03T00:00:00Z", "2026-01-01T00:00:00Z"),
    ({"since": "2026-01-01T00:00:00Z"}, "2026-01-01T00:00:00Z", "2026-03-31T12:00:00Z"),
    ({"since": "2030-01-01T00:00:00Z"}, "2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"),
    ({"until": "0001-01-01T00:00:00Z"}, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ({"until": "0001-03-01T00:00:00Z"}, "0001-01-01T00:00:00Z", "0001-03-01T00:00:00Z"),
    ({"since": "9999-12-31T23:59:59.999999Z"}, *["9999-12-31T23:59:59.999999Z"] * 2),
    (
        {"since": "0001-01-01T00:00:00Z", "until": "9999-12-31T23:59:59Z"},
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ),
]


@pytest.mark.parametrize(("query", "since", "until"), WINDOWS)
def test_the_window_defaults_to_the_last_90_days(api, time_machine, query, since, until):
    time_machine.move_to(NOON, tick=False)
    response = api.get("/stats/body", **query)
    assert response.status_code == 200, response.content
    assert (response.json()["since"], response.json()["until"]) == (since, until)


def test_windows_reach_the_ends_of_the_calendar(api, weigh):
    weigh("0001-01-01T00:00:00Z", 80)
    weigh("9999-12-31T23:59:59.999999Z", 90)
    window = {"since": "0001-01-01T00:00:00Z"}
    assert api.get("/stats/body", **window).json()["weight"]["entries"] == 1
    window["until"] = "9999-12-31T23:59:59.999999Z"
    assert api.get("/stats/body", **window).status_code == 200


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "query.since"),
        ({"since": "2026-01-02"}, "query.since"),
        ({"until": "0001-01-01T00:00:00+01:00"}, "query.until"),
        ({"limit": "5"}, "query.limit"),
    ],
)
def test_an_invalid_window_is_an_error_at_its_place(api, query, path):
    assert problems(api.get("/stats/body", **query)).keys() == {path}


def test_a_strangers_logs_do_not_count(api, stranger):
    stranger.weight_logs.create(weight_kg=70, logged_at=NOON)
    assert api.get("/stats/body", **MARCH).json()["weight"] == NO_ENTRIES


def test_a_trend_takes_one_statement_after_that_of_the_key(api, weigh):
    for day in range(1, 10):
        weigh(f"2026-03-0{day}T06:00:00Z", 80)
    api.get("/stats/body")
    with statements() as run:
        api.get("/stats/body", **MARCH)
    assert len(run) == 2, run
