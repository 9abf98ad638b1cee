"""What one session does to a target: the table of rules, and each corner of it."""

import pytest

from tests.training.plans.builders import course, lifted, of, shown, steps_of, texts
from training.plans import (
    Double,
    Effort,
    Line,
    Linear,
    Stage,
    Stages,
    Target,
    Wave,
    begin,
    share,
    step,
)

LINEAR = Linear(2.5)
DOUBLE = Double(6, 10, 2.5)
EFFORT = Effort(2.5)
STAGES = Stages((Stage(5, 3), Stage(6, 2), Stage(10, 1)), 5)
WAVE = Wave(tuple((Line(1, reps, percent, True),) for reps, percent in [(5, 85), (3, 90), (1, 95)]), 100, 2.5)


@pytest.mark.parametrize(
    ("rule", "target", "sessions", "expected"),
    [
        # linear
        (
            LINEAR,
            (4, 6, 60),
            ["60: 6, 6, 6, 6"],
            ("progressed", "4×6 62.5", "up from 60: 4 × 6 done on 9 Nov"),
        ),
        (LINEAR, (3, 6, 60), ["60: 8, 7, 6"], ("progressed", "3×6 62.5", "up from 60: 3 × 6 done on 9 Nov")),
        (LINEAR, (3, 6, 60), ["60: 6, 6, 4"], ("held", "3×6 60", "held: 6, 6, 4 of 6")),
        (LINEAR, (3, 6, 60), ["60: 6, 6, 4"] * 2, ("held", "3×6 60", "held: 6, 6, 4 of 6")),
        (
            LINEAR,
            (3, 6, 60),
            ["60: 6, 6, 4"] * 3,
            ("deloaded", "3×6 52.5", "down to 52.5: missed three times"),
        ),
        (Linear(1, misses=2), (3, 6, 60), ["60: 4"] * 2, ("deloaded", "3×6 54", "down to 54: missed twice")),
        (
            Linear(2.5, misses=1),
            (3, 6, 60),
            ["60: 6, 6, 4"],
            ("deloaded", "3×6 52.5", "down to 52.5: 6, 6, 4 of 6"),
        ),
        # double
        (
            DOUBLE,
            (3, 6, 60),
            ["60: 6, 6, 6"],
            ("progressed", "3×7 60", "up from 6 reps: 3 × 6 done on 9 Nov"),
        ),
        (
            DOUBLE,
            (3, 6, 60),
            ["60: 9, 9, 8"],
            ("progressed", "3×8 60", "up from 6 reps: 3 × 6 done on 9 Nov"),
        ),
        (
            DOUBLE,
            (3, 9, 60),
            ["60: 10, 10, 9"],
            ("progressed", "3×10 60", "up from 9 reps: 3 × 9 done on 9 Nov"),
        ),
        (
            DOUBLE,
            (3, 8, 60),
            ["60: 12, 11, 10"],
            ("progressed", "3×6 62.5", "up from 60: 3 × 8 done on 9 Nov"),
        ),
        (DOUBLE, (3, 8, 60), ["60: 8, 8, 7"], ("held", "3×8 60", "held: 8, 8, 7 of 8")),
        (
            DOUBLE,
            (3, 8, 60),
            ["60: 8, 8, 7"] * 3,
            ("deloaded", "3×6 52.5", "down to 52.5: missed three times"),
        ),
        # effort
        (
            EFFORT,
            (2, 5, 60),
            [("60: 5, 5", 8)],
            ("progressed", "2×5 62.5", "up from 60: 2 × 5 done at RPE 8 on 9 Nov"),
        ),
        (EFFORT, (2, 5, 60), [("60: 5, 5", 8.5)], ("held", "2×5 60", "held: 2 × 5 done at RPE 8.5")),
        (EFFORT, (2, 5, 60), [("60: 5, 5", 9.5)], ("held", "2×5 60", "held: 2 × 5 done at RPE 9.5")),
        (
            EFFORT,
            (2, 5, 60),
            [("60: 5, 5", 10)],
            ("deloaded", "2×5 57.5", "down to 57.5: 2 × 5 done at RPE 10"),
        ),
        (EFFORT, (2, 5, 60), [("60: 5, 4", 8)], ("deloaded", "2×5 57.5", "down to 57.5: 5, 4 of 5")),
        (EFFORT, (2, 5, 60), ["60: 5, 5"], ("held", "2×5 60", "held: the last set has no RPE")),
        # stages
        (
            STAGES,
            (5, 3, 60),
            ["60: 3, 3, 3, 3, 5"],
            ("progressed", "5×3 65", "up from 60: 5 × 3 done on 9 Nov"),
        ),
        (
            STAGES,
            (5, 3, 60),
            ["60: 3, 3, 3, 3, 2"],
            ("next_stage", "6×2 60", "6 × 2 now: 3, 3, 3, 3, 2 of 3"),
        ),
        (STAGES, (10, 1, 60), ["60: 1, 1"], ("deloaded", "5×3 50", "down to 50 and 5 × 3: 1, 1 of 10 × 1")),
        # wave
        (WAVE, (1, 1, 0), ["85: 5"], ("next_week", "1×3+ 90", "week 2 now: 5 of 5 with 85 on 9 Nov")),
        (WAVE, (1, 1, 0), ["85: 3"], ("next_week", "1×3+ 90", "week 2 now: 3 of 5 with 85 on 9 Nov")),
        (
            WAVE,
            (1, 1, 0),
            ["85: 5", "90: 3", "95: 4"],
            ("progressed", "1×5+ 85", "up from a training max of 100: 4 of 1 with 95 on 11 Nov"),
        ),
        (
            WAVE,
            (1, 1, 0),
            ["85: 5", "90: 3", "95: 0"],
            ("deloaded", "1×5+ 75", "down to a training max of 90: 0 of 1 with 95"),
        ),
    ],
)
def test_the_table_of_rules(rule, target, sessions, expected):
    assert texts(course(rule, target, sessions)[-1]) == expected


