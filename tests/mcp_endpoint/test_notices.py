"""What a summary says beyond the data is in `notices` too: several hosts show a model nothing else."""

import json

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout
from tests.mcp_endpoint.test_summaries import NOW, TOTALS
from tests.mcp_endpoint.test_tools import ARGUMENTS, DAY, NEVER, SPECIFIED, a_plan


@pytest.fixture(autouse=True)
def one_evening(time_machine):
    time_machine.move_to(NOW, tick=False)


def test_a_result_without_notices_has_no_such_member(tools):
    assert "notices" not in tools.call("create_training_plan", a_plan())["structuredContent"]
    assert "notices" not in tools.call("list_training_plans")["structuredContent"]


def test_notices_are_at_the_top_and_in_both_texts(tools):
    tools.get("log_workout", **a_workout(a_set(100, 5)))
    result = tools.call("log_workout", a_workout(a_set(101, 5)))
    line, text = (block["text"] for block in result["content"])
    notices = [
        "New record: Barbell Bench Press 101 kg × 5.",
        "There is already a workout at this moment: Untitled workout, 1 set.",
    ]
    assert next(iter(result["structuredContent"].items())) == ("notices", notices)
    assert json.loads(text) == result["structuredContent"]
    assert line.endswith(" ".join(notices))
    jsonschema.validate(result["structuredContent"], TOOLS["log_workout"].definition["outputSchema"])


@pytest.mark.parametrize("name", SPECIFIED)
def test_every_tool_declares_its_notices(name):
    schema = TOOLS[name].definition["outputSchema"]
    assert schema["properties"]["notices"] == {"type": "array", "items": {"type": "string"}}
    assert "notices" not in schema.get("required", ())


def test_rest_has_no_notices(api, tools):
    stored = tools.get("log_workout", **a_workout(a_set(), started_at="2027-01-01T10:00:00Z"))
    assert api.get(f"/workouts/{stored['id']}").json() == stored


IGNORED = "Saved as a new {}; id was ignored. Corrections are made in the app or by update tools."
AHEAD = "The date is 1 day ahead."
TOMORROW = "2026-11-21T10:00:00Z"
WEIGHT = "80.0 kg saved for 21 Nov; there was none before."
TAPE = "Waist 80 cm saved for 21 Nov; there was none before."

