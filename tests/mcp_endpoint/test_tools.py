"""The 22 tools: their names, arguments, results and errors."""

import json

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout, client_of, statements
from tests.mcp_endpoint.conftest import ToolClient, paths, request

NEVER = "0198c1a0-0000-7000-8000-000000000000"
DAY = "2026-03-02"
NOON = f"{DAY}T12:00:00Z"
BENCH = "barbell-bench-press"

# As specified: tool -> (required arguments, optional ones). `cursor` belongs to results with next_cursor,
# `detail` to long lists.
READ_TOOLS = {
    "get_profile": ("", ""),
    "list_workouts": ("", "since until limit cursor detail"),
    "get_workout": ("workout_id", ""),
    "get_exercise_history": ("exercise_id", "since limit cursor detail"),
    "search_exercises": ("", "query muscle_group equipment limit cursor detail"),
    "list_routines": ("", "limit cursor detail"),
    "list_training_plans": ("", "limit cursor detail"),
    "get_training_plan": ("plan_id", "detail"),
    "get_body_metrics": ("", "since limit detail of"),
    "get_nutrition": ("", "since until limit cursor detail"),
    "get_training_stats": ("", "since until"),
    "get_personal_records": ("", "limit detail"),
    "list_supplements": ("", "limit cursor"),
    "get_current_goal": ("", ""),
}
WRITE_TOOLS = {
    "log_workout": ("started_at duration_seconds exercises", "title notes plan_id plan_name"),
    "create_routine": ("name exercises", "focus"),
    "create_training_plan": ("name days", "summary progression active"),
    "log_weight": ("weight_kg", "body_fat_percent notes logged_at"),
    "log_measurements": ("", "chest_cm waist_cm hips_cm arms_cm thighs_cm neck_cm logged_at"),
    "log_nutrition": ("day calories protein_g carbs_g fat_g", ""),
    "log_supplement_taken": ("supplement_id", "day taken_at"),
    "set_goal": ("", "target_weight_kg target_body_fat_percent deadline start_weight_kg"),
}
SPECIFIED = READ_TOOLS | WRITE_TOOLS
CORRECTING = {  # of keys that may also correct and delete
    "update_workout": (
        "workout_id started_at duration_seconds exercises",
        "title notes plan_id plan_name if_updated_at",
    ),
    "delete_workout": ("workout_id", ""),
    "update_weight": ("weight_id", "weight_kg body_fat_percent notes logged_at"),
    "delete_weight": ("weight_id", ""),
    "update_measurements": (
        "measurement_id",
        "chest_cm waist_cm hips_cm arms_cm thighs_cm neck_cm logged_at",
    ),
    "delete_measurements": ("measurement_id", ""),
    "update_routine": ("routine_id name exercises", "focus"),
    "delete_routine": ("routine_id", ""),
    "update_training_plan": ("plan_id name days", "summary progression active"),
    "activate_training_plan": ("plan_id", ""),
    "get_progression": ("plan_id", ""),
    "set_progression": ("plan_id rules", "deload_every deload_percent dry_run next_deload"),
    "delete_training_plan": ("plan_id", ""),
    "add_supplement": ("name time", "dosage"),
    "update_supplement": ("supplement_id", "name dosage time"),
    "remove_supplement": ("supplement_id", ""),
    "undo_supplement_taken": ("supplement_id", "day"),
    "clear_nutrition_day": ("day", ""),
    "get_body_trend": ("", "since until"),
}
CORRECTING_READS = {"get_progression", "get_body_trend"}

KEYWORDS = {
    *("type", "properties", "required", "items", "enum", "minimum", "maximum", "minItems", "maxItems"),
    *("format", "default", "description"),
}


def a_plan(**fields):
    days = [{"weekday": weekday, "label": "Rest", "rest": True} for weekday in range(2, 8)]
    lift = {"exercise_id": BENCH, "sets": 5, "reps": 5, "weight_kg": 80}
    return {"name": "Week", "days": [{"weekday": 1, "label": "Push", "exercises": [lift]}, *days], **fields}