class TestWhatIsJudged:
    def test_warm_ups_and_sets_that_were_only_planned_are_not(self):
        session = lifted("60: 5, 5, 5")
        warmup = {**session.sets[0], "type": "warmup", "weight_kg": 20, "reps": 1}
        planned = {**session.sets[0], "completed": False, "reps": 0}
        session.sets[:] = [warmup, *session.sets[:2], planned, session.sets[2]]
        loading = of(LINEAR)
        made = step(LINEAR, begin(LINEAR, Target(3, 5, 60), loading), session, loading)
        assert texts(made)[:2] == ("progressed", "3×5 62.5")

    def test_a_set_without_a_repetition_is_not_where_another_has_one(self):
        assert texts(course(LINEAR, (3, 5, 60), ["60: 5, 0, 5, 5"])[0])[:2] == ("progressed", "3×5 62.5")
        assert texts(course(LINEAR, (3, 5, 60), ["60: 5, 0, 5"])[0])[::2] == ("held", "held: 5, 5 of 3 × 5")
        assert texts(course(LINEAR, (1, 5, 60), ["60: 0"])[0])[::2] == ("held", "held: 0 of 5")

    def test_sets_beyond_those_asked_for_are_not(self):
        assert texts(course(LINEAR, (2, 5, 60), ["60: 5, 5, 2, 1"])[0])[0] == "progressed"

    def test_fewer_sets_are_a_miss(self):
        assert texts(course(LINEAR, (4, 6, 60), ["60: 6, 6"])[0]) == (
            "held",
            "4×6 60",
            "held: 6, 6 of 4 × 6",
        )

    @pytest.mark.parametrize("text", ["60×5, 65×5, 65×5", "65×5, 65×5, 70×5", "65×5, 65×5, 60×5"])
    def test_the_weight_is_that_of_most_sets(self, text):
        (made,) = course(LINEAR, (3, 5, 60), [text])
        assert made.after.target.weight_kg in (65, 67.5)

    def test_the_weight_is_the_lower_one_of_two(self):
        (made,) = course(LINEAR, (2, 5, 60), ["60×5, 70×5"])
        assert texts(made)[:2] == ("progressed", "2×5 62.5")

    def test_a_set_with_less_weight_than_most_is_a_miss(self):
        (made,) = course(LINEAR, (3, 5, 60), ["60×5, 60×5, 50×5"])
        assert texts(made) == ("held", "3×5 60", "held: 5, 5, 5 of 5 with 60, 60, 50")
        assert made.after.misses == 1

    def test_less_weight_is_a_miss_whatever_the_repetitions(self):
        steps = course(LINEAR, (3, 5, 60), ["50: 20, 20, 20"] * 3)
        assert texts(steps[0]) == ("held", "3×5 60", "held: 20, 20, 20 of 5 with 50 instead of 60")
        assert texts(steps[2])[:2] == ("deloaded", "3×5 52.5")

    def test_an_exercise_that_was_skipped_makes_no_step(self):
        skipped = lifted("60: 5, 5")
        skipped.sets[:] = [{**one, "completed": False} for one in skipped.sets]
        loading = of(LINEAR)
        assert steps_of(LINEAR, begin(LINEAR, Target(2, 5, 60), loading), [skipped], loading) == []

    def test_a_deload_week_makes_no_step(self):
        loading = of(LINEAR)
        state = begin(LINEAR, Target(1, 5, 60), loading)
        for text in ("50: 5", "60: 1", "60: 5", "100: 5"):
            assert step(LINEAR, state, lifted(text, is_deload=True), loading) is None

    def test_a_session_that_was_done_forgets_the_misses(self):
        steps = course(LINEAR, (1, 5, 60), ["60: 4", "60: 4", "60: 5", "62.5: 4", "62.5: 4"])
        assert [made.kind for made in steps] == ["held", "held", "progressed", "held", "held"]


