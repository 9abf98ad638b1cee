"""The tools: both eras of the protocol, right and wrong arguments, and what is no call of a tool."""

from tests.corpus.filling import ASSISTED, BENCH, SQUAT, a_set, entry, week, workout
from tests.corpus.rest import NEVER

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")
PREFIX = "io.modelcontextprotocol/"
PAGES = {"extensions": {f"{PREFIX}ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}

BRIEF = {"detail": "brief"}
SINCE, UNTIL = {"since": "2026-10-01T00:00:00Z"}, {"until": "2026-11-01T00:00:00Z"}
LIFTS = (BENCH, SQUAT, ASSISTED, "plank", "{own}", "bench", "pull-ups")
TEXTS = ("squats", "RDL", "Bankdrücken", "zzz", "", "dragon", "press")
READS = {
    "get_profile": ({},),
    "list_workouts": (
        *({}, {"limit": 3}, {**BRIEF, "limit": 4}, {**SINCE, **UNTIL, **BRIEF}),
        *({"cursor": "x"}, {"since": "2026-11-01"}),
    ),
    "get_workout": ({"workout_id": "{workout}"}, {"workout_id": NEVER}),
    "get_exercise_history": (
        *({"exercise_id": one, "limit": 3} for one in LIFTS),
        *({"exercise_id": BENCH, **BRIEF}, {"exercise_id": BENCH, **SINCE}),
    ),
    "search_exercises": (
        *({"query": one, "limit": 3} for one in TEXTS),
        {"query": "squat", **BRIEF},
        *({"muscle_group": "Chest", "equipment": "Band"}, {"muscle_group": "chest"}),
    ),
    "list_routines": ({}, BRIEF, {"limit": 1}),
    "list_training_plans": ({"limit": 1}, BRIEF),
    "get_training_plan": ({"plan_id": "{plan}"}, {"plan_id": "active"}, {"plan_id": "x"}),
    "get_body_metrics": (
        {"limit": 3},
        {**BRIEF, "of": "weight"},
        {**BRIEF, "of": "measurements", "limit": 3},
        {**SINCE, "of": "both"},
    ),
    "get_nutrition": ({"limit": 3}, BRIEF, {"since": "2026-11-01", "until": "2026-11-05"}),
    "get_training_stats": ({}, {**SINCE, **UNTIL}, {"until": "2026-12-24T00:00:00Z"}),
    "get_personal_records": ({"limit": 5}, BRIEF),
    "list_supplements": ({}, {"limit": 1}),
    "get_current_goal": ({},),
}
TOTALS = {"calories": 2000, "protein_g": 150, "carbs_g": 200, "fat_g": 60}
WRITES = {
    "log_workout": (
        workout(
            (BENCH, [a_set(60, 10, type="warmup"), a_set(130, 2)]), (ASSISTED, [a_set(25, 8)]), title="Push"
        ),
        workout((BENCH, [a_set(130, 2)]), title="Push", plan_id="{plan_id}"),
        workout((BENCH, [a_set(300, 0)]), started_at="2027-01-02T10:00:00Z", id=NEVER),
        workout(("bench", [a_set()])),
        workout((BENCH, [{"weight_lb": 180, "reps": 5}])),
        workout((BENCH, [{"weight": 180, "reps": "5"}])),
        {"started_at": "2026-11-17T10:00:00", "duration_seconds": 60, "exercises": []},
        {"started_at": "2026-11-17T10:00:00Z", "duration_seconds": 60, "exercises": "[]"},
    ),
    "create_routine": (
        {"name": "Legs", "exercises": [entry(SQUAT)], "focus": None},
        {"name": "Legs", "exercises": [entry("squat")]},
    ),
    "create_training_plan": (
        {"name": "Week", "days": week(entry()), "active": True},
        {"name": "Week", "days": week(entry(), weekday=8)},
        {"title": "Week", "days": []},
    ),
    "log_weight": (
        {"weight_kg": 81.4, "body_fat_percent": 0.17},
        {"weight_kg": 181},
        {"weight_lb": 180},
        {"weight": 180, "unit": "lb"},
    ),
    "log_measurements": ({"waist_cm": 81}, {}, {"waist_in": 32}),
    "log_nutrition": (
        {"day": "2026-11-16", **TOTALS},
        {"day": "2026-11-16", **TOTALS, "fat_g": 61},
        {"day": "today", **TOTALS},
    ),
    "log_supplement_taken": ({"supplement_id": "{supplement}"}, {"supplement_id": NEVER}),
    "set_goal": ({"target_weight_kg": 77, "deadline": "2027-04-01"}, {}, {"goal": "lean"}),
}
RULE = {"weekday": 1, "position": 0, "exercise_id": BENCH, "kind": "linear", "increment_kg": 2.5}
CORRECTIONS = {
    "update_workout": (
        {"workout_id": "{workout_id}", **workout((BENCH, [a_set(90, 5)]))},
        {"workout_id": "{workout_id}", "if_updated_at": "2026-01-01T00:00:00Z", **workout()},
    ),
    "update_weight": ({"weight_id": "{weight_id}", "weight_kg": 80},),
    "update_measurements": ({"measurement_id": "{measurement_id}", "hips_cm": 97},),
    "get_progression": ({"plan_id": "{plan_id}"}, {"plan_id": "active"}, {"plan_id": "x"}),
    "set_progression": (
        {"plan_id": "{plan_id}", "rules": [RULE], "dry_run": True},
        {"plan_id": "{plan_id}", "rules": [RULE], "deload_every": 6, "next_deload": "2026-12-02"},
        {"plan_id": "active", "rules": [{**RULE, "exercise_id": SQUAT}]},
        {"plan_id": "{plan_id}", "rules": [], "next_deload": "2026-12-02"},
    ),
    "update_routine": ({"routine_id": "{routine_id}", "name": "B", "exercises": []},),
    "update_training_plan": ({"plan_id": "{plan_id}", "name": "B", "days": week()},),
    "activate_training_plan": ({"plan_id": "{plan_id}"},),
    "add_supplement": ({"name": "Iron", "time": "07:00"}, {"name": "Iron", "time": "7"}),
    "update_supplement": ({"supplement_id": "{supplement}", "dosage": "9 g"},),
    "undo_supplement_taken": ({"supplement_id": "{supplement}", "day": "2026-11-17"},),
    "remove_supplement": ({"supplement_id": "{supplement}"},),
    "clear_nutrition_day": ({"day": "2026-11-16"}, {"day": "2020-01-01"}),
    "get_body_trend": ({}, {**SINCE}),
    "delete_weight": ({"weight_id": "{weight_id}"},),
    "delete_measurements": ({"measurement_id": "{measurement_id}"},),
    "delete_routine": ({"routine_id": "{routine_id}"},),
    "delete_training_plan": ({"plan_id": "{plan_id}"},),
    "delete_workout": ({"workout_id": "{workout_id}"}, {"workout_id": "{workout_id}"}),
}


def message(method, params=None, **fields):
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": 1, "method": method, **given, **fields}


def meta(version=MODERN, capabilities=None):
    return {f"{PREFIX}protocolVersion": version, f"{PREFIX}clientCapabilities": capabilities or {}}


def bare(caller, method, params=None, label="", headers=None):
    return caller.call("POST", "/mcp", message(method, params), headers, label=f"{method} {label}")


def bare_call(caller, name, arguments, label=""):
    return bare(caller, "tools/call", {"name": name, "arguments": arguments}, f"{name}{label}")


def legacy(caller, method, params=None, label="", version=LEGACY[0], **headers):
    return bare(caller, method, params, f"{version} {label}", {"MCP-Protocol-Version": version, **headers})


def modern(caller, method, params=None, label="", capabilities=None, **headers):
    params = {"_meta": meta(capabilities=capabilities), **(params or {})}
    routing = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if name := params.get("name") or params.get("uri"):
        routing["Mcp-Name"] = name
    return bare(caller, method, params, f"modern {label}", routing | headers)


def placed(value, ids):
    if isinstance(value, str):
        return ids.get(value[1:-1], value) if value.startswith("{") else value
    if isinstance(value, dict):
        return {key: placed(one, ids) for key, one in value.items()}
    return [placed(one, ids) for one in value] if isinstance(value, list) else value


def call(caller, tools, ids, eras=(legacy, modern)):
    """Calls each of the tools with each of its arguments, and then with what it does not take."""
    for name, rows in tools.items():
        for number, arguments in enumerate(rows, 1):
            for era in eras:
                params = {"name": name, "arguments": placed(arguments, ids)}
                era(caller, "tools/call", params, f"{name} {number}")
        wrong = {
            "none": None,
            "unknown": {**rows[0], "nope": 1},
            "null": dict.fromkeys(rows[0]),
            "empty": dict.fromkeys(rows[0], ""),
            "numbers": dict.fromkeys(rows[0], -1),
            "limit": {**rows[0], "limit": 1_000},
            "a list": [],
        }
        for label, arguments in wrong.items():
            bare_call(caller, name, placed(arguments, ids), f" {label}")


def read(accounts):
    ids = accounts.ids
    call(accounts.rich, READS, ids)
    for name, (arguments, *_) in READS.items():
        arguments = placed(arguments, ids)
        for caller in (accounts.empty, accounts.stranger, accounts.reader):
            bare_call(caller, name, arguments)
        params = {"name": name, "arguments": arguments}
        modern(accounts.rich, "tools/call", params, f"{name} with pages", PAGES)
    for name, (arguments, *_) in {**WRITES, **CORRECTIONS}.items():
        for era in (bare, legacy, modern):
            era(accounts.reader, "tools/call", {"name": name, "arguments": arguments}, name)
        if name in CORRECTIONS:
            bare_call(accounts.rich, name, arguments)


def speak(accounts):
    """The protocol around the calls."""
    rich = accounts.rich
    for caller in (rich, accounts.reader, accounts.correcting, accounts.nobody, accounts.expired):
        for era in (bare, legacy, modern):
            era(caller, "tools/list")
            era(caller, "ping")
        for method in ("GET", "HEAD", "DELETE", "OPTIONS"):
            caller.call(method, "/mcp")
            caller.call(method, "/mcp/x")
    for version in (*LEGACY, MODERN, "2024-11-05", 1):
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {}}
        bare(rich, "initialize", params, str(version))
    session = {"Mcp-Session-Id": f"{PREFIX}ui"}
    params = {"protocolVersion": LEGACY[0], "capabilities": PAGES, "clientInfo": {}}
    bare(rich, "initialize", params, "with pages")
    legacy(rich, "tools/list", label="with pages", **session)
    listed = legacy(rich, "resources/list", label="with pages", **session).json()["result"]["resources"]
    for resource in (*listed, {"uri": "ui://nothing"}):
        legacy(rich, "resources/read", {"uri": resource["uri"]}, resource["uri"], **session)
        modern(rich, "resources/read", {"uri": resource["uri"]}, resource["uri"], PAGES)
    ask_all(rich)
    malformed(rich)


def ask_all(rich):
    """Each method in each era, and prompts and tools whose names are none."""
    methods = (
        *("server/discover", "prompts/list", "resources/list", "resources/templates/list"),
        *("logging/setLevel", "completion/complete", "notifications/initialized", "tasks/list", "nothing"),
        "subscriptions/listen",
    )
    for method in methods:
        for era in (bare, legacy, modern):
            era(rich, method)
            era(rich, method, {"cursor": "x"}, "cursor")
    prompts = {"weekly_review": {}, "plan_next_week": {"wishes": "No legs."}}
    for name, arguments in {**prompts, "log_from_text": {"text": "3x5 <b>"}}.items():
        for era in (legacy, modern):
            era(rich, "prompts/get", {"name": name, "arguments": arguments}, name)
            era(rich, "prompts/get", {"name": name, "arguments": {"nope": "x"}}, f"{name} wrong")
    wrong = {"unknown": {"name": "nope"}, "none": {}, "number": {"name": 1}, "list": [], "null": None}
    for label, params in wrong.items():
        for era in (bare, legacy):
            era(rich, "tools/call", params, label)
            era(rich, "prompts/get", params, label)
    modern(rich, "tools/list", label="another method", **{"Mcp-Method": "ping"})
    modern(rich, "tools/call", {"name": "get_profile"}, "another name", **{"Mcp-Name": "x"})
    modern(rich, "tools/list", {"_meta": {}}, "no meta")
    never = "2030-01-01"
    modern(rich, "tools/list", {"_meta": meta(never)}, "unknown version", **{"MCP-Protocol-Version": never})


def malformed(rich):
    bodies = {
        "cut off": b'{"jsonrpc": ',
        "NaN": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}',
        "the same key twice": b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}',
        "very deep": b"[" * 100_000,
        "too large": b'{"a": "' + b"a" * 262_144 + b'"}',
        "nothing": b"",
    }
    one = message("ping")
    bodies |= {
        "a batch": [one, message("nothing"), message("notifications/x"), 1],
        "an empty batch": [],
        "a batch of 60": [one] * 60,
        "a notification": {"jsonrpc": "2.0", "method": "ping"},
        "a response": {"jsonrpc": "2.0", "id": 1, "result": {}},
        **{f"id {value}": message("ping", id=value) for value in (None, True, 1.5, {}, "a", 10**20)},
        "version 1.0": message("ping", jsonrpc="1.0"),
        "method 7": message(7),
    }
    for label, body in bodies.items():
        rich.call("POST", "/mcp", body, label=label)
        rich.call("POST", "/mcp", body, {"MCP-Protocol-Version": "2025-03-26"}, label=f"2025-03-26 {label}")
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1"}):
        rich.call("POST", "/mcp", one, headers, label=str(headers))
    both = "application/json, text/event-stream"
    for accept in ("text/event-stream", "text/html", "application/*", "*/*", both):
        rich.call("POST", "/mcp", one, {"Accept": accept}, label=accept)
    for kind in ("text/plain", "application/json; charset=latin1", ""):
        rich.call("POST", "/mcp", one, type=kind, label=kind)
    rich.call("POST", "/mcp/", one)


def write(accounts):
    bare_call(accounts.correcting, "add_supplement", {"name": "Creatine", "time": "08:00"}, " first")
    ids = {**accounts.ids["writer"], "supplement": newest(accounts.correcting, "/supplements")}
    call(accounts.correcting, WRITES, ids)
    paths = {one: f"/{one}s" for one in ("workout", "routine", "plan")}
    for name, path in {**paths, "weight": "/body/weight", "measurement": "/body/measurements"}.items():
        ids[f"{name}_id"] = newest(accounts.correcting, path)
    call(accounts.correcting, CORRECTIONS, ids)


def newest(caller, path):
    headers = {"Authorization": f"Bearer {caller.key}"}
    return caller.client.get(f"/api/v1{path}", headers=headers).json()[path.rpartition("/")[2]][0]["id"]
