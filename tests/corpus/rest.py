"""REST: what is read, how lists are paged, and each way to be refused."""

import copy
import json
import re

from tests.corpus.filling import ASSISTED, BENCH, RULES, SQUAT, a_set, entry, week, workout

LIMITS = (
    *(f"limit={one}" for one in (1, 100, 0, 101, "x", "", 2.0)),
    *("limit=5&limit=6", "cursor=abc", "nope=1"),
)
MOMENTS = (
    "since=2026-11-01T00:00:00Z",
    "until=2026-10-20T00:00:00Z",
    "since=2026-10-01T02:00:00%2B02:00&until=2026-10-15T00:00:00.5Z",
    "since=2026-11-02T00:00:00Z&until=2026-11-01T00:00:00Z",
    *("since=2026-11-01", "since=2026-11-01T00:00:00", "until=2026-11-01T00:00:60Z", "since=", "until=soon"),
)
DAYS = (
    *("since=2026-11-01", "until=2026-10-20", "since=2026-10-01&until=2026-10-15"),
    *("since=2026-11-02&until=2026-11-01", "since=2026-11-01T00:00:00Z", "since=2026-02-30", "until="),
)
TEXTS = ("squat", "RDL", "pull%20up", "chin", "military%20press", "zzz", "", "%00", "db%20press", "mine")
SEARCHES = (
    *(f"q={text}" for text in (*TEXTS, "Dragon", "Klimmzug", "press&limit=3", "assisted&limit=4")),
    *("muscle_group=Chest&limit=5", "equipment=Band", "muscle_group=Legs&equipment=Barbell&q=squats"),
    *("muscle_group=chest", "equipment=Anvil", "muscle_group="),
)
EXERCISES = (BENCH, SQUAT, ASSISTED, "pull-up", "plank", "barbell-curl")
LISTS = {  # (name in the answer, queries)
    "/exercises": ("exercises", (*LIMITS, *SEARCHES)),
    **{f"/exercises/{one}/history": ("sessions", (*LIMITS[:1], *MOMENTS[:3])) for one in EXERCISES},
    "/exercises/nothing-such/history": ("sessions", ()),
    "/workouts": ("workouts", (*LIMITS[2:], *MOMENTS)),
    "/workouts/events": ("events", (*LIMITS[2:], MOMENTS[0], MOMENTS[4], "until=2026-11-01T00:00:00Z")),
    "/routines": ("routines", LIMITS),
    "/plans": ("plans", LIMITS),
    "/body/weight": ("weight", (*LIMITS, *MOMENTS)),
    "/body/measurements": ("measurements", (*LIMITS, *MOMENTS)),
    "/nutrition": ("nutrition", (*LIMITS, *DAYS)),
    "/supplements": ("supplements", LIMITS),
    "/supplements/logs": ("logs", (*LIMITS, *DAYS)),
    "/goals": ("goals", LIMITS),
    "/stats/records": ("records", LIMITS),
    "/routines/{routine}/progression/steps": ("steps", LIMITS[:4]),
    "/plans/{plan}/progression/steps": ("steps", LIMITS[:4]),
}
OTHERS = {
    "/me": ("nope=1",),
    **{f"/exercises/{one}": () for one in (*EXERCISES, "{own}")},
    **{f"/exercises/{one}": () for one in ("nothing-such", "Pull-Up", "%00", "pull-up/")},
    f"/exercises/{'a' * 200}": (),
    "/workouts/count": (*MOMENTS, "limit=1"),
    "/workouts/{workout}": ("nope=1",),
    "/routines/{routine}": ("nope=1",),
    "/plans/{plan}": ("nope=1",),
    "/routines/{routine}/progression": (),
    "/plans/{plan}/progression": (),
    "/nutrition/2026-11-17": (),
    "/nutrition/2020-01-01": (),
    "/nutrition/2026-02-30": (),
    "/nutrition/today": (),
    "/goals/current": ("nope=1",),
    "/stats/training": MOMENTS,
    "/stats/body": MOMENTS,
    "/openapi.json": ("nope=1",),
    "/nothing": (),
    "": (),
    "/": (),
    "/workouts/": (),
}