class TestMoreThanAsked:
    def test_a_plan_that_was_left_behind_catches_up_in_one_session(self):
        (made,) = course(LINEAR, (4, 6, 62.5), ["95: 6, 6, 6, 6"])
        assert texts(made) == ("progressed", "4×6 97.5", "up from 62.5: 4 × 6 with 95 done on 9 Nov")

    def test_the_target_moves_and_is_then_missed(self):
        (made,) = course(LINEAR, (3, 6, 60), ["65: 6, 6, 4"])
        assert texts(made) == ("moved", "3×6 65", "moved from 60 to what was lifted: 6, 6, 4 of 6")
        assert made.after.misses == 1

    def test_a_heavy_single_does_not_become_a_target_of_five(self):
        (made,) = course(LINEAR, (1, 5, 60), ["100: 1"])
        assert texts(made) == ("held", "1×5 60", "held: 1 of 5 with 100 instead of 60")
        assert made.after.misses == 0

    def test_an_attempt_is_not_what_next_time_is_made_of(self):
        (made,) = course(LINEAR, (1, 0, 60), ["100: 0"])
        assert (made.kind, made.after.target.weight_kg) == ("held", 60)

    @pytest.mark.parametrize(
        ("rule", "session"),
        [
            (Linear(2.5, misses=1), "62.5: 5, 4"),
            (EFFORT, ("62.5: 5, 5", 10)),
            (EFFORT, "62.5: 5, 4"),
            (Stages((Stage(2, 5),), 2.5), "62.5: 5, 4"),
        ],
    )
    def test_nobody_is_asked_for_less_because_they_lifted_more(self, rule, session):
        (made,) = course(rule, (2, 5, 60), [session])
        assert texts(made)[:2] == ("moved", "2×5 62.5")

    def test_a_range_of_repetitions_starts_again_at_the_weight(self):
        (made,) = course(DOUBLE, (3, 10, 60), ["70: 7, 7, 7"])
        assert texts(made)[:2] == ("progressed", "3×7 70")

    def test_a_training_max_moves_to_what_was_lifted(self):
        (made,) = course(WAVE, (1, 1, 0), ["95: 5"])
        assert texts(made) == ("next_week", "1×3+ 97.5", "week 2 now: 5 of 5 with 95 on 9 Nov")
        assert made.after.training_max_kg == 110  # 95 kg are 85 % of 111.76 kg

    def test_a_training_max_stays_where_the_heavier_set_missed_its_repetitions(self):
        (made,) = course(WAVE, (1, 1, 0), ["100: 2"])
        assert (made.after.training_max_kg, made.after.misses) == (100, 1)


