"""Stored steps are those of the pure fold, whatever happens to workouts."""

import datetime
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fitness.api import rate_limits
from tests.conftest import a_set, a_workout, client_of
from tests.factories import AccountFactory
from tests.training.test_plan_progression import Coach, rule
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