ARGUMENTS = {  # of every write tool but log_supplement_taken, whose id the test has to make
    "log_workout": a_workout(a_set(60, 8, type="warmup"), a_set(100, 5, rpe=8.5), title="Push"),
    "create_routine": {
        "name": "Upper",
        "exercises": [{"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 70}],
    },
    "create_training_plan": a_plan(active=True),
    "log_weight": {"weight_kg": 82.4, "body_fat_percent": 18.5, "logged_at": NOON},
    "log_measurements": {"waist_cm": 84.5, "logged_at": NOON},
    "log_nutrition": {"day": DAY, "calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74},
    "set_goal": {"target_weight_kg": 76, "deadline": "2026-06-30"},
}


@pytest.fixture
def filled(tools, account):
    """Stores something with each write tool. Returns arguments for every tool."""
    supplement = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    arguments = {**ARGUMENTS, "log_supplement_taken": {"supplement_id": str(supplement.pk), "day": DAY}}
    stored = {name: tools.get(name, **values) for name, values in arguments.items()}
    return {
        **{name: {} for name in READ_TOOLS},
        **arguments,
        "get_workout": {"workout_id": stored["log_workout"]["id"]},
        "get_training_plan": {"plan_id": stored["create_training_plan"]["id"]},
        "get_exercise_history": {"exercise_id": BENCH},
    }


# --- The list -----------------------------------------------------------------------------------


@pytest.fixture
def listed(tools):
    return tools.legacy("tools/list").json()["result"]["tools"]


@pytest.fixture
def all_listed(correcting_tools):
    return correcting_tools.legacy("tools/list").json()["result"]["tools"]


def test_tools_take_the_arguments_of_the_specification(all_listed):
    specified = SPECIFIED | CORRECTING
    assert [tool["name"] for tool in all_listed] == list(specified)
    for tool in all_listed:
        required, optional = (set(names.split()) for names in specified[tool["name"]])
        schema = tool["inputSchema"]
        assert schema.get("properties", {}).keys() == required | optional, tool["name"]
        assert set(schema.get("required", ())) == required, tool["name"]


def test_the_list_is_the_same_for_each_era_and_key_that_may_not_correct(tools, reading_tools, stranger_tools):
    lists = [client.legacy("tools/list").json()["result"] for client in (tools, reading_tools)]
    lists.append({"tools": stranger_tools.modern("tools/list").json()["result"]["tools"]})
    assert lists[0] == lists[1] == lists[2]


@pytest.mark.parametrize("noun", ["tools", "prompts"])
def test_there_is_one_page_of_each_list(tools, noun):
    assert tools.legacy(f"{noun}/list", {"cursor": None}).json()["result"].keys() == {noun}
    assert tools.legacy(f"{noun}/list", {"cursor": "x"}).json()["error"]["code"] == -32602


def test_annotations_tell_what_reads_what_destroys_and_what_may_be_repeated(all_listed):
    hints = {tool["name"]: tool["annotations"] for tool in all_listed}
    assert all(tool["title"] == tool["annotations"]["title"] for tool in all_listed)
    assert not any(hint["openWorldHint"] for hint in hints.values())
    assert {name for name, hint in hints.items() if hint["readOnlyHint"]} == {*READ_TOOLS, *CORRECTING_READS}
    corrections = CORRECTING.keys() - CORRECTING_READS - {"add_supplement"}
    destructive = {name for name, hint in hints.items() if hint.get("destructiveHint")}
    assert destructive == {"log_nutrition", *corrections} - {"activate_training_plan"}
    idempotent = {name for name, hint in hints.items() if hint.get("idempotentHint")}
    assert idempotent == {"log_nutrition", "log_supplement_taken", *corrections}


def schemas(schema):
    yield schema
    for nested in [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]:
        yield from schemas(nested)


def test_schemas_are_inline_and_use_few_keywords(all_listed):
    for tool in all_listed:
        for root in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(root)
            jsonschema.Draft7Validator.check_schema(root)
            assert root["type"] == "object"
            assert {keyword for schema in schemas(root) for keyword in schema} <= KEYWORDS


def test_every_object_of_a_schema_names_its_properties(all_listed):
    """google-genai fails at a boolean `additionalProperties`, smolagents' adapter without `properties`."""
    for tool in all_listed:
        for root in (tool["inputSchema"], tool["outputSchema"]):
            for schema in schemas(root):
                if "object" in schema["type"]:
                    assert isinstance(schema["properties"], dict), tool["name"]
                    assert set(schema.get("required", ())) <= schema["properties"].keys(), tool["name"]


def test_the_schema_of_a_record_names_what_is_always_there(all_listed):
    for tool in all_listed:
        schema = tool["outputSchema"]
        of_record = schema["properties"].keys() - {"notices"}
        is_list = tool["name"].startswith(("list_", "search_", "get_nutrition", "get_body_metrics")) or tool[
            "name"
        ] in ("get_exercise_history", "get_personal_records")
        assert is_list or set(schema["required"]) == of_record, tool["name"]


def tokens(value):
    """About how many tokens the JSON of a value takes: one for four bytes."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()) / 4


def test_what_a_model_reads_of_the_list_fits_into_its_context(listed):
    read = [{part: tool[part] for part in ("name", "description", "inputSchema")} for tool in listed]
    assert tokens(read) < 4_800


def test_what_hosts_validate_results_by_is_small(listed):
    assert tokens([tool["outputSchema"] for tool in listed]) < 3_600


def test_every_argument_of_a_write_tool_is_explained_or_plain(all_listed):
    plain = {"notes"}
    for tool in all_listed:
        for name, schema in tool["inputSchema"].get("properties", {}).items():
            assert schema.get("description") or name in plain, (tool["name"], name)


# --- Calls that succeed -------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPECIFIED)
def test_a_result_is_a_line_of_text_the_json_and_the_same_structured(tools, filled, name):
    nulls = dict.fromkeys(SPECIFIED[name][1].split())  # of what is optional: as if it were left out
    result = tools.call(name, nulls | filled[name])
    assert result["isError"] is False, result
    line, text = (block["text"] for block in result["content"])
    assert line
    assert "\n" not in line
    assert json.loads(text) == result["structuredContent"]
    assert text == json.dumps(result["structuredContent"], separators=(",", ":"), ensure_ascii=False)
    jsonschema.validate(result["structuredContent"], TOOLS[name].definition["outputSchema"])
    jsonschema.validate(filled[name], TOOLS[name].definition["inputSchema"])


READS = {  # read tools -> path of the REST operation with the same result, and statements that notices add
    "get_profile": ("/me", 0),
    "list_workouts": ("/workouts", 0),
    "get_workout": ("/workouts/{workout_id}", 0),
    "get_exercise_history": ("/exercises/{exercise_id}/history", 2),  # which are assisted, and times
    "search_exercises": ("/exercises", 0),
    "list_routines": ("/routines", 0),
    "list_training_plans": ("/plans", 0),
    "get_training_plan": ("/plans/{plan_id}", 0),
    "get_nutrition": ("/nutrition", 0),
    "get_training_stats": ("/stats/training", 1),  # weeks
    "get_personal_records": ("/stats/records", 1),  # which are assisted
    "list_supplements": ("/supplements", 1),  # ticks
    "get_current_goal": ("/goals/current", 0),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_tool_returns_what_rest_does_in_as_many_statements(tools, api, filled, name):
    path, more = READS[name]
    window = {"since": NOON, "until": "2026-04-01T00:00:00Z"} if name == "get_training_stats" else {}
    with statements() as by_rest:
        response = api.get(path.format(**filled[name]), **window)
    with statements() as by_tool:
        found = tools.get(name, **filled[name], **window)
    assert found.items() <= response.json().items()
    assert response.json().keys() - found.keys() <= {"next_cursor"}
    assert len(by_tool) == len(by_rest) + more, by_tool


def test_body_metrics_and_records_have_no_next_cursor(tools, api, filled):
    weight, measurements = (api.get(f"/body/{kind}").json() for kind in ("weight", "measurements"))
    expected = {"weight": weight["weight"], "measurements": measurements["measurements"]}
    assert tools.get("get_body_metrics") == expected
    assert tools.get("get_personal_records").keys() == {"records"}
    for name in ("get_body_metrics", "get_personal_records"):
        assert paths(tools.refused(name, {"cursor": "x"})[1]) == {"arguments.cursor"}


def test_nutrition_is_replaced_and_a_tick_repeated_without_harm(tools, account, filled):
    tools.get("log_nutrition", **{**ARGUMENTS["log_nutrition"], "calories": 10})
    assert [day["calories"] for day in tools.get("get_nutrition")["nutrition"]] == [10]
    first, second = (tools.get("log_supplement_taken", **filled["log_supplement_taken"]) for _ in range(2))
    assert first == second
    assert account.supplement_logs.count() == 1


def test_a_tick_is_for_today_unless_the_day_is_given(tools, account, time_machine):
    time_machine.move_to("2026-03-05T23:30:00Z", tick=False)
    supplement = account.supplements.create(name="Zinc", time="22:00")
    tick = tools.get("log_supplement_taken", supplement_id=str(supplement.pk))
    assert (tick["day"], tick["taken_at"]) == ("2026-03-05", "2026-03-05T23:30:00Z")


@pytest.mark.parametrize(
    ("taken_at", "day"),
    [
        ("2026-03-04T22:00:00Z", "2026-03-04"),
        ("2026-03-06T00:30:00+02:00", "2026-03-05"),  # days are those of UTC
        ("2026-03-04T23:30:00-05:00", "2026-03-05"),
    ],
)
def test_a_tick_without_a_day_is_for_the_day_it_was_taken(tools, api, account, time_machine, taken_at, day):
    time_machine.move_to("2026-03-08T23:30:00Z", tick=False)
    supplement_id = str(account.supplements.create(name="Zinc", time="22:00").pk)
    tick = tools.get("log_supplement_taken", supplement_id=supplement_id, taken_at=taken_at)
    assert tick["day"] == day
    other = tools.get("log_supplement_taken", supplement_id=supplement_id, taken_at=taken_at, day=DAY)
    assert other["day"] == DAY
    by_rest = api.post(f"/supplements/{supplement_id}/logs", {"taken_at": taken_at}).json()
    assert by_rest["day"] == "2026-03-08"


NULLS = {  # optional fields of what arguments hold
    "log_workout": {"exercises": "notes superset_id", "sets": "type completed rpe"},
    "create_routine": {"exercises": "note"},
    "create_training_plan": {"days": "focus", "exercises": "note"},
}


def with_nulls(value, optional):
    """A copy of arguments in which every nested object has null for its optional fields."""
    copy = dict(value)
    for name, nested in value.items():
        if isinstance(nested, list):
            nulls = dict.fromkeys(optional[name].split(), None)
            copy[name] = [nulls | with_nulls(item, optional) for item in nested]
    return copy


@pytest.mark.parametrize("name", NULLS)
def test_null_means_left_out_at_every_level(tools, name):
    own = {"id", "created_at", "updated_at"}
    plain = tools.get(name, **ARGUMENTS[name])
    nulls = with_nulls(ARGUMENTS[name], NULLS[name])
    assert nulls != ARGUMENTS[name]
    stored = tools.get(name, **nulls)
    assert {key: plain[key] for key in plain.keys() - own} == {key: stored[key] for key in plain.keys() - own}


def test_a_day_off_may_have_null_in_place_of_its_exercises_and_a_training_day_of_rest(tools):
    days = [
        {**day, "exercises": None} if day.get("rest") else {**day, "rest": None} for day in a_plan()["days"]
    ]
    assert tools.get("create_training_plan", name="Week", days=days)["days_per_week"] == 1


def test_null_for_a_required_argument_is_rejected_at_every_level(tools):
    workout = a_workout({"weight_kg": None, "reps": 5})
    assert paths(tools.refused("log_workout", workout)[1]) == {"arguments.exercises[0].sets[0].weight_kg"}


def test_null_is_not_offered(all_listed):
    for tool in all_listed:
        assert "null" not in json.dumps(tool["inputSchema"]), tool["name"]


def test_the_active_plan_needs_no_id(tools, stranger_tools, django_assert_num_queries):
    stranger_tools.get("create_training_plan", **a_plan(name="Another", active=True))
    plan = tools.get("create_training_plan", **a_plan(active=True))
    tools.get("create_training_plan", **a_plan(name="Idle"))
    with django_assert_num_queries(3):  # one of them for the key
        assert tools.get("get_training_plan", plan_id="active") == plan
    logged = tools.get("log_workout", **a_workout(a_set(), plan_id="active"))
    assert (logged["plan_id"], logged["plan_name"]) == (plan["id"], "Week")


# --- Pages and lines ------------------------------------------------------------------------


def line(tools, name, **arguments):
    return tools.call(name, arguments)["content"][0]["text"]


def test_since_and_limit_narrow_what_has_no_twin_in_rest(tools):
    for day in (1, 2, 3):
        tools.get("log_workout", **a_workout(a_set(), started_at=f"2026-03-0{day}T10:00:00Z"))
        tools.get("log_weight", weight_kg=80 + day, logged_at=f"2026-03-0{day}T10:00:00Z")
    since = "2026-03-02T10:00:00Z"
    sessions = tools.get("get_exercise_history", exercise_id=BENCH, since=since)["sessions"]
    assert [session["started_at"][:10] for session in sessions] == ["2026-03-03", "2026-03-02"]
    first = tools.get("get_exercise_history", exercise_id=BENCH, limit=1)
    second = tools.get("get_exercise_history", exercise_id=BENCH, limit=1, cursor=first["next_cursor"])
    assert second["sessions"] == sessions[1:]
    assert [log["weight_kg"] for log in tools.get("get_body_metrics", since=since)["weight"]] == [83, 82]
    assert [log["weight_kg"] for log in tools.get("get_body_metrics", limit=1)["weight"]] == [83]


def test_a_line_says_how_much_is_shown_and_whether_there_is_more(tools):
    for _ in range(2):
        tools.get("log_workout", **a_workout(a_set(), started_at="2025-03-02T10:00:00Z"))
    assert line(tools, "list_workouts") == "2 workouts, 2 Mar 2025."
    assert line(tools, "list_workouts", limit=1) == "1 workout, 2 Mar 2025; more with cursor."
    assert line(tools, "search_exercises", query="no such thing") == "0 exercises."


def test_a_name_with_a_line_break_stays_in_the_line(tools):
    stored = tools.call("create_training_plan", a_plan(name="{id}\n{0.__class__}"))
    assert stored["content"][0]["text"].startswith('Saved: Training plan "{id} {0.__class__}", ')


# --- Refusals -----------------------------------------------------------------------------------

UNKNOWN_IDS = [
    ("get_workout", "workout_id", "list_workouts"),
    ("get_training_plan", "plan_id", "list_training_plans"),
    ("get_exercise_history", "exercise_id", "search_exercises"),
    ("log_supplement_taken", "supplement_id", "list_supplements"),
]


@pytest.mark.parametrize(("name", "argument", "source"), UNKNOWN_IDS)
@pytest.mark.parametrize("value", [NEVER, "Push day", "\u0660", "x" * 5000])
def test_the_error_of_an_unknown_id_names_the_tool_that_lists_ids(tools, name, argument, source, value):
    sentence, error = tools.refused(name, {argument: value})
    assert error["code"] == "not_found"
    assert paths(error) == {f"arguments.{argument}"}
    assert argument in sentence
    assert source in sentence


def test_an_unknown_exercise_names_the_three_nearest(tools):
    workout = a_workout(a_set(), exercise_id="Bench Press")
    for name, arguments in (
        ("get_exercise_history", {"exercise_id": "Bench Press"}),
        ("log_workout", workout),
    ):
        sentence, _ = tools.refused(name, arguments)
        near = sentence.split("nearest ids are ")[1].split(";")[0].split(", ")
        assert len(near) == 3
        assert "barbell-bench-press" in near


def test_many_unknown_exercises_are_rejected_quickly_and_all_named(tools, django_assert_max_num_queries):
    body = a_workout()
    body["exercises"] = [{"exercise_id": f"bench-{number}", "sets": []} for number in range(100)]
    with django_assert_max_num_queries(5):
        sentence, error = tools.refused("log_workout", body)
    assert len(error["details"]) == 100
    assert "and 90 more problems" in sentence
    assert len(sentence) < 5000


WRONG = [
    ("list_workouts", {"limit": 0}, "arguments.limit"),
    ("list_workouts", {"limit": 101}, "arguments.limit"),
    ("list_workouts", {"limit": "10"}, "arguments.limit"),
    ("list_workouts", {"since": "2026-03-02"}, "arguments.since"),
    ("list_workouts", {"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, "arguments.since"),
    ("list_workouts", {"cursor": "abc"}, "arguments.cursor"),
    ("get_nutrition", {"since": NOON}, "arguments.since"),
    ("get_profile", {"account": "me"}, "arguments.account"),
    ("get_workout", {}, "arguments.workout_id"),
    ("get_workout", {"workout_id": None}, "arguments.workout_id"),
    ("get_workout", {"workout_id": 7}, "arguments.workout_id"),
    ("log_measurements", {}, "arguments"),
    ("log_measurements", {"waist_cm": None}, "arguments"),
    ("log_nutrition", {**ARGUMENTS["log_nutrition"], "day": "today"}, "arguments.day"),
    ("create_training_plan", a_plan(days=[]), "arguments.days"),
    ("log_workout", a_workout(plan_id=NEVER), "arguments.plan_id"),
]


@pytest.mark.parametrize(("name", "arguments", "place"), WRONG)
def test_a_wrong_argument_is_rejected_at_its_place(tools, name, arguments, place):
    sentence, error = tools.refused(name, arguments)
    assert paths(error) == {place}
    assert f"{place}: " in sentence


def test_a_cursor_of_another_list_or_account_is_rejected(tools, stranger_tools):
    for _ in range(2):
        tools.get("create_routine", **ARGUMENTS["create_routine"])
    cursor = tools.get("list_routines", limit=1)["next_cursor"]
    for client, name in ((stranger_tools, "list_routines"), (tools, "list_workouts")):
        assert paths(client.refused(name, {"cursor": cursor})[1]) == {"arguments.cursor"}


def test_a_stranger_s_record_is_not_found(stranger_tools, filled):
    for name in ("get_workout", "get_training_plan", "log_supplement_taken"):
        (argument,) = (each for each in filled[name] if each.endswith("_id"))
        results = [stranger_tools.call(name, {argument: value}) for value in (filled[name][argument], NEVER)]
        assert results[0] == results[1]
        assert results[0]["isError"]


def test_a_stranger_s_lists_stay_empty(stranger_tools, filled):
    for name in ("list_workouts", "list_routines", "list_training_plans", "list_supplements"):
        assert stranger_tools.get(name)["next_cursor"] is None
        assert not next(iter(stranger_tools.get(name).values()))
    assert stranger_tools.get("get_body_metrics") == {"weight": [], "measurements": []}
    assert stranger_tools.get("get_personal_records") == {"records": []}


def test_a_stranger_s_plan_is_unknown(stranger_tools, filled):
    plan_id = filled["get_training_plan"]["plan_id"]
    results = [stranger_tools.call("log_workout", a_workout(plan_id=each)) for each in (plan_id, NEVER)]
    assert results[0] == results[1]


class TestReadingKey:
    """May call every read tool. Calling a write tool is an error with the reason, and ends no session."""

    @pytest.mark.parametrize("name", READ_TOOLS)
    def test_reads_everything_and_stores_nothing(self, reading_tools, filled, name):
        reading_tools.get("get_profile")  # its key is noted as used, once a minute
        with statements() as run:
            reading_tools.get(name, **filled[name])
        assert [sql for sql in run if not sql.lstrip("(").startswith("SELECT")] == []

    @pytest.fixture
    def stored(self, account):
        return lambda: account.weight_logs.count() + account.goals.count() + account.workouts.count()

    @pytest.mark.parametrize("name", [*ARGUMENTS, *sorted(CORRECTING.keys() - CORRECTING_READS)])
    @pytest.mark.parametrize("era", ["modern", "bare"])
    def test_gets_403_for_a_write_before_its_arguments_are_read(self, reading_tools, stored, name, era):
        params = {"name": name, "arguments": ARGUMENTS.get(name, {"any": 1})}
        bare = request("tools/call", params)
        answer = reading_tools.post(bare) if era == "bare" else reading_tools.modern("tools/call", params)
        assert answer.status_code == 403
        assert 'error="insufficient_scope", scope="write"' in answer["WWW-Authenticate"]
        assert answer.json()["id"] == 1
        error = answer.json()["error"]
        assert error["data"] == {"code": "insufficient_scope"}
        assert "Settings, Developer" in error["message"]
        assert ("may also correct and delete" in error["message"]) is (name in CORRECTING)
        assert stored() == 0

    @pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
    @pytest.mark.parametrize("name", ["log_weight", "delete_workout"])
    def test_gets_a_result_where_403_would_end_the_session(self, reading_tools, stored, version, name):
        params = {"name": name, "arguments": {"weight_kg": 80}}
        answer = reading_tools.legacy("tools/call", params, version)
        sentence, envelope = (block["text"] for block in answer.json()["result"]["content"])
        assert answer.status_code == 200
        assert answer.json()["result"]["isError"] is True
        assert "Settings, Developer" in sentence
        assert json.loads(envelope)["error"]["code"] == "insufficient_scope"
        assert stored() == 0

    def test_may_read_in_the_batch_that_may_not_write(self, reading_tools):
        calls = [
            request("tools/call", {"name": name, "arguments": arguments}, id=name)
            for name, arguments in (("get_profile", {}), ("log_weight", {"weight_kg": 80}))
        ]
        read, write = reading_tools.post(calls).json()
        assert read["result"]["isError"] is False
        assert write["error"]["data"] == {"code": "insufficient_scope"}


# --- Faults -------------------------------------------------------------------------------------


def test_a_bug_in_a_tool_is_an_internal_error(tools, monkeypatch):
    monkeypatch.setattr("fitness.db.keysets.Keyset.page_of", lambda *args, **values: 1 / 0)
    sentence, error = tools.refused("list_workouts")
    assert error["code"] == "internal_error"
    assert "Zero" not in sentence


@pytest.mark.parametrize("fault", ["OperationalError", "InterfaceError", "IntegrityError"])
def test_a_database_error_in_a_tool_asks_for_a_retry(tools, monkeypatch, fault):
    import django.db

    def fail(*args, **values):
        raise getattr(django.db, fault)("secret detail")

    monkeypatch.setattr("fitness.db.keysets.Keyset.page_of", fail)
    sentence, error = tools.refused("list_workouts")
    assert error["code"] == "unavailable"
    assert "Retry" in sentence
    assert "secret" not in sentence


def test_a_write_that_fails_halfway_leaves_nothing(tools, account, monkeypatch):
    monkeypatch.setattr("training.models.workout.exercise_columns", lambda entries: [1 / 0])
    tools.refused("log_workout", ARGUMENTS["log_workout"])
    assert not account.workouts.exists()


WRITES = {  # write tools -> method and path of the REST operation, and how many statements its notices add
    "log_workout": ("POST", "/workouts", 2),  # one more where no workout starts at the same moment
    "create_routine": ("POST", "/routines", 0),
    "create_training_plan": ("POST", "/plans", 0),
    "log_weight": ("POST", "/body/weight", 1),
    "log_measurements": ("POST", "/body/measurements", 1),
    "log_nutrition": ("PUT", f"/nutrition/{DAY}", 1),
    "log_supplement_taken": ("POST", "/supplements/{supplement_id}/logs", 1),
    "set_goal": ("POST", "/goals", 1),
}


@pytest.mark.parametrize("name", WRITES)
def test_the_notices_of_a_write_take_a_fixed_number_of_statements(tools, api, filled, name):
    method, path, more = WRITES[name]
    in_path = {"log_nutrition": "day", "log_supplement_taken": "supplement_id"}.get(name)
    body = {key: value for key, value in filled[name].items() if key != in_path}
    with statements() as by_rest:
        assert api.call(method, path.format(**filled[name]), body).status_code in (200, 201)
    with statements() as by_tool:
        tools.get(name, **filled[name])
    assert len(by_tool) == len(by_rest) + more, by_tool


def test_the_list_of_tools_takes_the_key_and_nothing_else(tools, django_assert_num_queries):
    tools.legacy("ping")
    with django_assert_num_queries(1):
        tools.legacy("tools/list")


def test_each_key_reads_its_own_account(tools, account, stranger):
    assert tools.get("get_profile")["email"] == account.email
    assert ToolClient(client_of(stranger).key).get("get_profile")["email"] == stranger.email