class TestWithoutWeight:
    def test_the_first_session_sets_the_weight(self):
        (made,) = course(LINEAR, (3, 5, 0), ["60: 5, 5, 5"])
        assert texts(made) == ("progressed", "3×5 62.5", "up from no weight: 3 × 5 with 60 done on 9 Nov")

    def test_linear_adds_repetitions(self):
        steps = course(Linear(0), (2, 10, 0), ["0: 10, 10", "0: 15, 14"], "Bodyweight")
        assert [texts(made) for made in steps] == [
            ("progressed", "2×11 0", "up from 10 reps: 2 × 10 done on 9 Nov"),
            ("progressed", "2×15 0", "up from 11 reps: 2 × 11 done on 10 Nov"),
        ]

    def test_linear_takes_repetitions_off(self):
        steps = course(Linear(0), (2, 10, 0), ["0: 10, 8"] * 3, "Bodyweight")
        assert texts(steps[-1]) == ("deloaded", "2×9 0", "down to 9 reps: missed three times")

    def test_one_repetition_is_the_least(self):
        steps = course(Linear(0, misses=1), (1, 1, 0), ["0: 0"], "Bodyweight")
        assert texts(steps[-1])[:2] == ("held", "1×1 0")

    def test_double_without_an_increment_ends_at_the_top(self):
        steps = course(Double(6, 8, 0), (1, 8, 0), ["0: 8"], "Bodyweight")
        assert texts(steps[-1]) == ("held", "1×8 0", "held: 1 × 8 done, and its rule goes no further")

    def test_double_with_an_increment_adds_weight_to_the_body(self):
        steps = course(Double(6, 8, 2.5), (1, 8, 0), ["0: 8"], "Bodyweight")
        assert texts(steps[-1])[:2] == ("progressed", "1×6 2.5")

    def test_effort_adds_and_takes_repetitions(self):
        steps = course(Effort(0), (1, 8, 0), [("0: 8", 7), ("0: 9", 10)], "Bodyweight")
        assert [shown(made.after.target) for made in steps] == ["1×9 0", "1×8 0"]

    @pytest.mark.parametrize("rule", [LINEAR, DOUBLE, EFFORT, STAGES])
    def test_a_bar_has_a_weight(self, rule):
        (made,) = course(rule, (1, 6, 0), ["0: 6"])
        assert texts(made)[::2] == ("held", "held: no weight was written")

    def test_a_wave_without_a_training_max_takes_it_from_the_first_session(self):
        wave = Wave(WAVE.weeks, 0, 2.5)
        (made,) = course(wave, (1, 1, 0), ["85: 5"])
        assert made.after.training_max_kg == 100
        (made,) = course(wave, (1, 1, 0), ["0: 5"])
        assert texts(made)[::2] == ("held", "held: no weight was written")


class TestTheBar:
    def test_a_deload_ends_at_the_bar(self):
        steps = course(LINEAR, (1, 5, 20), ["20: 4"] * 3)
        assert texts(steps[-1]) == ("held", "1×5 20", "held: 4 of 5, and it is the least already")

    def test_somebody_with_a_lighter_bar_stays_with_it(self):
        steps = course(LINEAR, (1, 5, 15), ["15: 4"] * 3)
        assert texts(steps[-1])[:2] == ("deloaded", "1×5 12.5")


class TestHeldByYou:
    def test_the_target_stays(self):
        loading = of(LINEAR)
        state = begin(LINEAR, Target(1, 5, 60), loading)
        made = step(LINEAR, state, lifted("60: 5", is_held=True), loading)
        assert texts(made) == ("held_by_you", "1×5 60", "held by you on 9 Nov")
        assert made.after == state

    def test_a_deload_that_was_switched_off_is_due_again_after_the_next_miss(self):
        loading = of(LINEAR)
        state = begin(LINEAR, Target(1, 5, 60), loading)
        sessions = [lifted("60: 4", day=day, is_held=day == 2) for day in range(4)]
        steps = steps_of(LINEAR, state, sessions, loading)
        assert [made.kind for made in steps] == ["held", "held", "held_by_you", "deloaded"]

    def test_a_miss_counts_where_there_was_nothing_to_switch_off(self):
        loading = of(LINEAR)
        state = begin(LINEAR, Target(1, 5, 60), loading)
        made = step(LINEAR, state, lifted("60: 4", is_held=True), loading)
        assert (made.kind, made.after.misses) == ("held", 1)


class TestSetsThatWereNotTried:
    """Of a workout that was begun with all sets on a card, and ended before some of them."""

    RULES = pytest.mark.parametrize(
        "rule", [LINEAR, DOUBLE, EFFORT, Stages((Stage(4, 6), Stage(5, 5)), 2.5)], ids=lambda rule: rule.kind
    )

    def course(self, rule, target, *sessions):
        return course(rule, target, sessions, forgives_untried=True)

    @RULES
    @pytest.mark.parametrize(("lifts", "left"), [("60: 6, 6, 6", "1 set"), ("60: 7", "3 sets")])
    def test_they_are_no_miss(self, rule, lifts, left):
        (made,) = self.course(rule, (4, 6, 60), lifts)
        assert texts(made) == ("held", "4×6 60", f"held: {left} not done")
        assert made.after == made.before

    @RULES
    @pytest.mark.parametrize("lifts", ["60: 6, 6, 5", "60: 6, 6, 6, 5", "57.5: 6, 6, 6"])
    def test_a_set_that_was_tried_and_missed_is_one(self, rule, lifts):
        (made,) = self.course(rule, (4, 6, 60), lifts)
        assert made.why in ("missed", "lighter")

    def test_misses_in_a_row_are_neither_more_nor_fewer_by_them(self):
        steps = self.course(LINEAR, (2, 5, 60), "60: 4", "60: 4", "60: 5", "60: 4")
        assert [made.kind for made in steps] == ["held", "held", "held", "deloaded"]

    def test_a_heavier_session_moves_the_target_to_what_was_lifted(self):
        (made,) = self.course(LINEAR, (4, 6, 60), "65: 6, 6, 6")
        assert texts(made) == ("moved", "4×6 65", "moved from 60 to what was lifted: 1 set not done")
        assert made.after.misses == 0

    def test_a_wave_stays_in_its_week_where_its_top_set_was_not_tried(self):
        lines = [Line(1, 5, percent, open=percent == 85) for percent in (65, 75, 85)]
        wave = share([Wave(((line,),) * 2, 100, 2.5) for line in lines])
        (made,) = self.course(wave, (1, 5, 0), "65×5, 75×5")
        assert texts(made)[::2] == ("held", "held: the top set was not done")
        assert made.after == made.before
        (made,) = self.course(wave, (1, 5, 0), "65×5, 85×3")
        assert (made.kind, made.after.misses) == ("next_week", 1)


