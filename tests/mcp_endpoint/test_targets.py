"""What tools say of plans whose targets follow what was lifted. What they return is as without rules."""

import pytest
from django.db import OperationalError

from tests.conftest import a_set, a_workout, statements
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.test_plan_progression import BENCH, SQUAT, Coach, rule
from tests.training.test_plans import an_exercise
from training.models import Exercise
from training.models.progression_step import StepQuerySet


@pytest.fixture
def coach(api):
    return Coach(api)


@pytest.fixture
def bench(coach):
    """A bench press on Mondays, 3 × 8 with 60 kg, that gets 2.5 kg a session."""
    coach.plan(monday=[an_exercise()]).rules(rule())
    return coach


def plan_id(coach):
    return coach.path.rpartition("/")[2]


@pytest.fixture
def read(tools):
    """The notices of get_training_plan."""
    return lambda coach: tools.notices("get_training_plan", plan_id=plan_id(coach))


@pytest.fixture
def log(tools):
    """Logs a workout of a plan; returns what is said of its targets."""

    def call(coach, *sets, day=0, exercise_id=BENCH):
        notices = tools.notices("log_workout", **a_workout(*sets, exercise_id=exercise_id, **coach.on(day)))
        return [one for one in notices if one.startswith(("Next time", "Moved"))]

    return call


def eights(weight_kg, *reps):
    return [a_set(weight_kg, count) for count in reps or (8, 8, 8)]


ON_MONDAY = "Barbell Bench Press on Monday 3 × 8 at {}: +2.5 kg a session{}."


def test_a_plan_says_its_rules_and_their_last_steps(read, bench):
    assert read(bench) == [ON_MONDAY.format("60 kg", "")]
    bench.lift("60: 8, 8, 8")
    assert read(bench) == [ON_MONDAY.format("62.5 kg", "; up from 60: 3 × 8 done on 23 Nov")]
    bench.lift("62.5: 8, 8, 6", day=7)
    assert read(bench) == [ON_MONDAY.format("62.5 kg", "; held: 8, 8, 6 of 8")]


def test_the_active_plan_says_its_rules_too(tools, bench):
    bench.api.post(f"{bench.path}/activate", {})
    assert tools.notices("get_training_plan", plan_id="active") == [ON_MONDAY.format("60 kg", "")]


def test_a_wave_says_what_each_of_its_entries_asks(read, coach):
    coach.plan(monday=[an_exercise(), an_exercise()])
    weeks = [[{"sets": 1, "reps": 5, "percent": 75}], [{"sets": 1, "reps": 5, "percent": 85, "open": True}]]
    wave = {"kind": "wave", "training_max_kg": 100}
    coach.rules(*(rule(1, index, **wave, weeks=of_entry) for index, of_entry in enumerate(weeks)))
    assert read(coach) == [
        "Barbell Bench Press on Monday 1 × 5 at 75 kg, 1 × 5+ at 85 kg: 5 of 100 kg, +2.5 kg a cycle."
    ]


def test_weights_are_in_the_account_s_unit(read, log, bench, account):
    account.units = "lb"
    account.save()
    bench.rules(rule(increment_kg=2.26796185))
    bench.lift("61.23: 8, 8, 8")
    assert "3 × 8 at 140 lb: +5 lb a session; " in read(bench)[0]
    (said,) = log(bench, *eights(63.5), day=7)
    assert said.endswith("3 × 8 at 145 lb: +5 lb a session; up from 140: 3 × 8 done on 30 Nov.")


def test_a_deload_week_says_so_with_its_targets(read, coach, time_machine):
    coach.plan(monday=[an_exercise(), an_exercise(SQUAT, weight_kg=100)])
    coach.rules(rule(), deload_every=4, deload_percent=85)
    assert "deload" not in str(read(coach))
    time_machine.move_to("2026-12-09T12:00:00Z")
    assert read(coach) == [
        "This is a deload week, with 85 % of each weight.",
        "Barbell Bench Press 3 × 8 at 50 kg.",
        "Barbell Back Squat 3 × 8 at 85 kg.",
    ]
    time_machine.move_to("2026-12-16T12:00:00Z")
    assert "deload" not in str(read(coach))


def test_a_workout_says_what_is_asked_next_time(log, bench):
    moved = ON_MONDAY.format("62.5 kg", "; up from 60: 3 × 8 done on 23 Nov")
    assert log(bench, *eights(60)) == [f"Next time: {moved}"]
    assert log(bench, *eights(62.5, 8, 8, 6), day=1) == []


