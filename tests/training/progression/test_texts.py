"""Rules in one line, and reasons in the unit and zone of the account."""

import datetime
from zoneinfo import ZoneInfo

import pytest

from tests.training.progression.builders import course, of
from tests.training.progression.test_courses import FIVE_THREE_ONE
from training.progression import (
    Double,
    Effort,
    Linear,
    Stage,
    Stages,
    reason,
    sentence,
)


@pytest.mark.parametrize(
    ("rule", "kg", "pounds"),
    [
        (Linear(2.5), "+2.5 kg a session", "+5 lb a session"),
        (Linear(0), "+1 rep a session", "+1 rep a session"),
        (Double(6, 10, 2.5), "6 to 10 reps, then +2.5 kg", "6 to 10 reps, then +5 lb"),
        (Double(6, 10, 0), "6 to 10 reps", "6 to 10 reps"),
        (
            Effort(2.5),
            "+2.5 kg up to RPE 8, as much less above RPE 9.5",
            "+5 lb up to RPE 8, as much less above RPE 9.5",
        ),
        (
            Stages((Stage(5, 3), Stage(6, 2)), 5),
            "+5 kg a session in 5 × 3, 6 × 2, then 85 %",
            "+10 lb a session in 5 × 3, 6 × 2, then 85 %",
        ),
        (FIVE_THREE_ONE, "5/3/1 of 100 kg, +2.5 kg a cycle", "5/3/1 of 220.5 lb, +5 lb a cycle"),
    ],
)
def test_a_rule_in_one_line(rule, kg, pounds):
    assert sentence(rule, of(rule)) == kg
    assert sentence(rule, of(rule, unit="lb")) == pounds


def test_a_reason_names_the_day_of_the_zone():
    (made,) = course(Linear(2.5), (1, 5, 60), ["60: 5"])
    assert reason(made, "kg", ZoneInfo("Pacific/Auckland")) == "up from 60: 1 × 5 done on 10 Nov"
    assert reason(made, "lb", datetime.UTC) == "up from 132.3: 1 × 5 done on 9 Nov"
