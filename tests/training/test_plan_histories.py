"""Random histories: of each rule the newest session moves the target once, and any other nothing."""

import datetime
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import a_set, a_workout
from tests.factories import AccountFactory
from tests.training.test_plan_progression import BENCH
from tests.training.test_plans import an_exercise
from tests.training.test_routine_progression import TRAINERS
from training.plans import Session, State, Target, begin, loading_of, rule_from_json, step

HISTORIES = int(os.environ.get("HISTORIES", "12"))  # of plans and of routines; 500 is the full proof
MONDAY = datetime.datetime(2020, 11, 23, 17, 30, tzinfo=datetime.UTC)
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
        st.tuples(st.just("train"), st.integers(0, 3), days, sets),  # 0: what it changes is held
        st.tuples(st.just("edit"), st.integers(0, 20), days, sets),
        st.tuples(st.just("delete"), st.integers(0, 20), st.just(0), st.just([])),
    ),
    min_size=1,
    max_size=14,
)


@pytest.mark.django_db
@pytest.mark.parametrize("noun", TRAINERS)
@settings(max_examples=HISTORIES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=st.sampled_from(RULES), history=events)
def test_the_newest_session_moves_the_target_once(unlimited, noun, fields, history):
    trainer = TRAINERS[noun](AccountFactory()).of(an_exercise())
    trainer.rules(trainer.rule(**{"increment_kg": None, **fields}))
    happened = History(trainer, fields)
    for what, number, day, lifts in history:
        happened.take(what, number, MONDAY + datetime.timedelta(days=day), lifts)
    stored = [(one["workout_id"], one["kind"], one["after"]) for one in reversed(trainer.steps)]
    assert stored == [(made.workout_id, made.kind, shown(made.after)) for made in happened.steps]
    (entry,) = trainer.entries
    target = happened.state.target
    assert (entry["sets"], entry["reps"], entry["weight_kg"]) == (target.sets, target.reps, target.weight_kg)


class History:
    """What happens to the workouts of a plan or routine, and the steps that are left in the end."""

    def __init__(self, trainer, fields):
        self.trainer, self.api = trainer, trainer.api
        self.rule, target, self.loading = of(fields)
        self.state = begin(self.rule, target, self.loading)
        self.logged = []  # ids
        self.steps = []
        self.held = set()  # ids of workouts whose changes were switched off

    def take(self, what, number, at, lifts):
        if what in ("log", "train"):
            # Train keeps no workout of which nothing is done, and over the API none is begun from a routine.
            trains = any(one["completed"] for one in lifts) and what == "train"
            if trains or self.trainer.noun == "plan":
                self.log(at, lifts, is_held=trains and number == 0, trains=trains)
        elif self.logged:
            pk = sorted(self.logged)[number % len(self.logged)]
            self.edit(pk, at, lifts) if what == "edit" else self.delete(pk)

    def log(self, at, lifts, *, is_held, trains):
        if trains:
            held = self.trainer.rule_ids if is_held else ()
            day = (at - MONDAY).days
            pk = self.trainer.train({BENCH: lifts}, day, held)["id"]
        else:
            pk = self.trainer.log(self.body(at, lifts))["id"]
        self.logged.append(pk)
        self.move(Session(pk, at, lifts, is_held=is_held))

    def edit(self, pk, at, lifts):
        assert self.api.put(f"/workouts/{pk}", self.body(at, lifts)).status_code == 200
        known = [one.workout_id for one in self.steps]
        if pk not in known:  # without a step a workout is of the plan that it names, and of no routine
            if self.trainer.noun == "plan":
                self.move(Session(pk, at, lifts))
        elif known[-1] == pk:
            self.state = self.steps.pop().before
            self.move(Session(pk, at, lifts, is_held=pk in self.held))

    def delete(self, pk):
        assert self.api.delete(f"/workouts/{pk}").status_code == 204
        self.logged.remove(pk)
        if self.steps and self.steps[-1].workout_id == pk:
            self.state = self.steps[-1].before
        self.steps = [one for one in self.steps if one.workout_id != pk]

    def move(self, session):
        newest = self.steps[-1] if self.steps else None
        if newest and (session.at, session.workout_id) < (newest.at, newest.workout_id):
            return
        if made := step(self.rule, self.state, session, self.loading):
            self.steps.append(made)
            self.state = made.after
            if session.is_held:
                self.held.add(session.workout_id)

    def body(self, at, lifts):
        plan = {"plan_id": self.trainer.pk} if self.trainer.noun == "plan" else {}
        return a_workout(*lifts, started_at=at.isoformat().replace("+00:00", "Z"), **plan)


def of(fields):
    made = rule_from_json(fields)
    return made, Target(3, 8, 60), loading_of("Barbell", "kg", made.increment_kg)


def shown(state: State):
    target = state.target
    return {
        "sets": target.sets,
        "reps": target.reps,
        "weight_kg": target.weight_kg,
        "open": target.open,
        "training_max_kg": state.training_max_kg or None,
    }
