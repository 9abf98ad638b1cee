"""The ends of windows."""

import datetime

import pytest

from fitness.db.windows import days, window

FIRST = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
MACROS = dict.fromkeys(("calories", "protein_g", "carbs_g", "fat_g"), 0)


@pytest.fixture
def nutrition_days(account):
    """One on each of the first five days of March, logged at its midnight."""
    for number in range(5):
        at = FIRST + datetime.timedelta(days=number)
        account.nutrition_days.create(day=at.date(), logged_at=at, **MACROS)
    return account.nutrition_days.order_by("day")


def numbers(nutrition_days):
    return [one.day.day for one in nutrition_days]


@pytest.mark.parametrize(
    ("since", "until", "of_time", "of_days"),
    [
        (None, None, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
        (2, None, [2, 3, 4, 5], [2, 3, 4, 5]),
        (None, 4, [1, 2, 3], [1, 2, 3, 4]),
        (2, 4, [2, 3], [2, 3, 4]),
        (3, 3, [], [3]),
    ],
)
def test_time_ends_before_until_and_days_end_with_it(nutrition_days, since, until, of_time, of_days):
    since, until = (number and FIRST.replace(day=number) for number in (since, until))
    assert numbers(window(nutrition_days, "logged_at", since, until)) == of_time
    since, until = since and since.date(), until and until.date()
    assert numbers(days(nutrition_days, "day", since, until)) == of_days
