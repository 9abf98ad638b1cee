"""`notices`: what the data of an answer lack, and what looks wrong and is stored all the same."""

import datetime
import json

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout
from tests.factories import AccountFactory
from tests.mcp_endpoint.conftest import ToolClient, client_of
from tests.mcp_endpoint.test_lines import NOW, ROW, TOTALS, push
from tests.mcp_endpoint.test_tools import ARGUMENTS, BENCH, DAY, NEVER, NOON, SPECIFIED, a_plan


@pytest.fixture(autouse=True)
def one_evening(time_machine):
    time_machine.move_to(NOW, tick=False)


def test_a_result_without_notices_has_no_such_member(tools):
    assert "notices" not in tools.call("create_training_plan", a_plan())["structuredContent"]
    assert "notices" not in tools.call("list_training_plans")["structuredContent"]


def test_notices_are_at_the_top_of_the_data_and_said_once(tools):
    tools.get("log_workout", **a_workout(a_set(100, 5)))
    result = tools.call("log_workout", a_workout(a_set(101, 5)))
    line, text = (block["text"] for block in result["content"])
    notices = [
        "New record: Barbell Bench Press 101 kg × 5.",
        "There is already a workout at this moment: "
        "Untitled workout, 2 Mar, 17:30 UTC: 1 exercise, 1 set, 500 kg.",
    ]
    assert next(iter(result["structuredContent"].items())) == ("notices", notices)
    assert json.loads(text) == result["structuredContent"]
    assert line == "Saved: Untitled workout, 2 Mar, 17:30 UTC: 1 exercise, 1 set, 505 kg."
    jsonschema.validate(result["structuredContent"], TOOLS["log_workout"].definition["outputSchema"])


@pytest.mark.parametrize("name", SPECIFIED)
def test_every_tool_declares_its_notices(name):
    schema = TOOLS[name].definition["outputSchema"]
    assert schema["properties"]["notices"] == {"type": "array", "items": {"type": "string"}}
    assert "notices" not in schema.get("required", ())


def test_rest_has_no_notices(api, tools):
    stored = tools.get("log_workout", **a_workout(a_set(), started_at="2027-01-01T10:00:00Z"))
    assert api.get(f"/workouts/{stored['id']}").json() == stored


