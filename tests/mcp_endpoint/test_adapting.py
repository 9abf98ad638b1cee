"""What tools say of plans whose targets follow what was lifted. What they return is as without rules."""

import pytest
from django.db import OperationalError

from tests.conftest import a_set, a_workout, statements
from tests.mcp_endpoint.test_tools import a_plan
from tests.training.test_plan_progression import BENCH, SQUAT, Coach, rule
from tests.training.test_plans import an_exercise
from training.models import Exercise
from training.models.progression import StepQuerySet


@pytest.fixture
def coach(api):
    return Coach(api)


@pytest.fixture
def bench(coach):
    """A bench press on Mondays, 3 × 8 with 60 kg, that gets 2.5 kg a session."""
    coach.plan(monday=[an_exercise()]).rules(rule())
    return coach


@pytest.fixture
def say(tools):
    """Calls a tool; returns its text."""
    return lambda tool, /, **arguments: tools.call(tool, arguments)["content"][0]["text"]


def plan_id(coach):
    return coach.path.rpartition("/")[2]


def read(say, coach):
    """What get_training_plan says after the plan's figures."""
    return say("get_training_plan", plan_id=plan_id(coach)).partition(". ")[2]


def log(say, coach, *sets, day=0, exercise_id=BENCH):
    """What log_workout says after the workout's figures."""
    text = say("log_workout", **a_workout(*sets, exercise_id=exercise_id, **coach.on(day)))
    return text.partition(" saved.")[2].strip()


def eights(weight_kg, *reps):
    return [a_set(weight_kg, count) for count in reps or (8, 8, 8)]


def test_a_plan_says_its_rules_and_their_last_steps(say, bench):
    follow = "Targets follow what was lifted: Barbell Bench Press 3 × 8 at {} kg (+2.5 kg a session{})."
    assert read(say, bench) == follow.format(60, "")
    bench.lift("60: 8, 8, 8")
    assert read(say, bench) == follow.format(62.5, "; up from 60: 3 × 8 done on 23 Nov")
    bench.lift("62.5: 8, 8, 6", day=7)
    assert read(say, bench) == follow.format(62.5, "; held: 8, 8, 6 of 8")


def test_the_active_plan_says_its_rules_too(say, bench):
    bench.api.post(f"{bench.path}/activate", {})
    assert "(+2.5 kg a session)" in say("get_training_plan", plan_id="active")


def test_a_lift_with_several_targets_names_its_days(say, coach):
    coach.plan(monday=[an_exercise()], friday=[an_exercise(weight_kg=50)]).rules(rule(), rule(5))
    text = read(say, coach)
    assert "Barbell Bench Press on Monday 3 × 8 at 60 kg (" in text
    assert "; Barbell Bench Press on Friday 3 × 8 at 50 kg (" in text


def test_a_wave_says_what_each_of_its_entries_asks(say, coach):
    coach.plan(monday=[an_exercise(), an_exercise()])
    weeks = [[{"sets": 1, "reps": 5, "percent": 75}], [{"sets": 1, "reps": 5, "percent": 85, "open": True}]]
    wave = {"kind": "wave", "training_max_kg": 100}
    coach.rules(*(rule(1, index, **wave, weeks=of_entry) for index, of_entry in enumerate(weeks)))
    text = read(say, coach)
    assert "Barbell Bench Press 1 × 5 at 75 kg, 1 × 5+ at 85 kg (5 of 100 kg, +2.5 kg a cycle)" in text


def test_weights_are_in_the_account_s_unit(say, bench, account):
    account.units = "lb"
    account.save()
    bench.rules(rule(increment_kg=2.26796185))
    bench.lift("61.23: 8, 8, 8")
    text = read(say, bench)
    assert "Barbell Bench Press 3 × 8 at 140 lb (+5 lb a session; " in text
    log_text = log(say, bench, *eights(63.5), day=7)
    assert "Next time: Barbell Bench Press 145 lb (3 × 8), up from 140: 3 × 8 done on 30 Nov." in log_text