FIRST = {"position": 0, "exercise_id": BENCH}
MONDAY = {"weekday": 1, **FIRST}
DELOADS = {"deload_every": 4, "deload_percent": 80}
LOGGED_AT = {"logged_at": "2026-11-17T06:00:00Z"}
OF_A_PLAN = {"plan_id": "{plan_id}", "plan_name": "P"}
BODIES = {  # what a write takes; {plan_id} and its like are the writer's
    ("POST", "/workouts"): workout(
        (BENCH, [a_set(rpe=8.5, type="working", completed=True)]), title="T", notes="N", **OF_A_PLAN
    ),
    ("PUT", "/workouts/{workout_id}"): workout(
        (SQUAT, [a_set(60, 5, type="warmup"), a_set(0, 0)]), (ASSISTED, [a_set(20, 8)])
    ),
    ("POST", "/routines"): {"name": "R", "focus": "F", "exercises": [entry()]},
    ("PUT", "/routines/{routine_id}"): {"name": "R2", "exercises": [entry(), entry(SQUAT, weight_kg=0)]},
    ("PUT", "/routines/{routine_id}/progression"): {"rules": [{**FIRST, **RULES["linear"]}]},
    ("POST", "/plans"): {
        "name": "P",
        "summary": "S",
        "progression": "G",
        "days": week(entry()),
        "active": False,
    },
    ("PUT", "/plans/{plan_id}"): {"name": "P2", "days": week(entry(), entry(SQUAT)), "active": True},
    ("PUT", "/plans/{plan_id}/progression"): {"rules": [{**MONDAY, **RULES["linear"]}], **DELOADS},
    ("POST", "/plans/{plan_id}/activate"): None,
    ("POST", "/body/weight"): {"weight_kg": 82.4, "body_fat_percent": 17.5, "notes": "n", **LOGGED_AT},
    ("PATCH", "/body/weight/{weight_id}"): {"weight_kg": 81.4, "notes": None},
    ("POST", "/body/measurements"): {"waist_cm": 82, "chest_cm": 104.25, **LOGGED_AT},
    ("PATCH", "/body/measurements/{measurement_id}"): {"waist_cm": 81.5, "hips_cm": 98},
    ("PUT", "/nutrition/2026-11-17"): {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74},
    ("POST", "/goals"): {
        "target_weight_kg": 78,
        "target_body_fat_percent": 12,
        "deadline": "2027-03-01",
        "start_weight_kg": 84,
    },
}
DELETES = (
    *("/workouts/{workout_id}", "/routines/{routine_id}", "/body/weight/{weight_id}"),
    *("/body/measurements/{measurement_id}", "/nutrition/2026-11-16", "/plans/{plan_id}"),
)
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
NEVER = "0198c1a0-0000-7000-8000-000000000000"

BROKEN = {
    "nothing": b"",
    "a list": b"[]",
    "a text": b'"x"',
    "null": b"null",
    "cut off": b'{"name": ',
    "not UTF-8": b'{"name": "\xff"}',
    "the same key twice": b'{"name": "a", "name": "b"}',
    "NaN": b'{"name": NaN}',
    "1e999": b'{"name": 1e999}',
    "a lone surrogate": b'{"name": "\\ud800"}',
    "NUL": b'{"name": "\\u0000"}',
    "deep": b"[" * 40 + b"]" * 40,
    "unknown": b'{"exercise": 1, "nmae": 2, "weight": 3, "notes ": 4}',
    "many": json.dumps({f"field{number}": 1 for number in range(150)}).encode(),
    "too long": b'{"name": "' + b"a" * 262_144 + b'"}',
}
HEADERS = {
    "text": {"type": "text/plain"},
    "form": {"type": "application/x-www-form-urlencoded"},
    "no type": {"type": ""},
    "latin1": {"type": "application/json; charset=latin1"},
    "vendor": {"type": "application/vnd.api+json"},
    "utf8": {"type": "application/json; charset=utf-8"},
    "gzip": {"headers": {"Content-Encoding": "gzip"}},
    "accepts HTML": {"headers": {"Accept": "text/html"}},
}
WRONG = {
    "null": None,
    "x": "x",
    "empty": "",
    "-1": -1,
    "1.5": 1.5,
    "ten million": 10**7,
    "long": "a" * 5_001,
    "true": True,
    "list": [],
    "object": {},
}


def place(text, ids):
    return text.format_map({"own": ids["own"], **ids, **ids["writer"]})


