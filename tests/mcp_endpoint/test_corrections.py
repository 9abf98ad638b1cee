"""The 19 tools of keys that may also correct and delete."""

import datetime
import json

import jsonschema
import pytest

from accounts.key_days import unstored
from fitness.json import dumps
from mcp_endpoint.corrections import ALL_TOOLS, CORRECTIONS
from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout, statements
from tests.mcp_endpoint.conftest import ToolClient, paths
from tests.mcp_endpoint.test_tools import BENCH, CORRECTING, DAY, NEVER, NOON, SPECIFIED, a_plan

KEEPING = ("get_progression", "get_body_trend", "activate_training_plan", "add_supplement")
DESTRUCTIVE = [name for name in CORRECTING if name not in KEEPING]
SOURCES = {
    "workout_id": "list_workouts",
    "weight_id": "get_body_metrics",
    "measurement_id": "get_body_metrics",
    "routine_id": "list_routines",
    "plan_id": "list_training_plans",
    "supplement_id": "list_supplements",
}

PUSH = a_workout(a_set(60, 8, type="warmup"), a_set(100, 5, rpe=8.5), title="Push", notes="Felt strong.")
LIFT = {"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 70}
TOTALS = {"day": DAY, "calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74}


@pytest.fixture
def stored(tools, account):
    """{kind: a record of the account, as clients read it}, one of each."""
    supplement = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    tick = {"supplement_id": str(supplement.pk), "day": DAY, "taken_at": NOON}
    return {
        "workout": tools.get("log_workout", **PUSH),
        "weight": tools.get("log_weight", weight_kg=82.4, body_fat_percent=18.5, logged_at=NOON),
        "measurement": tools.get("log_measurements", waist_cm=84.5, logged_at=NOON),
        "routine": tools.get("create_routine", name="Upper", focus="Press", exercises=[LIFT]),
        "plan": tools.get("create_training_plan", **a_plan(summary="Heavy", active=True)),
        "nutrition": tools.get("log_nutrition", **TOTALS),
        "tick": tools.get("log_supplement_taken", **tick),
        "progression": {"deload_every": None, "deload_percent": 85, "rules": []},
        "supplement": tools.get("list_supplements")["supplements"][0],
    }


@pytest.fixture
def arguments(stored):
    """Arguments of each tool, with which it does something."""
    ids = {f"{kind}_id": record["id"] for kind, record in stored.items() if "id" in record}

    def of(kind, **values):
        return {f"{kind}_id": ids[f"{kind}_id"], **values}

    return {
        "update_workout": of("workout", **a_workout(a_set(100, 9), title="Push")),
        "delete_workout": of("workout"),
        "update_weight": of("weight", weight_kg=81.4),
        "delete_weight": of("weight"),
        "update_measurements": of("measurement", waist_cm=83),
        "delete_measurements": of("measurement"),
        "update_routine": of("routine", name="Upper", exercises=[{**LIFT, "sets": 5}]),
        "delete_routine": of("routine"),
        "update_training_plan": of("plan", **a_plan(name="Another week")),
        "activate_training_plan": of("plan"),
        "get_progression": of("plan"),
        "set_progression": of("plan", rules=[], deload_every=6),
        "delete_training_plan": of("plan"),
        "add_supplement": {"name": "Zinc", "time": "22:00"},
        "update_supplement": of("supplement", dosage="10 g"),
        "remove_supplement": of("supplement"),
        "undo_supplement_taken": of("supplement", day=DAY),
        "clear_nutrition_day": {"day": DAY},
        "get_body_trend": {"since": "2026-03-01T00:00:00Z", "until": "2026-03-04T00:00:00Z"},
    }


def summary(result):
    assert result["isError"] is False, result
    return result["content"][0]["text"]


def everything(api):
    """What REST reads of the account."""
    lists = ("/workouts", "/routines", "/plans", "/body/weight", "/body/measurements", "/nutrition")
    return [api.get(path).json() for path in (*lists, "/supplements", "/supplements/logs")]


# --- The list, with the choice and without ------------------------------------------------------


def definitions(client, speak="legacy"):
    return getattr(client, speak)("tools/list").json()["result"]["tools"]


def test_without_the_choice_the_list_is_that_of_the_22_byte_for_byte(tools, correcting_tools):
    correcting_tools.legacy("tools/list")
    expected = dumps([tool.definition for tool in TOOLS.values()])
    assert tools.legacy("tools/list").content == b'{"jsonrpc":"2.0","id":1,"result":{"tools":%s}}' % expected
    assert list(TOOLS) == list(SPECIFIED)


@pytest.mark.parametrize("speak", ["legacy", "modern"])
def test_with_the_choice_the_19_follow_the_22(tools, correcting_tools, speak):
    listed = definitions(correcting_tools, speak)
    assert [tool["name"] for tool in listed] == [*SPECIFIED, *CORRECTING]
    assert listed[: len(SPECIFIED)] == definitions(tools, speak)


def test_instructions_of_a_correcting_key_do_not_send_the_user_to_the_app(tools, correcting_tools):
    for client, is_said in ((tools, True), (correcting_tools, False)):
        instructions = client.modern("server/discover").json()["result"]["instructions"]
        legacy = client.legacy("initialize", {"protocolVersion": "2025-11-25"}).json()["result"]
        assert legacy["instructions"] == instructions
        assert ("Tools cannot change what is saved" in instructions) is is_said
        assert ("Corrections are made in the app" in instructions) is is_said
        assert ("update_" in instructions) is not is_said


def test_no_shared_cache_gives_one_key_the_list_of_another(tools, correcting_tools):
    scopes = [
        client.modern("tools/list").json()["result"]["cacheScope"] for client in (tools, correcting_tools)
    ]
    assert scopes == ["private", "private"]


def test_what_a_model_reads_of_them_is_short(correcting_tools):
    listed = definitions(correcting_tools)[len(SPECIFIED) :]
    read = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in listed]
    assert len(dumps(read)) / 4 < 4300  # about 4 bytes a token


def test_the_choice_can_be_taken_back_and_given_again(correcting_tools, account, arguments):
    key = account.api_keys.get(name="assistant")
    for may_correct in (False, True):
        key.allow_corrections(may_correct)
        names = [tool["name"] for tool in definitions(correcting_tools)]
        assert ("delete_weight" in names) is may_correct
        answer = correcting_tools.legacy("tools/call", {"name": "get_body_trend", "arguments": {}})
        assert ("result" in answer.json()) is may_correct


# --- Keys that have not got it ------------------------------------------------------------------


@pytest.mark.parametrize("name", CORRECTING)
@pytest.mark.parametrize("speak", ["legacy", "modern"])
def test_without_the_choice_they_are_unknown_and_the_way_out_is_said(tools, api, arguments, name, speak):
    before = everything(api)
    answer = getattr(tools, speak)("tools/call", {"name": name, "arguments": arguments[name]})
    unknown = getattr(tools, speak)("tools/call", {"name": "delete_everything", "arguments": {}})
    assert answer.status_code == unknown.status_code
    error, other = answer.json()["error"], unknown.json()["error"]
    assert error["code"] == other["code"] == -32602
    assert other["message"] == "Unknown tool: delete_everything"
    way_out = "corrections need a key that may also correct and delete: Settings, Developer."
    assert error["message"] == f"Unknown tool: {name}; {way_out}"
    assert everything(api) == before


# --- What all have in common --------------------------------------------------------------------


@pytest.mark.parametrize("name", CORRECTING)
def test_a_result_is_a_line_the_json_and_the_same_structured(correcting_tools, arguments, name):
    nulls = dict.fromkeys(CORRECTING[name][1].split())  # of what is optional: as if it were left out
    result = correcting_tools.call(name, nulls | arguments[name])
    line, text = (block["text"] for block in result["content"])
    assert "\n" not in summary(result)
    assert line
    assert json.loads(text) == result["structuredContent"]
    jsonschema.validate(result["structuredContent"], CORRECTIONS[name].definition["outputSchema"])
    jsonschema.validate(arguments[name], CORRECTIONS[name].definition["inputSchema"])


KINDS = {  # of the records that a tool names otherwise: the kind in `stored`
    "training_plan": "plan",
    "measurements": "measurement",
    "nutrition_day": "nutrition",
    "supplement_taken": "tick",
}
PATHS = {  # of the lists in which REST has the records of a kind
    "workout": "/workouts",
    "weight": "/body/weight",
    "measurement": "/body/measurements",
    "routine": "/routines",
    "plan": "/plans",
    "supplement": "/supplements",
    "tick": "/supplements/logs",
    "nutrition": "/nutrition",
}
LINES = {
    "update_workout": "Changed notes, exercises: Push, 2 Mar, 17:30 UTC: 1 exercise, 1 set, 900 kg.",
    "delete_workout": "Deleted: Push, 2 Mar, 17:30 UTC: 1 exercise, 2 sets, 500 kg.",
    "update_weight": "Changed weight_kg: 81.4 kg, 18.5 % body fat, 2 Mar, 12:00 UTC.",
    "delete_weight": "Deleted: 82.4 kg, 18.5 % body fat, 2 Mar, 12:00 UTC.",
    "update_measurements": "Changed waist_cm: waist 83 cm, 2 Mar, 12:00 UTC.",
    "delete_measurements": "Deleted: waist 84.5 cm, 2 Mar, 12:00 UTC.",
    "update_routine": 'Changed focus, exercises: Routine "Upper": 1 exercise, 5 sets.',
    "delete_routine": 'Deleted: Routine "Upper": 1 exercise, 3 sets.',
    "update_training_plan": 'Changed name, summary: Training plan "Another week", active: '
    "1 training day a week, 1 exercise.",
    "set_progression": 'Changed deload_every: Training plan "Week": 0 rules; '
    "next deload week from 2026-04-06.",
    "delete_training_plan": 'Deleted: Training plan "Week", active: 1 training day a week, 1 exercise.',
    "update_supplement": "Changed dosage: Creatine (10 g) at 08:00.",
    "remove_supplement": "Deleted: Creatine (5 g) at 08:00.",
    "undo_supplement_taken": "Deleted: tick of 2 Mar, taken 2 Mar, 12:00 UTC.",
    "clear_nutrition_day": "Deleted: 2,450 kcal, 172 g protein, 260.5 g carbs, 74 g fat on 2 Mar.",
}


@pytest.mark.parametrize("name", DESTRUCTIVE)
@pytest.mark.time_machine("2026-03-02T19:00:00Z", tick=False)
def test_what_was_there_before_is_part_of_the_answer_and_rest_reads_what_is(
    correcting_tools, api, stored, arguments, name
):
    act, _, kind = name.partition("_")
    kind = KINDS.get(kind, kind)
    result = correcting_tools.call(name, arguments[name])
    record, before = result["structuredContent"], stored[kind]
    fields = CORRECTIONS[name].definition["outputSchema"]["properties"].keys() - {"notices"}
    assert fields == record.keys()
    assert summary(result) == LINES[name]
    if act in ("update", "set"):
        changed = record.pop("before")
        assert list(changed) == summary(result).removeprefix("Changed ").partition(": ")[0].split(", ")
        assert changed == {field: before[field] for field in changed}
        assert all(record[field] != old for field, old in changed.items())
        left = [record]
    else:
        assert record["deleted"] | before == record["deleted"]
        left = []
    if kind in PATHS:
        (listed, *_) = api.get(PATHS[kind]).json().values()
        assert listed == left


@pytest.fixture
def stranger_s(stranger):
    """The tools of a stranger whose key may also correct and delete."""
    return ToolClient(stranger.issue_key("assistant", "read_write", "never", may_correct=True)[0])


@pytest.mark.parametrize("name", [name for name, (required, _) in CORRECTING.items() if "_id" in required])
def test_a_stranger_s_record_does_not_exist(stranger_s, api, arguments, name):
    argument = CORRECTING[name][0].split()[0]
    before = everything(api)
    results = [
        stranger_s.call(name, {**arguments[name], argument: one})
        for one in (arguments[name][argument], NEVER)
    ]
    assert results[0] == results[1]
    sentence, error = stranger_s.refused(name, arguments[name])
    assert error["code"] == "not_found"
    assert paths(error) == {f"arguments.{argument}"}
    assert SOURCES[argument] in sentence
    assert everything(api) == before


def test_a_stranger_s_days_are_not_cleared(stranger_s, api, arguments):
    before = everything(api)
    sentence, error = stranger_s.refused("clear_nutrition_day", {"day": DAY})
    assert error["code"] == "not_found"
    assert "get_nutrition" in sentence
    assert stranger_s.get("get_body_trend", **arguments["get_body_trend"])["points"] == []
    assert everything(api) == before


@pytest.mark.parametrize("value", ["Push day", "", "\u0660", "x" * 5000])
def test_an_id_that_is_none_is_refused(correcting_tools, value):
    _, error = correcting_tools.refused("delete_workout", {"workout_id": value})
    assert paths(error) == {"arguments.workout_id"}


def test_deleting_twice_is_not_found(correcting_tools, arguments):
    correcting_tools.get("delete_routine", **arguments["delete_routine"])
    assert correcting_tools.refused("delete_routine", arguments["delete_routine"])[1]["code"] == "not_found"


@pytest.mark.parametrize("name", ["update_workout", "update_routine", "update_training_plan"])
def test_what_is_wrong_is_said_at_its_place_and_nothing_changes(correcting_tools, api, arguments, name):
    before = everything(api)
    wrong = {**arguments[name], "colour": "red"}
    wrong.pop("name", wrong.pop("started_at", None))
    _, error = correcting_tools.refused(name, wrong)
    assert "arguments.colour" in paths(error)
    assert everything(api) == before


def test_calls_are_counted_as_writes(correcting_tools, account, arguments, page):
    correcting_tools.get("delete_weight", **arguments["delete_weight"])
    correcting_tools.refused("delete_weight", arguments["delete_weight"])
    counts = [counts for key, counts in unstored.take().items() if counts.refusals]
    assert [(one.writes, one.refusals) for one in counts] == [(1, 1)]


def test_the_choice_costs_no_statement(tools, correcting_tools):
    counts = []
    for client in (tools, correcting_tools):
        client.get("get_profile")  # which stores the use
        for method in ("tools/list", "ping"):
            with statements() as executed:
                client.legacy(method)
            counts.append(len(executed))
    assert counts == [1, 1, 1, 1]


def test_no_two_tools_share_a_name():
    assert not TOOLS.keys() & CORRECTIONS.keys()
    assert all(name == tool.name for name, tool in ALL_TOOLS.items())


# --- Workouts -----------------------------------------------------------------------------------


def test_a_deleted_workout_can_be_put_back(correcting_tools, arguments):
    deleted = correcting_tools.get("delete_workout", **arguments["delete_workout"])["deleted"]
    back = correcting_tools.get("log_workout", **deleted)
    own = {"id": "", "created_at": "", "updated_at": ""}
    assert back | own == deleted | own


def test_a_replacement_takes_the_word_active_for_its_plan(correcting_tools, stored, arguments):
    workout = correcting_tools.get("update_workout", **{**arguments["update_workout"], "plan_id": "active"})
    assert (workout["plan_id"], workout["plan_name"]) == (stored["plan"]["id"], "Week")


def test_a_workout_that_is_as_it_was_read_is_replaced(correcting_tools, stored, arguments):
    read_at = stored["workout"]["updated_at"]
    body = {**arguments["update_workout"], "if_updated_at": read_at}
    assert correcting_tools.get("update_workout", **body)["updated_at"] > read_at


def test_one_that_somebody_has_changed_is_not(correcting_tools, api, stored, arguments):
    body = {key: value for key, value in PUSH.items() if key != "notes"}
    changed = api.put(f"/workouts/{stored['workout']['id']}", body).json()
    wanted = {**arguments["update_workout"], "if_updated_at": stored["workout"]["updated_at"]}
    result = correcting_tools.call("update_workout", wanted)
    sentence, text = (block["text"] for block in result["content"])
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert "if_updated_at" in sentence
    assert json.loads(text) == {"error": {"code": "precondition_failed", "details": []}, "stored": changed}
    assert api.get(f"/workouts/{changed['id']}").json() == changed
    again = {**wanted, "if_updated_at": json.loads(text)["stored"]["updated_at"]}
    assert correcting_tools.get("update_workout", **again)["before"]["exercises"] == changed["exercises"]


def test_another_zone_names_the_same_moment(correcting_tools, stored, arguments):
    read_at = stored["workout"]["updated_at"].replace("Z", "+00:00")
    assert correcting_tools.get("update_workout", **{**arguments["update_workout"], "if_updated_at": read_at})


@pytest.mark.parametrize("value", ["yesterday", "2026-03-02", 7])
def test_a_version_that_is_no_time_is_refused(correcting_tools, arguments, value):
    wrong = {**arguments["update_workout"], "if_updated_at": value}
    assert paths(correcting_tools.refused("update_workout", wrong)[1]) == {"arguments.if_updated_at"}


def test_a_workout_that_would_not_fit_is_refused(correcting_tools, settings, arguments, account):
    settings.ACCOUNT_STORAGE_MB = 1
    account.state.stored.update(stored_bytes=10**9)
    larger = {**arguments["update_workout"], "notes": "x" * 5000}
    _, error = correcting_tools.refused("update_workout", larger)
    assert paths(error) == {"arguments"}


# --- Weight and measurements --------------------------------------------------------------------


def test_null_changes_nothing_of_a_weight(correcting_tools, stored, arguments):
    nulls = {"body_fat_percent": None, "notes": None, "logged_at": None}
    log = correcting_tools.get("update_weight", **{**arguments["update_weight"], **nulls})
    assert log["body_fat_percent"] == 18.5
    again = correcting_tools.call("update_weight", arguments["update_weight"])
    assert again["structuredContent"]["before"] == {}
    assert summary(again).startswith("Changed nothing: 81.4 kg")


def test_the_trend_is_that_of_rest(correcting_tools, api, stored, arguments):
    window = arguments["get_body_trend"]
    result = correcting_tools.call("get_body_trend", window)
    assert result["structuredContent"] == api.get("/stats/body", **window).json()
    assert summary(result) == "1 weight log, 82.4 kg to 82.4 kg; trend 82.4 kg."
    nothing = {"since": "2020-01-01T00:00:00Z", "until": "2020-02-01T00:00:00Z"}
    assert summary(correcting_tools.call("get_body_trend", nothing)) == "No weight was logged in this window."


# --- Routines and plans -------------------------------------------------------------------------


def test_rules_of_a_plan_are_part_of_what_was_there(correcting_tools, api, stored, arguments):
    rule = {"weekday": 1, "position": 0, "exercise_id": BENCH, "kind": "linear", "increment_kg": 2.5}
    path = f"/plans/{stored['plan']['id']}/progression"
    rules = api.put(path, {"rules": [{**rule, "misses": 3}]})
    assert rules.status_code == 200, rules.content
    days = [{**day, "exercises": []} if day["exercises"] else day for day in stored["plan"]["days"]]
    replaced = {**arguments["update_training_plan"], "days": days}
    answer = correcting_tools.get("update_training_plan", **replaced)
    assert answer["before"]["rules"] == rules.json()
    others = days[1:]
    assert answer["before"]["days"] == [stored["plan"]["days"][0]]
    again = correcting_tools.get("update_training_plan", **replaced, summary="Light")
    assert again["before"] == {"summary": ""}
    correcting_tools.get("update_training_plan", **{**replaced, "days": [*answer["before"]["days"], *others]})
    deleted = correcting_tools.get("delete_training_plan", **arguments["delete_training_plan"])["deleted"]
    assert deleted["rules"]["rules"]
    jsonschema.validate(answer, CORRECTIONS["update_training_plan"].definition["outputSchema"])


def test_a_plan_with_deload_weeks_says_where_their_count_begins(correcting_tools, tools, api):
    plan = tools.get("create_training_plan", **a_plan(name="Waves"))
    api.put(f"/plans/{plan['id']}/progression", {"rules": [], "deload_every": 5})
    result = correcting_tools.call("activate_training_plan", {"plan_id": plan["id"]})
    assert result["structuredContent"]["notices"] == [
        "Every 5 weeks one is a deload; this week is the first."
    ]


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_deload_week_at_the_end_of_the_calendar_is_counted_from_there(correcting_tools, tools, day):
    plan = tools.get("create_training_plan", **a_plan(name="Waves"))
    answer = correcting_tools.get(
        "set_progression", plan_id=plan["id"], rules=[], deload_every=4, next_deload=day
    )
    assert answer["deload_every"] == 4
    assert correcting_tools.get("get_progression", plan_id=plan["id"])["deload_every"] == 4


def test_a_plan_is_made_active_in_the_place_of_another(correcting_tools, tools, stored):
    idle = tools.get("create_training_plan", **a_plan(name="Idle"))
    result = correcting_tools.call("activate_training_plan", {"plan_id": idle["id"]})
    assert summary(result) == 'Activated: Training plan "Idle", active: 1 training day a week, 1 exercise.'
    assert result["structuredContent"]["retired"] == {"id": stored["plan"]["id"], "name": "Week"}
    assert tools.get("get_training_plan", plan_id="active")["id"] == idle["id"]
    again = correcting_tools.get("activate_training_plan", plan_id=idle["id"])
    assert (again["active"], again["retired"]) == (True, None)


def test_a_plan_is_deleted_and_its_workouts_keep_its_name(correcting_tools, tools, api, arguments):
    workout = tools.get("log_workout", **a_workout(a_set(), plan_id="active"))
    correcting_tools.get("delete_training_plan", **arguments["delete_training_plan"])
    kept = api.get(f"/workouts/{workout['id']}").json()
    assert (kept["plan_id"], kept["plan_name"]) == (None, "Week")


# --- Supplements and nutrition ------------------------------------------------------------------


@pytest.mark.parametrize("time", ["8", "24:00", "08:60", "8 pm"])
@pytest.mark.parametrize("name", ["add_supplement", "update_supplement"])
def test_a_time_of_day_is_hours_and_minutes(correcting_tools, arguments, name, time):
    _, error = correcting_tools.refused(name, {**arguments[name], "time": time})
    assert paths(error) == {"arguments.time"}


def test_an_empty_time_of_day_is_as_if_it_was_left_out(correcting_tools, arguments):
    stored = correcting_tools.get("update_supplement", **{**arguments["update_supplement"], "time": ""})
    assert (stored["time"], "time" in stored["before"]) == ("08:00", False)
    _, error = correcting_tools.refused("add_supplement", {"name": "Zinc", "time": ""})
    assert paths(error) == {"arguments.time"}


def test_a_schedule_holds_a_hundred(correcting_tools, account):
    for number in range(100):
        account.supplements.create(name=f"{number}", time="08:00")
    sentence, error = correcting_tools.refused("add_supplement", {"name": "Zinc", "time": "22:00"})
    assert "100 supplements" in sentence
    assert error["code"] == "invalid_request"
    assert account.supplements.count() == 100


def test_a_supplement_is_removed_with_its_ticks(correcting_tools, api, arguments):
    deleted = correcting_tools.get("remove_supplement", **arguments["remove_supplement"])["deleted"]
    assert deleted["ticks"] == {DAY: NOON}
    assert api.get("/supplements/logs").json()["logs"] == []


def test_a_tick_that_is_not_there_is_not_undone(correcting_tools, arguments):
    correcting_tools.get("undo_supplement_taken", **arguments["undo_supplement_taken"])
    sentence, error = correcting_tools.refused("undo_supplement_taken", arguments["undo_supplement_taken"])
    assert error["code"] == "not_found"
    assert "ticked on that day" in sentence


def test_a_tick_of_today_is_undone_without_a_day(correcting_tools, tools, arguments):
    (supplement_id,) = arguments["remove_supplement"].values()
    tick = tools.get("log_supplement_taken", supplement_id=supplement_id)
    assert correcting_tools.get("undo_supplement_taken", supplement_id=supplement_id)["deleted"] == tick


def test_a_day_is_cleared_with_its_meals(correcting_tools, api, account):
    oats = account.foods.create(name="Oats", calories=520, protein_g=38, carbs_g=66, fat_g=11)
    tick = oats.tick(datetime.date.fromisoformat(DAY))
    result = correcting_tools.call("clear_nutrition_day", {"day": DAY})
    assert summary(result) == "Deleted: 520 kcal, 38 g protein, 66 g carbs, 11 g fat on 2 Mar."
    (found,) = result["structuredContent"]["deleted"]["entries"]
    known = {"food_id": str(oats.pk), "day": DAY, "is_tick": True, "amount": 1, **tick.macros}
    assert known.items() <= found.items()
    assert api.get("/nutrition").json()["nutrition"] == []
    assert not account.food_entries.exists()