def test_a_workout_of_an_earlier_day_says_that_it_moved_nothing(log, bench):
    bench.lift("60: 8, 8, 8", day=7)
    assert log(bench, *eights(70), day=1) == [
        "Moved no target of Barbell Bench Press: a later session is stored."
    ]
    assert bench.targets() == ["3×8 62.5"]


def test_an_older_workout_that_is_changed_or_deleted_says_that_it_moved_nothing(account, log, bench):
    tools = ToolClient(account.issue_key("corrector", "read_write", "never", may_correct=True)[0])
    bench.lift("60: 8, 8, 8", day=1)
    bench.lift("62.5: 8, 8, 8", day=7)
    newest, older = (one["id"] for one in bench.api.get("/workouts").json()["workouts"])
    again = {"workout_id": older, **a_workout(*eights(60, 8, 8, 6), **bench.on(1))}
    nothing = ["Moved no target of Barbell Bench Press: a later session is stored."]
    assert tools.notices("update_workout", **again) == nothing
    deleted = ["No target of Barbell Bench Press has moved: a later workout with it is stored."]
    assert tools.notices("delete_workout", workout_id=older) == deleted
    assert bench.targets() == ["3×8 65"]
    again = {"workout_id": newest, **a_workout(*eights(62.5, 8, 8, 6), **bench.on(7))}
    assert tools.notices("update_workout", **again) == []
    assert bench.targets() == ["3×8 62.5"]
    assert tools.notices("delete_workout", workout_id=newest) == []


def test_a_workout_of_no_plan_or_of_one_without_rules_says_nothing(tools, log, bench, coach):
    assert "Next time" not in str(tools.notices("log_workout", **a_workout(*eights(60))))
    coach.plan(monday=[an_exercise()])
    assert log(coach, *eights(60)) == []


def test_of_many_targets_twenty_are_said(tools, coach):
    others = Exercise.objects.filter(equipment="Barbell").exclude(pk=BENCH)
    ids = [BENCH, *others.values_list("pk", flat=True)[:22]]
    coach.plan(monday=[an_exercise(pk) for pk in ids])
    coach.rules(*(rule(1, position, pk) for position, pk in enumerate(ids)))
    exercises = [{"exercise_id": pk, "sets": eights(60)} for pk in ids]
    notices = tools.notices("log_workout", **a_workout(exercises=exercises, **coach.on(0)))
    assert len([one for one in notices if "up from 60" in one]) == 20
    assert "There are 3 more of these." in notices


def test_the_results_are_those_of_rest(tools, bench):
    bench.lift("60: 8, 8, 8")
    assert tools.get("get_training_plan", plan_id=plan_id(bench)) == bench.stored
    assert tools.get("list_training_plans") == bench.api.get("/plans").json()
    logged = tools.get("log_workout", **a_workout(*eights(62.5), **bench.on(1)))
    assert bench.api.get(f"/workouts/{logged['id']}").json() == logged


def test_all_rules_take_one_statement_more(tools, coach):
    coach.plan(monday=[an_exercise(), an_exercise(SQUAT)])
    tools.get("get_training_plan", plan_id=plan_id(coach))

    def count():
        with statements() as run:
            tools.get("get_training_plan", plan_id=plan_id(coach))
        return len(run)

    without = count()
    coach.rules(rule(), rule(1, 1, SQUAT))
    assert count() == without
    coach.lift("60: 8, 8, 8")
    coach.lift("60: 8, 8, 8", exercise_id=SQUAT, day=1)
    assert count() == without + 1


def test_next_time_takes_two_statements_beyond_those_of_rest(tools, bench):
    bench.lift("60: 8, 8, 8")
    with statements() as by_rest:
        bench.lift("62.5: 8, 8, 8", day=1)
    with statements() as by_tool:
        tools.get("log_workout", **a_workout(*eights(65), **bench.on(2)))
    assert len(by_tool) == len(by_rest) + 3 + 2  # same start, equal ones and bests, plan and steps


def test_a_fault_behind_a_stored_workout_is_no_error(log, bench, account, monkeypatch):
    def fail(*args):
        raise OperationalError("gone")

    monkeypatch.setattr(StepQuerySet, "of_workouts", fail)
    assert log(bench, *eights(60)) == []
    assert account.workouts.count() == 1


def test_a_stranger_reads_no_rules(stranger_tools, bench):
    assert stranger_tools.get("list_training_plans")["plans"] == []
    stranger_tools.refused("get_training_plan", {"plan_id": plan_id(bench)})
