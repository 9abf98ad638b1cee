"""The one line of each tool, word for word: the figures by which a mistake is noticed."""

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout
from tests.mcp_endpoint.test_tools import BENCH, DAY, NOON, READ_TOOLS, a_plan

NOW = "2026-11-20T23:45:00Z"
ROW = "bent-over-barbell-row"
TOTALS = {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74}


@pytest.fixture(autouse=True)
def one_evening(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def say(tools):
    """Calls a tool; returns the first text of its result."""

    def call(name, /, **arguments):
        result = tools.call(name, arguments)
        assert result["isError"] is False, result
        return result["content"][0]["text"]

    return call


def push(*sets, started_at="2026-11-20T23:30:00Z", **fields):
    """A workout of two exercises."""
    workout = a_workout(
        a_set(60, 8, type="warmup"), *sets, started_at=started_at, **{"title": "Push"} | fields
    )
    workout["exercises"].append({"exercise_id": ROW, "sets": [a_set(70, 10), a_set(70, 9), a_set(70, 8)]})
    return workout


# --- Writing ------------------------------------------------------------------------------------


def test_a_workout_says_what_was_saved(say):
    assert say("log_workout", **push(a_set(100, 5), a_set(97.5, 5))) == (
        "Saved: Push, 20 Nov, 23:30 UTC: 2 exercises, 6 sets, 2,877.5 kg."
    )
    assert say("log_workout", **a_workout()) == (
        "Saved: Untitled workout, 2 Mar, 17:30 UTC: 0 exercises, 0 sets, 0 kg."
    )


def test_a_moment_is_in_the_zone_of_the_person_and_has_the_year_where_it_is_another(say, account):
    account.time_zone = "Pacific/Auckland"
    account.save()
    assert say("log_weight", weight_kg=82.4) == "Saved: 82.4 kg, 21 Nov, 12:45 where you are."
    assert say("log_weight", weight_kg=82, logged_at="2025-03-02T17:30:00Z") == (
        "Saved: 82.0 kg, 3 Mar 2025, 06:30 where you are."
    )
    assert say("get_body_metrics", of="weight") == "2 weight logs, 3 Mar 2025 to 21 Nov."


def test_a_log_of_the_body_says_its_figures(say):
    assert say("log_weight", weight_kg=81.25, body_fat_percent=18.5, logged_at=NOON) == (
        "Saved: 81.25 kg, 18.5 % body fat, 2 Mar, 12:00 UTC."
    )
    assert say("log_measurements", waist_cm=86, neck_cm=39, logged_at=NOON) == (
        "Saved: waist 86 cm, neck 39 cm, 2 Mar, 12:00 UTC."
    )


def test_plans_and_routines_say_how_much_is_in_them(say):
    lifts = [
        {"exercise_id": exercise_id, "sets": 3, "reps": 8, "weight_kg": 70} for exercise_id in (BENCH, ROW)
    ]
    routine = 'Saved: Routine "Upper": 2 exercises, 6 sets.'
    assert say("create_routine", name="Upper", exercises=lifts) == routine
    plan = 'Training plan "Week", {}: 1 training day a week, 1 exercise.'
    assert say("create_training_plan", **a_plan()) == f"Saved: {plan.format('not active')}"
    assert say("create_training_plan", **a_plan(active=True)) == f"Saved: {plan.format('active')}"
    assert say("get_training_plan", plan_id="active") == plan.format("active")


def test_days_and_ticks_say_what_was_saved(say, account):
    assert say("log_nutrition", day=DAY, **TOTALS) == (
        "Saved: 2,450 kcal, 172 g protein, 260.5 g carbs, 74 g fat on 2 Mar."
    )
    supplement_id = str(account.supplements.create(name="Creatine", time="08:00").pk)
    assert say("log_supplement_taken", supplement_id=supplement_id) == (
        "Saved: tick of 20 Nov, taken 20 Nov, 23:45 UTC."
    )


@pytest.mark.parametrize(
    ("goal", "aims"),
    [
        ({"target_weight_kg": 76, "deadline": "2027-03-01"}, "76.0 kg, no body fat target, by 1 Mar 2027"),
        (
            {"target_body_fat_percent": 14, "start_weight_kg": 80},
            "no target weight, 14 % body fat, no deadline; it starts from 80.0 kg",
        ),
        ({}, "no target weight, no body fat target, no deadline"),
    ],
)
def test_a_goal_says_what_is_set_and_what_is_not(say, goal, aims):
    assert say("set_goal", **goal) == f"Saved: goal {aims}."
    assert say("get_current_goal") == f"Goal {aims}."


# --- Reading ------------------------------------------------------------------------------------

READ = {
    "get_profile": "Lifter: 180 cm, born 1 May 1990, male, goal cut.",
    "list_workouts": "2 workouts, 17 Nov to 20 Nov.",
    "get_workout": "Push, 20 Nov, 23:30 UTC: 2 exercises, 5 sets, 2,390 kg.",
    "get_exercise_history": "Barbell Bench Press: 2 sessions, 17 Nov to 20 Nov; best set 100 kg × 5.",
    "list_routines": "1 routine.",
    "list_training_plans": "2 plans.",
    "get_training_plan": 'Training plan "Week", active: 1 training day a week, 1 exercise.',
    "get_body_metrics": "2 weight logs and 1 tape measurement, 2 Mar to 20 Nov.",
    "get_nutrition": "2 days, 1 Mar to 2 Mar.",
    "get_training_stats": "22 Aug to 20 Nov: 2 sessions, 4,755 kg in 10 completed sets; streak 1 day.",
    "get_personal_records": "2 records, 17 Nov to 20 Nov.",
    "list_supplements": "2 supplements.",
    "get_current_goal": "Goal 76.0 kg, no body fat target, by 1 Mar 2027; it starts from 82.4 kg.",
}


@pytest.fixture
def filled(tools, account):
    """An account with a few instances of each kind. Returns the arguments of the tools that need some."""
    profile = {"height_cm": 180, "birth_date": "1990-05-01", "gender": "male", "goal": "cut"}
    type(account).objects.filter(pk=account.pk).update(**profile)
    zinc = account.supplements.create(name="Zinc", time="22:00")
    creatine = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    for supplement, days in ((zinc, (13, 14, 16, 21)), (creatine, (16, 20))):
        for day in days:
            tick = {"supplement_id": str(supplement.pk), "day": f"2026-11-{day}"}
            tools.get("log_supplement_taken", **tick)
    lift = {"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 70}
    tools.get("log_workout", **push(a_set(95, 5), started_at="2026-11-17T18:00:00Z"))
    workout = tools.get("log_workout", **push(a_set(100, 5)))
    tools.get("create_routine", name="Upper", exercises=[lift])
    tools.get("create_training_plan", **a_plan(name="Old", active=True))
    tools.get("create_training_plan", **a_plan(active=True))
    tools.get("log_weight", weight_kg=81, logged_at=NOON)
    tools.get("log_weight", weight_kg=82.4)
    tools.get("log_measurements", waist_cm=84.5, logged_at=NOON)
    tools.get("log_nutrition", day=DAY, **TOTALS)
    tools.get("log_nutrition", day="2026-03-01", calories=2000, protein_g=150, carbs_g=240, fat_g=60)
    tools.get("set_goal", target_weight_kg=76, deadline="2027-03-01")
    return {
        "get_workout": {"workout_id": workout["id"]},
        "get_training_plan": {"plan_id": "active"},
        "get_exercise_history": {"exercise_id": BENCH},
    }


@pytest.mark.parametrize("name", READ)
def test_a_read_tool_says_what_was_found(say, filled, name):
    assert say(name, **filled.get(name, {})) == READ[name]


def test_every_read_tool_is_in_the_table():
    assert READ.keys() | {"search_exercises"} == READ_TOOLS.keys()


def test_a_history_without_a_completed_set_has_no_best_one(say):
    say("log_workout", **a_workout(a_set(completed=False)))
    assert say("get_exercise_history", exercise_id=BENCH) == "Barbell Bench Press: 1 session, 2 Mar."


@pytest.mark.parametrize("name", READ_TOOLS)
def test_an_empty_result_has_a_line(stranger_tools, name):
    if name in ("get_workout", "get_training_plan", "get_current_goal", "search_exercises"):
        return
    arguments = {"exercise_id": BENCH} if name == "get_exercise_history" else {}
    result = stranger_tools.call(name, arguments)
    jsonschema.validate(result["structuredContent"], TOOLS[name].definition["outputSchema"])
    text = result["content"][0]["text"]
    expected = {
        "get_profile": "Stranger: goal maintain.",
        "get_training_stats": "22 Aug to 20 Nov: 0 sessions, 0 kg in 0 completed sets; streak 0 days.",
    }
    assert text == expected[name] if name in expected else "0 " in text
