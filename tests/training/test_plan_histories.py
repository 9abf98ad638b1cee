"""Stored steps are those of the pure fold, whatever happens to workouts; and three methods over REST."""

import datetime
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fitness.api import rate_limits
from tests.conftest import a_set, a_workout, client_of
from tests.factories import AccountFactory
from tests.training.test_plan_progression import BENCH, Coach, rule
from tests.training.test_plans import an_exercise
from training.progression import Session, State, Target, begin, fold, loading_of, rule_from_json

HISTORIES = int(os.environ.get("HISTORIES", "15"))  # 500 is the full proof
MONDAY = datetime.datetime(2026, 11, 23, 17, 30, tzinfo=datetime.UTC)
RULES = [
    {"kind": "linear", "increment_kg": 2.5, "misses": 2, "deload_percent": 90},
    {"kind": "double", "increment_kg": 2.5, "reps_from": 8, "reps_to": 10, "misses": 2, "deload_percent": 90},
    {"kind": "effort", "increment_kg": 2.5, "rpe_up": 8, "rpe_down": 9.5},
    {
        "kind": "stages",
        "increment_kg": 2.5,
        "stages": [{"sets": 3, "reps": 8}, {"sets": 4, "reps": 6}],
        "reset_percent": 85,
    },
    {
        "kind": "wave",
        "increment_kg": 2.5,
        "training_max_kg": 80,
        "weeks": [
            {"sets": 3, "reps": 5, "percent": 80, "open": False},
            {"sets": 1, "reps": 3, "percent": 90, "open": True},
        ],
    },
]

a_lift = st.builds(
    a_set,
    st.sampled_from([50, 57.5, 60, 62.5, 65, 72.5]),
    st.integers(0, 11),
    rpe=st.sampled_from([None, 7, 9, 10]),
    completed=st.sampled_from([True, True, True, False]),
    type=st.sampled_from(["working", "working", "warmup"]),
)
sets = st.lists(a_lift, min_size=1, max_size=5)
days = st.integers(0, 60)
events = st.lists(
    st.one_of(
        st.tuples(st.just("log"), st.just(0), days, sets),
        st.tuples(st.just("edit"), st.integers(0, 20), days, sets),
        st.tuples(st.just("delete"), st.integers(0, 20), st.just(0), st.just([])),
    ),
    min_size=1,
    max_size=14,
)


@pytest.fixture
def no_limit(monkeypatch):
    monkeypatch.setattr(rate_limits, "LIMITS", dict.fromkeys(rate_limits.LIMITS, "100000/m"))


@pytest.mark.django_db
@settings(max_examples=HISTORIES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=st.sampled_from(RULES), history=events)
def test_stored_steps_are_those_of_the_fold(no_limit, fields, history):
    api = client_of(AccountFactory())
    coach = Coach(api).plan(monday=[an_exercise()])
    coach.rules(rule(**{"increment_kg": None, **fields}))
    logged = {}  # id -> (start, sets)
    for what, number, day, lifts in history:
        at = MONDAY + datetime.timedelta(days=day)
        body = a_workout(
            *lifts, started_at=at.isoformat().replace("+00:00", "Z"), plan_id=coach.path.rpartition("/")[2]
        )
        if what == "log":
            logged[coach.log(body)["id"]] = (at, lifts)
        elif logged:
            pk = sorted(logged)[number % len(logged)]
            if what == "edit":
                assert api.put(f"/workouts/{pk}", body).status_code == 200
                logged[pk] = (at, lifts)
            else:
                assert api.delete(f"/workouts/{pk}").status_code == 204
                del logged[pk]
    made = folded(fields, logged)
    stored = [(step["workout_id"], step["kind"], step["after"]) for step in reversed(coach.steps)]
    assert sorted(stored, key=str) == sorted(
        ((step.workout_id, step.kind, shown(step.after)) for step in made), key=str
    )
    state = made[-1].after if made else begin(*of(fields))
    entry = next(one for day in coach.stored["days"] for one in day["exercises"])
    target = state.target
    assert (entry["sets"], entry["reps"], entry["weight_kg"]) == (target.sets, target.reps, target.weight_kg)


def of(fields):
    made = rule_from_json(fields)
    return made, Target(3, 8, 60), loading_of("Barbell", "kg", made.increment_kg)


def folded(fields, logged):
    made, target, loading = of(fields)
    sessions = [Session(pk, at, lifts) for pk, (at, lifts) in logged.items()]
    return fold(made, begin(made, target, loading), sessions, loading)


def shown(state: State):
    target = state.target
    return {
        "sets": target.sets,
        "reps": target.reps,
        "weight_kg": target.weight_kg,
        "open": target.open,
        "training_max_kg": state.training_max_kg or None,
    }


# --- The tables of tests/training/progression/test_courses.py, one session a week ----------------------