def read(accounts):
    """Every address that answers a GET, with its queries and pages, for whoever may and whoever may not."""
    for path, queries in {**OTHERS, **{path: queries for path, (_, queries) in LISTS.items()}}.items():
        path = place(path, accounts.ids)
        answer = accounts.rich.get(path)
        for query in queries:
            accounts.rich.get(f"{path}?{query}")
        for caller in (accounts.empty, accounts.stranger, accounts.reader, accounts.nobody):
            caller.get(path)
        conditional(accounts.rich, path, answer)
    for path, (name, _) in LISTS.items():
        paged(accounts.rich, place(path, accounts.ids), name)
    for caller in (accounts.mistyped, accounts.expired, accounts.revoked):
        for path in ("/me", "/workouts", "/nothing"):
            caller.get(path)
    key = accounts.rich.key
    for headers in ({"X-API-Key": key}, {"X-API-Key": "x"}, {"X-API-Key": key, "Authorization": "Bearer x"}):
        accounts.nobody.get("/me", headers=headers, label=" ".join(headers))
    for text in (f"bearer {key}", f"Basic {key}", key, "Bearer", f"Bearer  {key}", "Bearer é"):
        accounts.nobody.get("/me", headers={"Authorization": text}, label="Authorization")


def conditional(caller, path, answer):
    caller.api("HEAD", path)
    etag = answer.headers.get("ETag", '"none"')
    for text in (etag, f"W/{etag}", "*", f'"other", {etag}', "junk"):
        caller.get(path, headers={"If-None-Match": text}, label=f"If-None-Match {text}")
        if "ETag" not in answer.headers:
            return


def paged(caller, path, name):
    """The first pages of two, and the cursor of a list where it does not belong."""
    cursor = ""
    for number in range(1, 5):
        answer = caller.get(f"{path}?limit=2{cursor}", label=f"page {number}")
        if answer.status_code != 200 or not answer.json().get("next_cursor"):
            return
        assert name in answer.json(), answer.json()
        cursor = f"&cursor={answer.json()['next_cursor']}"
    for other in ("/workouts", "/exercises", "/body/weight"):
        caller.get(f"{other}?limit=2{cursor}", label=f"cursor of {path}")
    caller.get(f"{path}?limit=2{cursor}&limit=3", label="cursor and limits")
    caller.get(f"{path}?limit=2{cursor[:-2]}", label="cut cursor")


def refuse(accounts):
    """Each address with each method, by each caller who may not, and with bodies that are none."""
    paths = {path for _, path in BODIES} | {*LISTS, *OTHERS, *DELETES}
    for path in sorted(path for path in paths if "%" not in path and "aaa" not in path):
        here = place(path, accounts.ids)
        offered = {"GET"} if path in LISTS or path in OTHERS else set()
        offered |= {method for method, one in BODIES if one == path}
        offered |= {"DELETE"} if path in DELETES else set()
        for method in METHODS:
            accounts.nobody.api(method, here)
            if method in offered - {"GET"}:
                accounts.reader.api(method, here)
                if "_id}" in path:
                    body = BODIES.get((method, path))
                    accounts.stranger.api(method, here, filled_in(body, accounts.ids["stranger"]))
                    for unknown in (NEVER, "x"):
                        accounts.writer.api(method, re.sub("{.*?}", unknown, path), body)
                accounts.writer.api(method, f"{here}?nope=1", BODIES.get((method, path)))
            elif method not in offered:
                accounts.writer.api(method, here)
    for method, path in BODIES:
        here = place(path, accounts.ids)
        for label, body in BROKEN.items():
            accounts.writer.api(method, here, body, label=label)
        for label, options in HEADERS.items():
            accounts.writer.api(method, here, b"{}", label=label, **options)


def filled_in(body, ids):
    return json.loads(json.dumps(body).replace('"{plan_id}"', f'"{ids["plan_id"]}"')) if body else body


def change_each_value(accounts):
    """Each value of each body in turn replaced by what it may not be, or may; then the body itself."""
    bodies = {f"{method} {path}": (method, path, body) for (method, path), body in BODIES.items() if body}
    for kind, rule in RULES.items():
        path = "/plans/{plan_id}/progression"
        bodies[f"{kind} rule"] = ("PUT", path, {"rules": [{**MONDAY, **rule}]})
    for label, (method, path, body) in bodies.items():
        here, body = place(path, accounts.ids), filled_in(body, accounts.ids["writer"])
        for at in places(body):
            around = f"{label} {'.'.join(map(str, at))}"
            for name, wrong in WRONG.items():
                accounts.writer.api(method, here, changed(body, at, wrong), label=f"{around} {name}")
            for name, more in {"left out": None, "unknown": {"nope": 1}, "almost": {f"{at[-1]}s": 1}}.items():
                sent = changed(body, at, more, beside=True)
                accounts.writer.api(method, here, sent, label=f"{around} {name}")
        accounts.writer.api(method, here, body, label=label)


