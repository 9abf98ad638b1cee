"""Ten weeks of three methods. Their tables are written by hand from the descriptions of the methods."""

from tests.training.progression.builders import lifted, now, of
from training.progression import Double, Line, Stage, Stages, Target, Wave, begin, lighter, share, step
from training.progression.rules import asked


def ten_weeks(rule, target, weeks, equipment="Barbell"):
    """What is asked in each week, and at the end."""
    loading = of(rule, equipment)
    state = begin(rule, target, loading)
    for number, (expected, session) in enumerate(weeks, 1):
        assert now(rule, state, equipment) == expected, f"week {number}"
        made = step(rule, state, session, loading)
        state = made.after if made else state
    return now(rule, state, equipment)


def test_gzclp():
    """The first tier of Cody Lefever's GZCLP (swoleateveryheight.blogspot.com), a squat once a week.

    5 × 3, after a miss 6 × 2 with the same weight, then 10 × 1, then 5 × 3 with 85 %. He takes these from a
    new test of five repetitions, which a rule cannot ask for: here they are of the weight that was missed.
    """
    rule = Stages((Stage(5, 3), Stage(6, 2), Stage(10, 1)), 5)
    singles = ", 1" * 8
    weeks = [
        (["5×3 100"], lifted("100: 3, 3, 3, 3, 5")),
        (["5×3 105"], lifted("105: 3, 3, 3, 3, 4")),
        (["5×3 110"], lifted("110: 3, 3, 3, 3, 3")),
        (["5×3 115"], lifted("115: 3, 3, 3, 3, 2")),
        (["6×2 115"], lifted("115: 2, 2, 2, 2, 2, 3")),
        (["6×2 120"], lifted("120: 2, 2, 2, 2, 2, 2")),
        (["6×2 125"], lifted("125: 2, 2, 2, 2, 1, 1")),
        (["10×1 125"], lifted(f"125: 1{singles}, 1")),
        (["10×1 130"], lifted(f"130: 1{singles}, 0")),
        (["5×3 110"], lifted("110: 3, 3, 3, 3, 6")),  # 110.5 kg
    ]
    assert ten_weeks(rule, Target(5, 3, 100), weeks) == ["5×3 115"]


def entry(*lines):
    return Wave(tuple((Line(1, *line),) for line in lines), training_max_kg=100, increment_kg=2.5)


FIVE_THREE_ONE = share(
    [
        entry((5, 65), (3, 70), (5, 75)),
        entry((5, 75), (3, 80), (3, 85)),
        entry((5, 85, True), (3, 90, True), (1, 95, True)),
    ]
)


def test_five_three_one():
    """Jim Wendler, 5/3/1 (2009): the main sets of the bench press, each fourth week a deload.

    Each round adds 2.5 kg to the training max; after a last set that missed, the next has 90 % of it.
    """
    deload = lifted("42.5×5, 47.5×5, 55×5", is_deload=True)
    weeks = [
        (["1×5 65", "1×5 75", "1×5+ 85"], lifted("65×5, 75×5, 85×8")),
        (["1×3 70", "1×3 80", "1×3+ 90"], lifted("70×3, 80×3, 90×6")),
        (["1×5 75", "1×3 85", "1×1+ 95"], lifted("75×5, 85×3, 95×3")),
        (["1×5 65", "1×5 75", "1×5+ 85"], deload),
        (["1×5 65", "1×5 75", "1×5+ 85"], lifted("65×5, 75×5, 85×6")),  # 66.6, 76.9 and 87.1 kg
        (["1×3 70", "1×3 80", "1×3+ 90"], lifted("70×3, 80×3, 90×3")),  # 71.8, 82 and 92.3 kg
        (["1×5 75", "1×3 85", "1×1+ 95"], lifted("75×5, 85×3, 95×0")),  # 76.9, 87.1 and 97.4 kg
        (["1×5 57.5", "1×5 67.5", "1×5+ 75"], deload),  # of 90 kg
        (["1×5 57.5", "1×5 67.5", "1×5+ 75"], lifted("57.5×5, 67.5×5, 75×9")),
        (["1×3 62.5", "1×3 70", "1×3+ 80"], lifted("62.5×3, 70×3, 80×7")),
    ]
    assert ten_weeks(FIVE_THREE_ONE, Target(1, 5, 0), weeks) == ["1×5 67.5", "1×3 75", "1×1+ 85"]


def test_a_deload_week_shows_less_and_no_open_set():
    loading = of(FIVE_THREE_ONE)
    state = begin(FIVE_THREE_ONE, Target(1, 5, 0), loading)
    shown = [lighter(target, 65, loading) for target in asked(FIVE_THREE_ONE, state, loading)]
    assert shown == [Target(1, 5, 40), Target(1, 5, 47.5), Target(1, 5, 55)]


def test_double_progression():
    """Repetitions first, then load, as in the American College of Sports Medicine's "Progression models in
    resistance training for healthy adults" (2009): dumbbells of 20 kg, 8 to 10 repetitions."""
    weeks = [
        (["3×8 20"], lifted("20: 8, 8, 8")),
        (["3×9 20"], lifted("20: 9, 9, 9")),
        (["3×10 20"], lifted("20: 10, 10, 10")),
        (["3×8 22"], lifted("22: 8, 7, 6")),
        (["3×8 22"], lifted("22: 8, 8, 8")),
        (["3×9 22"], lifted("22: 9, 9, 8")),
        (["3×9 22"], lifted("22: 9, 9, 9")),
        (["3×10 22"], lifted("22: 10, 10, 10")),
        (["3×8 24"], lifted("24: 8, 8, 7")),
        (["3×8 24"], lifted("24: 8, 8, 8")),
    ]
    assert ten_weeks(Double(8, 10, 2), Target(3, 8, 20), weeks, "Dumbbell") == ["3×9 24"]