def ten_weeks(coach, weeks, exercise_id=BENCH):
    for number, (expected, lifted) in enumerate(weeks):
        assert coach.targets(exercise_id) == expected, f"week {number + 1}"
        if ":" in lifted:
            coach.lift(lifted, day=number * 7, exercise_id=exercise_id)
        else:
            pairs = (one.split("×") for one in lifted.split(", "))
            lifts = [a_set(float(weight), int(reps)) for weight, reps in pairs]
            coach.log(a_workout(*lifts, exercise_id=exercise_id, **coach.on(number * 7)))
    return coach.targets(exercise_id)


@pytest.fixture
def coach(api):
    return Coach(api)


def test_gzclp(coach):
    stages = [{"sets": 5, "reps": 3}, {"sets": 6, "reps": 2}, {"sets": 10, "reps": 1}]
    coach.plan(monday=[an_exercise(sets=5, reps=3, weight_kg=100)])
    coach.rules(rule(kind="stages", increment_kg=5, stages=stages))
    weeks = [
        (["5×3 100"], "100: 3, 3, 3, 3, 5"),
        (["5×3 105"], "105: 3, 3, 3, 3, 4"),
        (["5×3 110"], "110: 3, 3, 3, 3, 3"),
        (["5×3 115"], "115: 3, 3, 3, 3, 2"),
        (["6×2 115"], "115: 2, 2, 2, 2, 2, 3"),
        (["6×2 120"], "120: 2, 2, 2, 2, 2, 2"),
        (["6×2 125"], "125: 2, 2, 2, 2, 1, 1"),
        (["10×1 125"], "125: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1"),
        (["10×1 130"], "130: 1, 1, 1, 1, 1, 1, 1, 1, 1, 0"),
        (["5×3 110"], "110: 3, 3, 3, 3, 6"),
    ]
    assert ten_weeks(coach, weeks) == ["5×3 115"]


def test_five_three_one_with_each_fourth_week_a_deload(coach, time_machine):
    time_machine.move_to("2026-11-23T08:00:00Z")  # the Monday from which weeks are counted
    lines = [((5, 65), (3, 70), (5, 75)), ((5, 75), (3, 80), (3, 85)), ((5, 85), (3, 90), (1, 95))]
    waves = [
        [{"sets": 1, "reps": reps, "percent": percent, "open": line is lines[-1]} for reps, percent in line]
        for line in lines
    ]
    coach.plan(monday=[an_exercise(sets=1, reps=5)] * 3)
    rules = [rule(position=n, kind="wave", training_max_kg=100, weeks=wave) for n, wave in enumerate(waves)]
    coach.rules(*rules, deload_every=4)
    weeks = [
        (["1×5 65", "1×5 75", "1×5 85"], "65×5, 75×5, 85×8"),
        (["1×3 70", "1×3 80", "1×3 90"], "70×3, 80×3, 90×6"),
        (["1×5 75", "1×3 85", "1×1 95"], "75×5, 85×3, 95×3"),
        (["1×5 65", "1×5 75", "1×5 85"], "42.5×5, 47.5×5, 55×5"),
        (["1×5 65", "1×5 75", "1×5 85"], "65×5, 75×5, 85×6"),
        (["1×3 70", "1×3 80", "1×3 90"], "70×3, 80×3, 90×3"),
        (["1×5 75", "1×3 85", "1×1 95"], "75×5, 85×3, 95×0"),
        (["1×5 57.5", "1×5 67.5", "1×5 75"], "42.5×5, 47.5×5, 55×5"),
        (["1×5 57.5", "1×5 67.5", "1×5 75"], "57.5×5, 67.5×5, 75×9"),
        (["1×3 62.5", "1×3 70", "1×3 80"], "62.5×3, 70×3, 80×7"),
    ]
    assert ten_weeks(coach, weeks) == ["1×5 67.5", "1×3 75", "1×1 85"]
    assert len(coach.steps) == 8


def test_double_progression(coach):
    dumbbells = "dumbbell-bench-press"
    coach.plan(monday=[an_exercise(dumbbells, weight_kg=20)])
    coach.rules(rule(exercise_id=dumbbells, kind="double", increment_kg=2, reps_from=8, reps_to=10))
    weeks = [
        (["3×8 20"], "20: 8, 8, 8"),
        (["3×9 20"], "20: 9, 9, 9"),
        (["3×10 20"], "20: 10, 10, 10"),
        (["3×8 22"], "22: 8, 7, 6"),
        (["3×8 22"], "22: 8, 8, 8"),
        (["3×9 22"], "22: 9, 9, 8"),
        (["3×9 22"], "22: 9, 9, 9"),
        (["3×10 22"], "22: 10, 10, 10"),
        (["3×8 24"], "24: 8, 8, 7"),
        (["3×8 24"], "24: 8, 8, 8"),
    ]
    assert ten_weeks(coach, weeks, dumbbells) == ["3×9 24"]