WRITES = {  # of an account without anything
    "log_workout": (a_workout(started_at=TOMORROW, id=NEVER), [AHEAD, IGNORED.format("workout")]),
    "create_routine": ({"name": "Upper", "exercises": [], "id": NEVER}, [IGNORED.format("routine")]),
    "create_training_plan": (a_plan(active=True, id=NEVER), [IGNORED.format("plan")]),
    "log_weight": (
        {"weight_kg": 80, "logged_at": TOMORROW, "id": NEVER},
        [WEIGHT, AHEAD, IGNORED.format("log")],
    ),
    "log_measurements": (
        {"waist_cm": 80, "logged_at": TOMORROW, "id": NEVER},
        [TAPE, AHEAD, IGNORED.format("log")],
    ),
    "log_nutrition": (
        {"day": "2026-11-21", **TOTALS},
        [
            "Totals of 21 Nov are now 2,450 kcal, 172 g protein, 260.5 g carbs, 74 g fat; "
            "the day had none before.",
            AHEAD,
        ],
    ),
    "set_goal": (
        {"target_weight_kg": 76, "deadline": "2026-11-17"},
        [
            "Goal set: 76.0 kg, no body fat target, by 17 November 2026.",
            "The deadline is 3 days past.",
        ],
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_notes_what_its_record_does_not_say(tools, name):
    arguments, notices = WRITES[name]
    assert tools.notices(name, **arguments) == notices


def test_a_write_notes_what_it_compares_with(tools):
    tools.get("create_training_plan", **a_plan(name="Old", active=True))
    assert tools.notices("create_training_plan", **a_plan(active=True)) == [
        'It is the active plan now, in place of "Old".'
    ]
    tools.get("log_weight", weight_kg=82.4, logged_at="2026-11-19T07:00:00Z")
    assert tools.notices("log_weight", weight_kg=180) == [
        "180.0 kg saved for 20 Nov; the log before was 82.4 kg (19 Nov)."
    ]
    tools.get("log_nutrition", day=DAY, **TOTALS)
    (replaced,) = tools.notices("log_nutrition", day=DAY, **TOTALS | {"calories": 3100, "fat_g": 73.9})
    assert replaced.endswith("a difference of +650 kcal, 0 g protein, 0 g carbs, -0.1 g fat.")
    tools.get("set_goal", target_weight_kg=76, deadline="2027-03-01")
    assert tools.notices("set_goal", target_weight_kg=75) == [
        "Goal set: 75.0 kg (76.0 kg before), no body fat target, no deadline; "
        "the goal before had 1 March 2027."
    ]


def test_a_whole_first_goal_has_nothing_to_note(tools):
    goal = {"target_weight_kg": 76, "target_body_fat_percent": 14, "deadline": "2027-03-01"}
    assert tools.notices("set_goal", **goal) == []


def test_a_tick_notes_that_it_changed_nothing(tools, account):
    supplement_id = str(account.supplements.create(name="Zinc", time="22:00").pk)
    assert tools.notices("log_supplement_taken", supplement_id=supplement_id) == []
    assert tools.notices("log_supplement_taken", supplement_id=supplement_id) == [
        "Zinc was ticked for 20 Nov already, taken 20 Nov 23:45 UTC; nothing changed."
    ]


PAGES = {  # of what a write tool saves; {id} is that of the record
    "log_workout": "/workouts/{id}",
    "create_routine": "/routines/{id}",
    "create_training_plan": "/plans/{id}",
    "log_weight": "/body/weight/{id}/edit",
    "log_measurements": "/body/measurements/{id}/edit",
    "log_nutrition": f"/nutrition/days/{DAY}",
    "log_supplement_taken": f"/supplements/days/{DAY}",
    "set_goal": "/goals",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_write_says_where_it_is_corrected(tools, page, account, settings, name):
    supplement = account.supplements.create(name="Zinc", time="22:00")
    arguments = {**ARGUMENTS, "log_supplement_taken": {"supplement_id": str(supplement.pk), "day": DAY}}
    assert "Correct it at" not in str(tools.call(name, arguments[name]))

    settings.PUBLIC_URL = "https://fit.example.org"
    result = tools.call(name, arguments[name])
    stored = result["structuredContent"]
    path = PAGES[name].format(**stored)
    sentence = f"Correct it at https://fit.example.org{path}"
    assert stored["notices"][-1] == sentence
    assert result["content"][0]["text"].endswith(f" {sentence}")
    settings.PUBLIC_URL = ""
    assert page.get(path).status_code == 200


def test_a_search_notes_the_nearest(tools):
    (notice,) = tools.notices("search_exercises", query="no such thing")
    assert notice.startswith("No exercise is called 'no such thing'. Nearest: ")


def test_how_to_get_more_is_noted_where_no_cursor_says_so(tools):
    for weight_kg in (80, 81):
        tools.get("log_weight", weight_kg=weight_kg)
        tools.get("log_nutrition", day=f"2026-03-0{weight_kg - 79}", **TOTALS)
    assert tools.notices("get_body_metrics", limit=2) == [
        "There may be more: raise limit (at most 100), or narrow since."
    ]
    assert tools.notices("get_nutrition", limit=1) == []


def test_a_line_break_stays_out_of_notices(tools):
    tools.get("create_training_plan", **a_plan(name="Old\nlines", active=True))
    (notice,) = tools.notices("create_training_plan", **a_plan(active=True))
    assert notice == 'It is the active plan now, in place of "Old lines".'
