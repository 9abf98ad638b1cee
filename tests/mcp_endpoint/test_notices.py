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
    "log_workout": (
        a_workout(started_at=TOMORROW, id=NEVER),
        [AHEAD, "It has no set.", IGNORED.format("workout")],
    ),
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


# --- What looks wrong, and is stored all the same ------------------------------------------------


def sets_of(count):
    return [a_set(60, 8) for _ in range(count)]


ODD = [
    (
        "log_weight",
        {"weight_kg": 80, "body_fat_percent": 0.18},
        "Body fat of 0.18 % is very low: percent, not",
    ),
    ("log_weight", {"weight_kg": 80, "logged_at": "2025-11-20T07:00:00Z"}, "The year is 2025, not 2026."),
    ("log_nutrition", {"day": "2025-11-20", **TOTALS}, "The year is 2025, not 2026."),
    (
        "log_workout",
        a_workout(*sets_of(11), duration_seconds=60),
        "11 sets in 60 seconds: is that the duration?",
    ),
    ("log_workout", a_workout(exercises=[]), "It has no set."),
]
PLAIN = [
    ("log_weight", {"weight_kg": 80, "body_fat_percent": 18}),
    ("log_workout", a_workout(*sets_of(10), duration_seconds=60)),
    ("log_workout", a_workout(exercises=[{"exercise_id": "plank", "sets": [], "notes": "90 s"}])),
]


@pytest.mark.parametrize(("tool", "arguments", "words"), ODD)
def test_what_looks_wrong_is_stored_with_a_notice(tools, tool, arguments, words):
    (found,) = [notice for notice in tools.notices(tool, **arguments) if notice.startswith(words)]
    assert len(found.split()) <= 24


@pytest.mark.parametrize(("tool", "arguments"), PLAIN)
def test_what_looks_right_has_none_of_them(tools, tool, arguments):
    notices = tools.notices(tool, **arguments)
    assert not [one for one in notices for *_, words in ODD if one.startswith(words)]


def test_a_workout_like_one_of_the_last_minutes_names_the_other(tools, time_machine):
    sets = sets_of(3)
    tools.get("log_workout", **a_workout(*sets, started_at="2026-11-20T17:00:00Z", title="Push"))
    again = a_workout(*sets, started_at="2026-11-20T17:05:00Z", title="Push")
    words = "There is already a workout equal to this one, of 20 Nov 17:00 UTC: Push, 3 sets."
    assert tools.notices("log_workout", **again) == [words]
    other = a_workout(*sets[:2], started_at="2026-11-20T17:06:00Z", title="Push")
    assert tools.notices("log_workout", **other) == []


def test_a_weight_far_above_the_best_is_asked_about_and_no_record(tools):
    tools.get("log_workout", **a_workout(a_set(100, 5), started_at="2026-11-01T17:00:00Z"))
    assert tools.notices("log_workout", **a_workout(a_set(180, 5))) == [
        "More than 1.5 times the best: Barbell Bench Press 180 kg (the best so far is 100 kg)."
    ]


@pytest.mark.parametrize("exercise_id", ["band-assisted-pull-up", "plank"])
def test_more_help_and_more_repetitions_of_a_hold_are_no_record(tools, exercise_id):
    for weight_kg, reps, day in ((20, 5, 1), (40, 9, 2)):
        workout = a_workout(a_set(weight_kg, reps), exercise_id=exercise_id)
        notices = tools.notices("log_workout", **{**workout, "started_at": f"2026-11-0{day}T17:00:00Z"})
    assert notices == []


def test_the_weight_of_an_assisted_exercise_is_told_as_help(tools):
    for weight_kg, day in ((20, 1), (40, 2)):
        workout = a_workout(a_set(weight_kg, 5), exercise_id="band-assisted-pull-up")
        tools.get("log_workout", **{**workout, "started_at": f"2026-11-0{day}T17:00:00Z"})
    words = "An assisted exercise's weight is help; least of it: Band-Assisted Pull-Up 20 kg × 5 (1 Nov)."
    record = tools.call("get_personal_records")["structuredContent"]
    assert (record["records"][0]["weight_kg"], record["notices"]) == (40, [words])
    assert tools.notices("get_exercise_history", exercise_id="band-assisted-pull-up") == [words]


def test_times_and_distances_are_told_in_histories_and_brief_lists(tools):
    plank = [{"exercise_id": "plank", "sets": [], "notes": "Set 1: 90 s\nSet 2: 45 s"}]
    tools.get("log_workout", **a_workout(exercises=plank, started_at="2026-11-16T17:00:00Z"))
    assert tools.notices("get_exercise_history", exercise_id="plank") == [
        "Times and distances: 16 Nov 1:30 · 45 s."
    ]
    (workout,) = tools.get("list_workouts", detail="brief")["workouts"]
    assert workout["exercises"] == ["plank: 1:30 · 45 s"]


def test_the_day_of_the_person_is_named_where_it_is_another(tools, account):
    account.time_zone = "Pacific/Auckland"  # 21 November there
    account.save()
    words = "Where the user is, that was 21 Nov"
    assert f"{words}." in tools.notices("log_weight", weight_kg=80)
    creatine = account.supplements.create(name="Creatine", time="08:00")
    ticked = tools.notices("log_supplement_taken", supplement_id=str(creatine.pk))
    assert ticked == [f"{words}; day 2026-11-21 says so."]
    assert not tools.notices("log_supplement_taken", supplement_id=str(creatine.pk), day="2026-11-21")
    assert not [one for one in tools.notices("log_nutrition", day="2026-11-21", **TOTALS) if "ahead" in one]