IGNORED = "Saved as a new one; id was ignored. Corrections are made in the app or by update tools."
AHEAD = "The date is 1 day ahead."
TOMORROW = "2026-11-21T10:00:00Z"
WRITES = {  # of an account without anything
    "log_workout": (
        a_workout(started_at=TOMORROW, id=NEVER),
        [AHEAD, "It has no set.", IGNORED],
    ),
    "create_routine": ({"name": "Upper", "exercises": [], "id": NEVER}, [IGNORED]),
    "create_training_plan": (a_plan(active=True, id=NEVER), [IGNORED]),
    "log_weight": (
        {"weight_kg": 80, "logged_at": TOMORROW, "id": NEVER},
        [AHEAD, IGNORED],
    ),
    "log_measurements": (
        {"waist_cm": 80, "logged_at": TOMORROW, "id": NEVER},
        [AHEAD, IGNORED],
    ),
    "log_nutrition": (
        {"day": "2026-11-21", **TOTALS},
        [AHEAD],
    ),
    "set_goal": (
        {"target_weight_kg": 76, "deadline": "2026-11-17"},
        ["The deadline is 3 days past."],
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_notes_what_its_record_does_not_say(tools, name):
    arguments, notices = WRITES[name]
    assert tools.notices(name, **arguments) == notices


def test_a_write_notes_what_it_replaces(tools):
    tools.get("log_nutrition", day=DAY, **TOTALS)
    assert tools.notices("log_nutrition", day=DAY, **TOTALS | {"calories": 3100}) == [
        "The day had 2,450 kcal, 172 g protein, 260.5 g carbs, 74 g fat before."
    ]
    first = {"target_weight_kg": 76, "deadline": "2027-03-01", "start_weight_kg": 80}
    assert tools.notices("set_goal", **first) == []
    assert tools.notices("set_goal") == [
        "Before, it was goal 76.0 kg, no body fat target, by 1 Mar 2027; it starts from 80.0 kg."
    ]


def test_a_log_notes_the_one_before_it_in_time(tools):
    for day, weight_kg in ((1, 80), (3, 83)):
        tools.get("log_weight", weight_kg=weight_kg, logged_at=f"2026-03-0{day}T07:00:00Z")
    assert tools.notices("log_weight", weight_kg=81.25, logged_at="2026-03-02T07:00:00Z") == [
        "The log before was 80.0 kg (1 Mar)."
    ]
    assert tools.notices("log_weight", weight_kg=180) == ["The log before was 83.0 kg (3 Mar)."]
    tools.get("log_measurements", waist_cm=86, neck_cm=39, logged_at="2026-02-01T07:00:00Z")
    assert tools.notices("log_measurements", waist_cm=845, logged_at=NOON) == [
        "The log before was waist 86 cm, neck 39 cm (1 Feb)."
    ]


def test_a_tick_notes_which_supplement_it_is_and_whether_it_changed_anything(tools, account):
    pk = str(account.supplements.create(name="Creatine", dosage="5 g", time="22:00").pk)
    name = "Creatine (5 g)"
    assert tools.notices("log_supplement_taken", supplement_id=pk) == [f"The supplement is {name}."]
    already = [f"{name} was ticked for 20 Nov already; nothing changed."]
    assert tools.notices("log_supplement_taken", supplement_id=pk) == already
    assert tools.notices("log_supplement_taken", supplement_id=pk, taken_at=NOON, day="2026-11-20") == already
    assert tools.notices("log_supplement_taken", supplement_id=pk, taken_at=NOON) == [
        f"The supplement is {name}."
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
    settings.PUBLIC_URL = ""
    assert page.get(path).status_code == 200


def test_how_to_get_more_is_noted_where_no_cursor_says_so(tools):
    for weight_kg in (80, 81):
        tools.get("log_weight", weight_kg=weight_kg)
        tools.get("log_nutrition", day=f"2026-03-0{weight_kg - 79}", **TOTALS)
    assert tools.notices("get_body_metrics", limit=2) == [
        "There may be more: raise limit (at most 100), or narrow since."
    ]
    assert tools.notices("get_nutrition", limit=1) == []


def test_a_line_break_stays_out_of_notices(tools):
    tools.get("log_workout", **push(a_set(), title="Two\nlines"))
    (notice,) = tools.notices("log_workout", **push(a_set()))
    assert notice.startswith("There is already a workout at this moment: Two lines, ")


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


def test_in_january_a_day_of_december_is_no_slip_of_the_year(tools, time_machine):
    time_machine.move_to("2027-01-01T09:00:00Z")
    assert tools.notices("log_weight", weight_kg=80, logged_at="2026-12-31T20:00:00Z") == []
    assert tools.notices("log_weight", weight_kg=80, logged_at="2026-01-01T08:00:00Z") == [
        "The year is 2026, not 2027."
    ]


def test_a_workout_like_one_of_the_last_minutes_names_the_other(tools, time_machine):
    sets = sets_of(3)
    tools.get("log_workout", **a_workout(*sets, started_at="2026-11-20T17:00:00Z", title="Push"))
    again = a_workout(*sets, started_at="2026-11-20T17:05:00Z", title="Push")
    words = (
        "There is already a workout equal to this one: Push, 20 Nov, 17:00 UTC: 1 exercise, 3 sets, 1,440 kg."
    )
    assert tools.notices("log_workout", **again) == [words]
    other = a_workout(*sets[:2], started_at="2026-11-20T17:06:00Z", title="Push")
    assert tools.notices("log_workout", **other) == []


def test_a_weight_far_above_the_best_is_asked_about_and_no_record(tools):
    tools.get("log_workout", **a_workout(a_set(100, 5), started_at="2026-11-01T17:00:00Z"))
    assert tools.notices("log_workout", **a_workout(a_set(180, 5))) == [
        "180 kg of Barbell Bench Press is more than 1.5 times the best so far, 100 kg."
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
    words = "The weight of Band-Assisted Pull-Up is help; least of it: 20 kg × 5 (1 Nov)."
    record = tools.call("get_personal_records")["structuredContent"]
    assert (record["records"][0]["weight_kg"], record["notices"]) == (40, [words])
    assert tools.notices("get_exercise_history", exercise_id="band-assisted-pull-up") == [words]


def test_times_and_distances_are_told_in_histories_and_brief_lists(tools):
    plank = [{"exercise_id": "plank", "sets": [], "notes": "Set 1: 90 s\nSet 2: 45 s"}]
    tools.get("log_workout", **a_workout(exercises=plank, started_at="2026-11-16T17:00:00Z"))
    assert tools.notices("get_exercise_history", exercise_id="plank") == [
        "Time or distance on 16 Nov: 1:30 · 0:45."
    ]
    (workout,) = tools.get("list_workouts", detail="brief")["workouts"]
    assert workout["exercises"] == ["plank: 1:30 · 0:45"]


def test_the_day_of_the_person_is_named_where_it_is_another(tools, account):
    account.time_zone = "Pacific/Auckland"  # 21 November there
    account.save()
    words = "Where the user is, that was 21 Nov"
    assert f"{words}." in tools.notices("log_weight", weight_kg=80)
    creatine = account.supplements.create(name="Creatine", time="08:00")
    ticked = tools.notices("log_supplement_taken", supplement_id=str(creatine.pk))
    assert ticked == ["The supplement is Creatine.", f"{words}; day 2026-11-21 says so."]
    own_day = tools.notices("log_supplement_taken", supplement_id=str(creatine.pk), day="2026-11-21")
    assert own_day == ["The supplement is Creatine."]
    assert not [one for one in tools.notices("log_nutrition", day="2026-11-21", **TOTALS) if "ahead" in one]


@pytest.mark.parametrize(("day", "ahead"), [("2026-12-27", "37 days"), ("2026-11-21", "1 day"), (DAY, "")])
def test_a_date_in_the_future_is_named(tools, account, day, ahead):
    supplement = account.supplements.create(name="Zinc", time="22:00")
    at = f"{day}T00:30:00Z"
    for name, arguments in {
        "log_workout": a_workout(a_set(), started_at=at),
        "log_weight": {"weight_kg": 80, "logged_at": at},
        "log_measurements": {"waist_cm": 80, "logged_at": at},
        "log_nutrition": {"day": day, **TOTALS},
        "log_supplement_taken": {"supplement_id": str(supplement.pk), "day": day},
    }.items():
        found = [notice for notice in tools.notices(name, **arguments) if "ahead" in notice]
        assert found == ([f"The date is {ahead} ahead."] if ahead else [])


# --- Records ------------------------------------------------------------------------------------


def test_the_first_session_with_an_exercise_beats_no_record(tools):
    assert tools.notices("log_workout", **push(a_set())) == []


@pytest.mark.parametrize(
    ("sets", "notices"),
    [
        ([a_set(100, 5)], []),
        ([a_set(100, 6)], ["New record: Barbell Bench Press 100 kg × 6."]),
        ([a_set(99, 12)], []),
        ([a_set(110, 1, type="warmup")], []),
        ([a_set(110, 1, completed=False)], []),
        ([a_set(101, 1), a_set(102.25, 1), a_set(90, 9)], ["New record: Barbell Bench Press 102.25 kg × 1."]),
    ],
)
def test_a_record_is_heavier_or_as_heavy_for_more_repetitions(tools, sets, notices):
    tools.get("log_workout", **a_workout(a_set(100, 5)))
    again = a_workout(*sets, title="Again", started_at="2026-03-05T10:00:00Z")
    assert tools.notices("log_workout", **again) == notices


def test_a_record_is_found_across_an_exercise_that_occurs_twice_and_however_it_is_dated(tools):
    tools.get("log_workout", **push(a_set(100, 5)))
    twice = a_workout(a_set(101, 5), started_at="2025-03-02T10:00:00Z", title="Twice")
    twice["exercises"] += [
        {"exercise_id": BENCH, "sets": [a_set(103, 5)]},
        {"exercise_id": ROW, "sets": [a_set(75, 5)]},
    ]
    assert tools.notices("log_workout", **twice) == [
        "New record: Barbell Bench Press 103 kg × 5.",
        "New record: Bent Over Barbell Row 75 kg × 5.",
        "The year is 2025, not 2026.",
    ]


def test_another_s_records_and_workouts_are_not_compared_with(tools):
    other = ToolClient(client_of(AccountFactory()).key)
    other.get("log_workout", **push(a_set(200, 5)))
    tools.get("log_workout", **push(a_set(100, 5), started_at="2026-11-01T10:00:00Z"))
    record = ["New record: Barbell Bench Press 101 kg × 5."]
    assert tools.notices("log_workout", **push(a_set(101, 5))) == record


# --- Totals and ticks ---------------------------------------------------------------------------


def test_a_profile_says_what_day_it_is_where_the_user_is(tools, account):
    now = "It is Friday 20 Nov 2026, 23:45 UTC now; days of the service are UTC days."
    in_utc = [now, "The user's own zone is UTC.", "The user's screens are in kilograms."]
    assert tools.notices("get_profile") == in_utc
    type(account).objects.filter(pk=account.pk).update(units="lb", time_zone="Pacific/Auckland")
    assert tools.notices("get_profile") == [
        now,
        "The user's own zone is Pacific/Auckland: Saturday 21 Nov 2026, 12:45 there.",
        "The user's screens are in pounds: convert what is said, and answer in lb.",
    ]


def test_totals_say_what_each_week_adds_up_to(tools):
    for day in ("10-26", "10-27", "11-09", "11-22"):
        sets = [a_set(95, 5), a_set(95, 5, completed=False)]
        tools.get("log_workout", **push(*sets, started_at=f"2026-{day}T10:00:00Z"))
    tools.get("log_workout", **a_workout(exercises=[], started_at="2026-11-10T10:00:00Z"))
    assert tools.notices("get_training_stats", since="2026-10-27T00:00:00Z") == [
        "Week of 26 Oct, from 27 Oct on: 1 session; working sets: Back 3, Chest 1.",
        "Week of 9 Nov: 2 sessions; working sets: Back 3, Chest 1.",
    ]


def test_two_weeks_are_not_split(tools):
    tools.get("log_workout", **push(a_set(95, 5), started_at="2026-11-09T10:00:00Z"))
    window = {"since": "2026-11-01T00:00:00Z", "until": "2026-11-15T00:00:00Z"}
    assert "Week of" not in str(tools.notices("get_training_stats", **window))
    longer = window | {"until": "2026-11-15T00:00:01Z"}
    assert "Week of 9 Nov" in str(tools.notices("get_training_stats", **longer))


def test_the_newest_26_weeks_of_a_long_window_are_said(tools):
    mondays = [datetime.date(2026, 11, 16) - datetime.timedelta(weeks=number) for number in range(28)]
    for monday in mondays:
        tools.get("log_workout", **a_workout(a_set(95, 5), started_at=f"{monday}T10:00:00Z"))
    notices = tools.notices("get_training_stats", since="0001-01-01T00:00:00Z")
    assert notices[0] == "2 weeks before are left out: narrow since and until."
    assert [notices[1][:14], notices[-1][:14]] == ["Week of 25 May", "Week of 16 Nov"]
    assert len(notices) == 1 + 26


def test_ticks_are_those_of_the_supplements_shown(tools, account):
    first, second = (account.supplements.create(name=name, time="08:00") for name in ("Iron", "Zinc"))
    tools.get("log_supplement_taken", supplement_id=str(second.pk))
    assert tools.notices("list_supplements", limit=1)[0] == "20 Nov: none taken."
    assert tools.notices("list_supplements")[:2] == ["20 Nov: Zinc taken.", "19 Nov: none taken."]
    tools.get("log_supplement_taken", supplement_id=str(first.pk))
    assert tools.notices("list_supplements")[0] == "20 Nov: all taken."