class TestPounds:
    BENCH = 102.05828325  # 225 lb
    RULE = Linear(2.26796185)

    @pytest.mark.parametrize("kg", [102.05828325, 102.05828324999999, 102.06, 102.1, 102.05])
    def test_weights_that_were_rounded_are_the_weight(self, kg):
        (made,) = course(self.RULE, (1, 5, self.BENCH), [f"{kg}: 5"], unit="lb")
        assert made.after.target.weight_kg == 230 * 0.45359237
        assert texts(made, "lb")[2] == "up from 225: 1 × 5 done on 9 Nov"

    def test_an_increment_of_kg_is_one_of_pounds(self):
        (made,) = course(LINEAR, (1, 5, self.BENCH), [f"{self.BENCH}: 5"], unit="lb")
        assert made.after.target.weight_kg == 230 * 0.45359237

    def test_what_was_lifted_in_kg_moves_the_target_to_pounds(self):
        (made,) = course(self.RULE, (1, 5, self.BENCH), ["110: 5"], unit="lb")  # 242.5 lb
        assert made.after.target.weight_kg == 245 * 0.45359237


class TestWaves:
    def entry(self, *lines):
        return Wave(tuple((Line(*line),) for line in lines), 100, 2.5)

    def test_entries_share_one_training_max_and_the_last_open_set_is_judged(self):
        shared = share(
            [
                self.entry((1, 5, 65), (1, 3, 70)),
                self.entry((1, 5, 75), (1, 3, 80)),
                self.entry((1, 5, 85, True), (1, 3, 90, True)),
            ]
        )
        steps = course(shared, (1, 1, 0), ["65×1, 75×1, 85×5", "70×3, 80×3, 90×3"])
        assert [made.kind for made in steps] == ["next_week", "progressed"]
        assert steps[-1].after.training_max_kg == 102.5

    def test_a_week_without_an_open_set_leaves_the_judgement_to_the_one_before(self):
        rule = self.entry((1, 5, 85, True), (1, 5, 60))
        assert course(rule, (1, 1, 0), ["85: 4", "60: 5"])[-1].kind == "deloaded"
        assert course(rule, (1, 1, 0), ["85: 5", "60: 3"])[-1].kind == "progressed"

    def test_a_wave_without_open_sets_is_judged_by_its_last_line(self):
        rule = self.entry((1, 5, 80), (1, 5, 85))
        assert course(rule, (1, 1, 0), ["80: 4", "85: 5"])[-1].kind == "progressed"
        assert course(rule, (1, 1, 0), ["80: 5", "85: 4"])[-1].kind == "deloaded"

    def test_one_week_is_a_wave(self):
        steps = course(self.entry((1, 5, 80, True)), (1, 1, 0), ["80: 5", "82: 7"])
        assert [made.after.training_max_kg for made in steps] == [102.5, 105]

    @pytest.mark.parametrize(
        ("training_max_kg", "increment_kg", "text"), [(20, 2.5, "20: 4"), (100, 0, "100: 5")]
    )
    def test_a_round_that_cannot_change_the_training_max_begins_again(
        self, training_max_kg, increment_kg, text
    ):
        rule = Wave(((Line(1, 5, 100, True),),), training_max_kg, increment_kg)
        (made,) = course(rule, (1, 1, 0), [text])
        assert texts(made)[0] == "next_week"
        assert made.after == made.before

    def test_an_open_set_that_was_left_out_is_missed(self):
        shared = share([self.entry((1, 5, 65)), self.entry((1, 5, 85, True))])
        assert course(shared, (1, 1, 0), ["65: 5"])[-1].kind == "deloaded"