def places(body, at=()):
    """The paths of the values of a body; of a list those of its first item."""
    first = {0: body[0]} if isinstance(body, list) and body else {}
    for key, value in (body if isinstance(body, dict) else first).items():
        yield (*at, key)
        yield from places(value, (*at, key))


def changed(body, at, value, *, beside=False):
    """The body with another value there; `beside` with more fields beside it, or without it."""
    body = copy.deepcopy(body)
    around = body
    for key in at[:-1]:
        around = around[key]
    if not beside:
        around[at[-1]] = value
    elif value is None:
        around.pop(at[-1])
    elif isinstance(around, dict):
        around.update(value)
    return body


def write(accounts):
    """What writes answer that succeed, replays, versions, and what is there afterwards."""
    writer, ids = accounts.writer, accounts.ids["writer"]
    for (method, path), body in BODIES.items():
        here, body = place(path, accounts.ids), filled_in(body, ids)
        writer.api(method, here, body)
        for headers in ({"Idempotency-Key": f"k {path}"}, {"Idempotency-Key": ""}, {"Idempotency-Key": "é"}):
            writer.api(method, here, body, headers, label=f"{headers}")
        for number in (1, 2):
            writer.api(
                method, here, body, {"Idempotency-Key": f"key-{method}"}, label=f"with a key, time {number}"
            )
    of_versions(writer, f"/workouts/{ids['workout_id']}")
    tick(accounts)
    for path in DELETES:
        writer.api("DELETE", place(path, accounts.ids), headers={"If-Match": '"other"'}, label="If-Match")
        for _ in range(2):
            writer.api("DELETE", place(path, accounts.ids))
    for path in LISTS:
        if "{" not in path:
            writer.get(path)
    for path in ["/workouts/count", "/stats/training", "/stats/body", "/goals/current", "/plans/{plan_id}"]:
        writer.get(place(path, accounts.ids))


def of_versions(writer, path):
    """Replaces a workout where it has not changed, and where it has."""
    body = BODIES["PUT", "/workouts/{workout_id}"]
    for etag in ('"other"', "*", "junk", writer.get(path).headers.get("ETag", "")):
        for time in (1, 2):
            writer.api("PUT", path, body, {"If-Match": etag}, label=f"If-Match {etag} {time}")
    writer.api("PUT", path, writer.get(path).json(), label="as it was read")


def tick(accounts):
    """Ticks of a supplement, by its owner and by a stranger."""
    (supplement, *_) = accounts.rich.client.get(
        "/api/v1/supplements", headers={"Authorization": f"Bearer {accounts.rich.key}"}
    ).json()["supplements"]
    logs = f"/supplements/{supplement['id']}/logs"
    day = {"day": "2026-11-17"}
    for body in ({}, day, day, {"taken_at": "2026-11-16T23:30:00Z"}, {"day": "x"}, {"day": None}):
        accounts.rich.api("POST", logs, body, label=json.dumps(body))
        accounts.writer.api("POST", logs, body, label=json.dumps(body))
    for day in ("2026-11-17", "2026-11-17", "2026-11-16", "x"):
        accounts.rich.api("DELETE", f"{logs}/{day}")


def exhaust(accounts):
    """More requests in one second than a key may send in a minute, of which the last ones are shown."""
    caller = accounts.reader
    for number in range(125):
        if number < 118:
            caller.client.get("/api/v1/me", headers={"Authorization": f"Bearer {caller.key}"})
        else:
            caller.get("/me", at_once=True)
    for headers in ({}, {"If-None-Match": "*"}):
        caller.get("/nothing", at_once=True, headers=headers)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        caller.call("POST", "/mcp", body, headers, at_once=True)
    for _ in range(190):
        accounts.nobody.client.get("/api/v1/me")
    for path in ("/api/v1/me", "/api/v1/nothing", "/mcp", "/api/v1/openapi.json"):
        accounts.nobody.call("GET", path, at_once=True)
