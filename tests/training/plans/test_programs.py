"""Programs to start from, and which of their entries share a target."""

import pytest

from fitness.web.units import to_unit
from tests.training.plans.builders import of, shown
from training import catalogue
from training.plans import (
    Entry,
    Stages,
    Target,
    Wave,
    begin,
    current_targets,
    groups,
    loading_of,
    sentence,
    share,
    starters,
)
from training.plans.programs import PROGRAMS, fitted

CATALOGUE = {entry["id"]: entry for entry in catalogue.entries()}
LIFTS = [
    pytest.param(lift, id=f"{key} {lift.exercise_id}") for key, p in PROGRAMS.items() for lift in p.lifts
]


def entries_of(program):
    return [
        Entry(weekday, position, lift.exercise_id, lift.rule, Target(lift.sets, lift.reps, 0))
        for weekday, day in program.days.items()
        for position, lift in enumerate(day.lifts)
    ]


def test_six_programs():
    assert list(PROGRAMS) == [
        "linear-three-days",
        "linear-five-by-five",
        "gzclp",
        "five-three-one",
        "upper-lower-double",
        "push-pull-legs-double",
    ]


@pytest.mark.parametrize("lift", LIFTS)
def test_every_exercise_is_in_the_catalogue_with_an_increment_that_it_can_be_loaded_with(lift):
    exercise = CATALOGUE[lift.exercise_id]
    assert not exercise.get("is_assisted")
    increment_kg = lift.rule.increment_kg
    for unit in ("kg", "lb"):
        loading = loading_of(exercise["equipment"], unit, increment_kg)
        assert loading.increment % loading.step == 0
    if not increment_kg:
        assert exercise["equipment"] == "Bodyweight"


@pytest.mark.parametrize("key", ["linear-three-days", "upper-lower-double", "push-pull-legs-double"])
def test_days_of_starters_stay_as_they_are(key):
    known = {
        day.name: [(lift.exercise_id, lift.sets, lift.reps, lift.note) for lift in day.lifts]
        for day in vars(starters).values()
        if isinstance(day, starters.Day)
    }
    for day in PROGRAMS[key].days.values():
        assert known[day.name] == [(lift.exercise_id, lift.sets, lift.reps, lift.note) for lift in day.lifts]


@pytest.mark.parametrize(
    ("key", "exercise_id", "text"),
    [
        ("linear-three-days", "barbell-back-squat", "+2.5 kg a session"),
        ("linear-three-days", "dead-bug", "10 to 12 reps"),
        ("linear-five-by-five", "barbell-deadlift", "+5 kg a session"),
        ("gzclp", "barbell-overhead-press", "+2.5 kg a session in 5 × 3, 6 × 2, 10 × 1, then 85 %"),
        ("gzclp", "lat-pulldown", "15 to 18 reps, then +2.5 kg"),
        ("upper-lower-double", "chin-up", "6 to 8 reps, then +2.5 kg"),
        ("push-pull-legs-double", "dumbbell-curl", "12 to 15 reps, then +2 kg"),
    ],
)
def test_rules_of_programs(key, exercise_id, text):
    lift = next(lift for lift in PROGRAMS[key].lifts if lift.exercise_id == exercise_id)
    assert sentence(lift.rule, of(lift.rule, CATALOGUE[exercise_id]["equipment"])) == text


class TestFirstWeights:
    def lift(self, key, exercise_id):
        return next(lift for lift in PROGRAMS[key].lifts if lift.exercise_id == exercise_id)

    def test_five_repetitions_are_taken_from_nine_tenths_of_the_maximum(self):
        lift = self.lift("linear-five-by-five", "barbell-bench-press")
        rule, target = fitted(lift, 100, of(lift.rule))
        assert (rule, shown(target)) == (lift.rule, "5×5 75")  # 90 kg / (1 + 5 / 30) are 77.1 kg

    def test_in_pounds(self):
        lift = self.lift("linear-five-by-five", "barbell-bench-press")
        _, target = fitted(lift, 100, of(lift.rule, unit="lb"))
        assert to_unit(target.weight_kg, "lb") == 165

    def test_a_wave_gets_its_training_max(self):
        lift = self.lift("five-three-one", "barbell-bench-press")
        rule, _ = fitted(lift, 112, of(lift.rule))
        assert rule.training_max_kg == 100

    def test_without_a_maximum_the_first_session_decides(self):
        lift = self.lift("gzclp", "barbell-back-squat")
        assert shown(fitted(lift, 0, of(lift.rule))[1]) == "5×3 0"

    def test_the_maximum_is_asked_of_lifts_with_weight(self):
        assert PROGRAMS["five-three-one"].weighted == [
            "barbell-overhead-press",
            "lat-pulldown",
            "barbell-deadlift",
            "barbell-bench-press",
            "single-arm-dumbbell-row",
            "barbell-back-squat",
            "lying-leg-curl",
        ]


class TestGroups:
    def test_a_lift_of_several_days_has_one_target(self):
        found = groups(entries_of(PROGRAMS["linear-five-by-five"]))
        days = {entries[0].exercise_id: [entry.weekday for entry in entries] for entries in found}
        assert days == {
            "barbell-back-squat": [1, 3, 5],
            "barbell-bench-press": [1, 5],
            "bent-over-barbell-row": [1, 5],
            "barbell-overhead-press": [3],
            "barbell-deadlift": [3],
        }

    def test_heavy_and_medium_days_have_their_own(self):
        found = groups(entries_of(PROGRAMS["gzclp"]))
        squats = [entries[0].rule for entries in found if entries[0].exercise_id == "barbell-back-squat"]
        assert [rule.stages[0].reps for rule in squats if isinstance(rule, Stages)] == [3, 10]

    def test_entries_that_ask_for_different_weights_have_their_own(self):
        lift = PROGRAMS["linear-five-by-five"].lifts[0]
        monday, friday = (
            Entry(day, 0, lift.exercise_id, lift.rule, Target(5, 5, kg)) for day, kg in [(1, 60), (5, 50)]
        )
        assert len(groups([monday, friday])) == 2

    def test_the_waves_of_a_day_are_one(self):
        found = groups(entries_of(PROGRAMS["five-three-one"]))
        waves = [entries for entries in found if isinstance(entries[0].rule, Wave)]
        assert [len(entries) for entries in waves] == [3, 3, 3, 3]
        rule = share([entry.rule for entry in waves[0]])
        loading = of(rule)
        state = begin(rule, waves[0][0].target, loading)
        assert [shown(target) for target in current_targets(rule, state, loading)] == [
            "1×5 0",
            "1×5 0",
            "1×5+ 0",
        ]