def test_a_deload_week_says_so_with_its_targets(say, coach, time_machine):
    coach.plan(monday=[an_exercise(), an_exercise(SQUAT, weight_kg=100)])
    coach.rules(rule(), deload_every=4, deload_percent=85)
    assert "deload" not in read(say, coach)
    time_machine.move_to("2026-12-09T12:00:00Z")
    deload = (
        "This is a deload week, with 85 % of each weight: Barbell Bench Press 3 × 8 at 50 kg; "
        "Barbell Back Squat 3 × 8 at 85 kg."
    )
    assert read(say, coach).endswith(deload)
    assert f'1 plan shown: "Three days". "Three days": {read(say, coach)} That' in say("list_training_plans")
    say("create_training_plan", **a_plan())
    assert '"Three days" (1 rule; this is a deload week)' in say("list_training_plans")
    time_machine.move_to("2026-12-16T12:00:00Z")
    assert "deload" not in read(say, coach)


def test_the_list_says_how_many_rules_and_the_last_step(say, coach):
    coach.plan(monday=[an_exercise(), an_exercise(SQUAT)]).rules(rule(), rule(1, 1, SQUAT))
    coach.lift("60: 8, 8, 8", exercise_id=SQUAT)
    coach.lift("60: 8, 8, 8", day=7)
    say("create_training_plan", **a_plan())
    said = "(2 rules; Barbell Bench Press 3 × 8 at 62.5 kg, up from 60: 3 × 8 done on 30 Nov)"
    for detail in ("brief", "full"):
        assert said in say("list_training_plans", detail=detail)


def test_the_list_says_each_rule_of_the_only_plan_as_reading_it_does(say, coach, tools):
    coach.plan(monday=[an_exercise(), an_exercise(SQUAT)]).rules(rule(), rule(1, 1, SQUAT))
    coach.lift("60: 8, 8, 8", exercise_id=SQUAT)
    each = (
        "Targets follow what was lifted: Barbell Bench Press 3 × 8 at 60 kg (+2.5 kg a session); "
        "Barbell Back Squat 3 × 8 at 62.5 kg (+2.5 kg a session; up from 60: 3 × 8 done on 23 Nov)."
    )
    assert read(say, coach) == each
    for detail in ("brief", "full"):
        assert tools.notices("list_training_plans", detail=detail) == [f'"Three days": {each}']
        assert say("list_training_plans", detail=detail) == (
            f'1 plan shown: "Three days". "Three days": {each} That is all.'
        )


def test_of_several_plans_the_active_one_says_each_rule_wherever_it_is_listed(say, bench, api, tools):
    api.post(f"{bench.path}/activate", {})
    bench.lift("60: 8, 8, 8")
    each = read(say, bench)
    assert "up from 60" in each
    for _ in range(6):
        last = Coach(api).plan(monday=[an_exercise()])
        last.rules(rule())
    last.lift("60: 8, 8, 8", day=1)
    shown, of_active = tools.notices("list_training_plans")
    assert shown.startswith(
        '7 plans shown: "Three days" (1 rule; Barbell Bench Press 3 × 8 at 62.5 kg, up from 60: '
        '3 × 8 done on 24 Nov), "Three days" (1 rule), '
    )
    assert of_active == f'"Three days": {each}'


