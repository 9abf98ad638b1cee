"""Rules in one line, reasons in the unit and zone of the account, previews and back-tests."""

import datetime
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from tests.training.plans.builders import course, lifted, of, shown
from tests.training.plans.test_courses import FIVE_THREE_ONE
from training.plans import (
    Double,
    Effort,
    Linear,
    Stage,
    Stages,
    State,
    Target,
    back_test,
    begin,
    preview,
    reason,
    sentence,
)
from training.plans.wording import explanation, then_in_words, what_follows


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


@pytest.mark.parametrize(
    ("rule", "target", "sessions", "expected"),
    [
        (Linear(2.5), (3, 5, 60), [], "+2.5 kg"),
        (Linear(0), (3, 5, 60), [], "+1 rep"),
        (Double(6, 10, 2.5), (3, 6, 60), [], "+1 rep"),
        (Double(6, 10, 2.5), (3, 10, 60), [], "+2.5 kg with 6 reps"),
        (Double(6, 10, 0), (3, 10, 0), [], "the same again"),
        (Effort(2.5), (3, 5, 60), [], "+2.5 kg at RPE 8 or less"),
        (FIVE_THREE_ONE, (3, 5, 0), [], "week 2 of 3"),
        (FIVE_THREE_ONE, (3, 5, 0), ["85: 5", "90: 3"], "week 1 of 3, training max +2.5 kg"),
    ],
)
def test_what_follows_once_all_is_done(rule, target, sessions, expected):
    steps = course(rule, target, sessions)
    state = steps[-1].after if steps else begin(rule, Target(*target), of(rule))
    assert what_follows(rule, state, of(rule)) == expected


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (Target(5, 3, 95, open=True), "Last set as many as are clean. Then +2.5 kg"),
        (Target(1, 5, 100, open=True), "As many as are clean. Then +2.5 kg"),
        (Target(3, 12, 60), "Then +2.5 kg"),
    ],
)
def test_the_open_set_is_said_in_words(target, said):
    rule = Linear(2.5)
    assert then_in_words(rule, State(target), target, of(rule)) == said


def test_a_reason_names_the_day_of_the_zone():
    (made,) = course(Linear(2.5), (1, 5, 60), ["60: 5"])
    assert reason(made, "kg", ZoneInfo("Pacific/Auckland")) == "up from 60: 1 × 5 done on 10 Nov"
    assert reason(made, "lb", datetime.UTC) == "up from 132.3: 1 × 5 done on 9 Nov"


class TestPreview:
    def rows(self, rule, target, **options):
        loading = of(rule)
        rows = preview(rule, begin(rule, target, loading), loading, **options)
        assert [row.number for row in rows] == list(range(1, 13))
        return rows

    def test_if_all_is_done(self):
        rows = self.rows(Linear(2.5), Target(3, 5, 60))
        assert [shown(*row.targets) for row in rows[:3]] == ["3×5 60", "3×5 62.5", "3×5 65"]
        assert {row.kind for row in rows} == {"progressed"}
        assert shown(*rows[-1].targets) == "3×5 87.5"

    def test_if_every_third_is_missed(self):
        rows = self.rows(Linear(2.5), Target(3, 5, 60), with_misses=True)
        assert [row.is_missed for row in rows[:6]] == [False, False, True] * 2
        assert [row.kind for row in rows[:4]] == ["progressed", "progressed", "held", "progressed"]
        assert shown(*rows[-1].targets) == "3×5 80"

    def test_effort_is_as_low_as_it_takes(self):
        assert {row.kind for row in self.rows(Effort(2.5), Target(3, 5, 60))} == {"progressed"}

    def test_a_wave_shows_each_entry(self):
        rows = self.rows(FIVE_THREE_ONE, Target(1, 5, 0), with_misses=True)
        assert [shown(target) for target in rows[2].targets] == ["1×5 75", "1×3 85", "1×1+ 95"]
        assert [row.kind for row in rows[:3]] == ["next_week", "next_week", "deloaded"]


class TestBackTest:
    def test_it_begins_with_what_was_lifted_first(self):
        rule = Linear(2.5)
        loading = of(rule)
        past = [lifted(text, day=day) for day, text in enumerate(["40: 5", "42.5: 5", "45: 3"])]
        lines = back_test(rule, begin(rule, Target(1, 5, 100), loading), past, loading)
        assert [shown(*line.targets) for line in lines] == ["1×5 0", "1×5 42.5", "1×5 45"]
        assert [line.step.kind for line in lines] == ["progressed", "progressed", "held"]

    def test_it_says_where_the_rule_would_have_stepped_down(self):
        rule = Linear(2.5)
        loading = of(rule)
        past = [lifted("60: 5", day=0), *(lifted("62.5: 4", day=day) for day in range(1, 5))]
        past.append(lifted("50: 5", day=5, is_deload=True))
        lines = back_test(rule, begin(rule, Target(1, 5, 60), loading), past, loading)
        assert [line.steps_down for line in lines] == [False, False, False, True, False, False]
        assert lines[-1].step is None

    def test_more_than_a_hundred_sessions_are_tested(self):
        rule = Double(5, 8, 2.5)
        loading = of(rule)
        past = [lifted("60: 5", day=day) for day in range(250)]
        assert len(back_test(rule, begin(rule, Target(1, 5, 60), loading), past, loading)) == 250

    def test_a_wave_takes_its_training_max_from_the_first_session(self):
        loading = of(FIVE_THREE_ONE)
        past = [lifted("65×5, 75×5, 85×5"), lifted("70×3, 80×3, 90×3", day=1)]
        lines = back_test(FIVE_THREE_ONE, begin(FIVE_THREE_ONE, Target(1, 5, 0), loading), past, loading)
        assert [shown(target) for target in lines[1].targets] == ["1×3 70", "1×3 80", "1×3+ 90"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Linear(2.5, misses=1), "All sets done: +2.5 kg next time. 1 miss: down to 90 %."),
        (Linear(0), "All sets done: +1 rep next time. 3 misses in a row: down to 90 %."),
        (
            Double(6, 10, 2.5),
            "All sets done: one rep more next time, from 6 up to 10. Then +2.5 kg, and 6 reps again. "
            "3 misses in a row: down to 90 %.",
        ),
        (
            Double(6, 10, 0),
            "All sets done: one rep more next time, from 6 up to 10. 3 misses in a row: down to 90 %.",
        ),
        (
            Effort(2.5),
            "Last set at RPE 8 or less: +2.5 kg next time. Above RPE 9.5, or reps missed: "
            "\N{MINUS SIGN}2.5 kg. "
            "In between it stays.",
        ),
        (
            Stages((Stage(5, 3), Stage(6, 2)), 5),
            "All sets done: +5 kg next time. After a miss comes the next of 5 × 3, 6 × 2, and after the last "
            "of them the first again at 85 %.",
        ),
        (
            FIVE_THREE_ONE,
            "3 weeks at percentages of a training max of 100 kg. Then the max grows by 2.5 kg, or falls "
            "where the last set was missed.",
        ),
        (
            replace(FIVE_THREE_ONE, training_max_kg=0),
            "3 weeks at percentages of a training max, which your next workout sets. Then the max grows by "
            "2.5 kg, or falls where the last set was missed.",
        ),
    ],
)
def test_a_rule_is_explained_in_sentences(rule, said):
    state = State(Target(3, 5, 60), training_max_kg=getattr(rule, "training_max_kg", 0))
    assert explanation(rule, state, of(rule)).replace("\xa0", " ") == said
