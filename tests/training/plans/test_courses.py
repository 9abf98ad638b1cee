"""Ten weeks of three methods step by step, and the deload weeks of one of them."""

import datetime
from dataclasses import replace

import pytest

from fitness.web.units import to_unit
from tests.training.plans.builders import FIRST_DAY, of
from tests.training.plans.courses import COURSES, FIVE_THREE_ONE_OF_A_PRESS
from training.plans import Session, Target, begin, current_targets, lighter, step

FIVE_THREE_ONE = FIVE_THREE_ONE_OF_A_PRESS.rule


def shown(target, unit):
    return f"{target.sets}×{target.reps}{'+' * target.open} {to_unit(target.weight_kg, unit):g}"


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_ten_weeks(course):
    rule, loading = course.rule, course.loading
    state = begin(rule, course.target, loading)
    steps, targets = [], [current_targets(rule, state, loading)]
    for number, week in enumerate(course.weeks):
        lifts = [one for of_entry in course.sets(week) for one in of_entry]
        at = FIRST_DAY + datetime.timedelta(weeks=number)
        made = step(rule, state, Session(f"{number}", at, lifts, is_deload=week.kind is None), loading)
        if made:
            steps.append((made.kind, made.before.target, made.after.target))
            state = made.after
        targets.append(current_targets(rule, state, loading))
    plain = [[shown(replace(one, open=False), course.unit) for one in of_week] for of_week in targets]
    assert plain == [[text.replace("+", "") for text in of_week] for of_week in course.asked]
    found = [(kind, shown(before, course.unit), shown(after, course.unit)) for kind, before, after in steps]
    assert found == course.steps


def test_a_deload_week_shows_less_and_no_open_set():
    loading = of(FIVE_THREE_ONE)
    state = begin(FIVE_THREE_ONE, Target(1, 5, 0), loading)
    lines = [lighter(target, 65, loading) for target in current_targets(FIVE_THREE_ONE, state, loading)]
    assert lines == [Target(1, 5, 40), Target(1, 5, 47.5), Target(1, 5, 55)]