def test_the_list_of_routines_says_so_too(say, api):
    entry = {"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 60}
    routine = api.post("/routines", {"name": "Push", "exercises": [entry]}).json()
    of_entry = {name: value for name, value in rule().items() if name != "weekday"}
    api.put(f"/routines/{routine['id']}/progression", {"rules": [of_entry]})
    assert say("list_routines") == '1 routine shown: "Push" (1 exercise; 1 rule). That is all.'


def test_a_workout_says_what_is_asked_next_time(say, bench):
    done = "Next time: Barbell Bench Press 62.5 kg (3 × 8), up from 60: 3 × 8 done on 23 Nov."
    assert log(say, bench, *eights(60)).startswith(done)
    assert "Next time" not in log(say, bench, *eights(62.5, 8, 8, 6), day=1)


def test_a_workout_of_an_earlier_day_says_that_it_moved_nothing(say, bench):
    bench.lift("60: 8, 8, 8", day=7)
    assert log(say, bench, *eights(70), day=1).startswith(
        "New record: Barbell Bench Press 70 kg × 8. "
        "Moved no target of Barbell Bench Press: a later session is stored."
    )
    assert bench.targets() == ["3×8 62.5"]


def test_a_workout_of_no_plan_or_of_one_without_rules_says_nothing(say, bench, coach):
    assert "Next time" not in say("log_workout", **a_workout(*eights(60)))
    coach.plan(monday=[an_exercise()])
    assert "Next time" not in log(say, coach, *eights(60))


def test_of_many_targets_ten_are_said(say, coach):
    others = Exercise.objects.filter(equipment="Barbell").exclude(pk=BENCH)
    ids = [BENCH, *others.values_list("pk", flat=True)[:12]]
    coach.plan(monday=[an_exercise(pk) for pk in ids])
    coach.rules(*(rule(1, position, pk) for position, pk in enumerate(ids)))
    exercises = [{"exercise_id": pk, "sets": eights(60)} for pk in ids]
    text = say("log_workout", **a_workout(exercises=exercises, **coach.on(0)))
    assert text.count("up from 60") == 10
    assert "; and 3 more. The year" in text


def test_what_plans_say_and_ask_next_time_is_noted(say, bench, tools):
    workout = a_workout(*eights(60), **bench.on(0))
    (notice,) = [one for one in tools.notices("log_workout", **workout) if one.startswith("Next time")]
    assert notice == "Next time: Barbell Bench Press 62.5 kg (3 × 8), up from 60: 3 × 8 done on 23 Nov."
    assert tools.notices("get_training_plan", plan_id=plan_id(bench)) == [read(say, bench)]


def test_the_results_are_those_of_rest(tools, bench):
    bench.lift("60: 8, 8, 8")
    assert tools.get("get_training_plan", plan_id=plan_id(bench)) == bench.stored
    assert tools.get("list_training_plans") == bench.api.get("/plans").json()
    logged = tools.get("log_workout", **a_workout(*eights(62.5), **bench.on(1)))
    assert bench.api.get(f"/workouts/{logged['id']}").json() == logged


def test_all_rules_take_one_statement_more(tools, coach):
    coach.plan(monday=[an_exercise(), an_exercise(SQUAT)])
    tools.get("list_training_plans")

    def counts():
        for call in (("get_training_plan", {"plan_id": plan_id(coach)}), ("list_training_plans", {})):
            with statements() as run:
                tools.get(call[0], **call[1])
            yield len(run)

    without = list(counts())
    coach.rules(rule(), rule(1, 1, SQUAT))
    assert list(counts()) == without
    coach.lift("60: 8, 8, 8")
    coach.lift("60: 8, 8, 8", exercise_id=SQUAT, day=1)
    assert list(counts()) == [count + 1 for count in without]
    first = coach.path
    coach.api.post(f"{first}/activate", {})
    coach.plan(monday=[an_exercise()]).rules(rule())
    coach.lift("60: 8, 8, 8")
    coach.path = first
    assert list(counts()) == [count + 1 for count in without]


def test_next_time_takes_two_statements_beyond_those_of_rest(tools, bench):
    bench.lift("60: 8, 8, 8")
    with statements() as by_rest:
        bench.lift("62.5: 8, 8, 8", day=1)
    with statements() as by_tool:
        tools.get("log_workout", **a_workout(*eights(65), **bench.on(2)))
    assert len(by_tool) == len(by_rest) + 3 + 2  # same start, equal ones and bests, plan and steps


def test_a_fault_behind_a_stored_workout_is_no_error(say, bench, account, monkeypatch):
    def fail(*args):
        raise OperationalError("gone")

    monkeypatch.setattr(StepQuerySet, "last_of", fail)
    text = say("log_workout", **a_workout(*eights(60), **bench.on(0)))
    assert " saved." in text
    assert "Next time" not in text
    assert account.workouts.count() == 1


def test_a_stranger_reads_no_rules(stranger_tools, bench):
    assert "No plans" in stranger_tools.call("list_training_plans", {})["content"][0]["text"]
    stranger_tools.refused("get_training_plan", {"plan_id": plan_id(bench)})
