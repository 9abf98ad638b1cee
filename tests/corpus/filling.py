"""Fills accounts as people and programs do: by commands, REST, forms, an uploaded file and OAuth."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.corpus.place import manage, work_until
from tests.corpus.recorder import Browser, Caller, Recorder

BENCH, SQUAT, ASSISTED = "barbell-bench-press", "barbell-back-squat", "band-assisted-pull-up"
EMAIL = "rich@example.org"
CALLBACK = "http://127.0.0.1:7777/callback"
VERIFIER = "a-verifier-of-at-least-forty-three-characters"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()

HEVY = """\
"title","start_time","end_time","description","exercise_title","superset_id","exercise_notes","set_index",\
"set_type","weight_kg","reps","distance_km","duration_seconds","rpe"
"Pull","2 Feb 2026, 18:30","2 Feb 2026, 19:45","Busy","Deadlift (Barbell)",,"Belt",0,"warmup",60,5,,0,
"Pull","2 Feb 2026, 18:30","2 Feb 2026, 19:45","Busy","Deadlift (Barbell)",,"Belt",1,"normal",140,5,,0,8
"Pull","2 Feb 2026, 18:30","2 Feb 2026, 19:45","Busy","Pull Up (Assisted)",0,"",0,"normal",20,8,,,
"Pull","2 Feb 2026, 18:30","2 Feb 2026, 19:45","Busy","Plank",,"",0,"normal",,,,60,
"Odd","3 Feb 2026, 18:30","3 Feb 2026, 19:45","","Dragon Walk of Mine",,"",0,"normal",10,12,,,
"Odd","soon","3 Feb 2026, 19:45","","Plank",,"",0,"normal",,,,60,
"""
WEIGHTS = """\
Date,"Weight (kg)","Fat mass (kg)",Comments
"2025-09-30 07:12:45",84.2,16.4,
"2025-09-29 07:05:01",84.6,,late
"""
DAYS_OF_FOOD = (
    "Date,Energy (kcal),Carbs (g),Fat (g),Protein (g),Completed\n2025-09-24,2712.4,301.2,82.6,158.3,true\n"
)

RULES = {
    "linear": {"kind": "linear", "increment_kg": 2.5},
    "double": {"kind": "double", "reps_from": 8, "reps_to": 10},
    "effort": {"kind": "effort"},
    "stages": {"kind": "stages", "stages": [{"sets": 3, "reps": 8}, {"sets": 4, "reps": 6}]},
    "wave": {
        "kind": "wave",
        "training_max_kg": 100,
        "weeks": [{"sets": 1, "reps": 5, "percent": 85, "open": True}, {"sets": 1, "reps": 3, "percent": 90}],
    },
}
RULED = (BENCH, SQUAT, "barbell-deadlift", "barbell-overhead-press", "bent-over-barbell-row")


def a_set(weight_kg=100, reps=5, **fields):
    return {"weight_kg": weight_kg, "reps": reps, **fields}


def entry(exercise_id=BENCH, **fields):
    return {"exercise_id": exercise_id, "sets": 3, "reps": 8, "weight_kg": 60, "note": "slow", **fields}


def week(*exercises, weekday=1):
    day = {"weekday": weekday, "label": "Push", "focus": "Bench", "exercises": list(exercises)}
    return [day if one == weekday else {"weekday": one, "label": "Rest", "rest": True} for one in range(1, 8)]


def workout(*exercises, started_at="2026-11-16T17:30:00Z", **fields):
    done = exercises or [(BENCH, [a_set()])]
    found = [{"exercise_id": name, "sets": sets} for name, sets in done]
    return {"started_at": started_at, "duration_seconds": 3600, "exercises": found, **fields}


@dataclass
class Accounts:
    """Who sends requests, and what the rich account has: ids by what they are."""

    recorder: Recorder
    rich: Caller
    reader: Caller
    correcting: Caller
    empty: Caller
    stranger: Caller
    writer: Caller
    expired: Caller
    revoked: Caller
    nobody: Caller
    mistyped: Caller
    ids: dict = field(default_factory=dict)
    passwords: dict = field(default_factory=dict)


def filled(recorder):
    recorder.begin("fill")
    printed = manage("seed_demo", "--email", EMAIL, "--days", "400")
    emails = {who: f"{who}@example.org" for who in ("empty", "stranger", "writer", "staff")}
    for who, email in emails.items():
        Browser(recorder, who).sign_up(email)
    manage("promote", emails["staff"])
    accounts = keys(recorder, {"rich": EMAIL, **emails})
    accounts.passwords = {"rich": printed.split()[-1]}
    recorder.names.learn(accounts.passwords["rich"], "password")
    browser = Browser(recorder, "rich")
    browser.sign_in(EMAIL, accounts.passwords["rich"])
    train_more(accounts)
    name_records(accounts.rich, recorder.names)
    by_forms(browser, accounts)
    connect(recorder, browser, accounts)
    import_files(recorder, browser, accounts)
    some_more(accounts)
    complete(accounts)
    return accounts


def keys(recorder, emails):
    def caller(who, email, *options):
        key = manage("issue_key", email, "--name", who, *options)
        recorder.names.learn(key, f"key {who}")
        return Caller(recorder, who, key)

    write = ("--scope", "read_write", "--expires", "never")
    more = {who: caller(who, emails[who], *write) for who in ("empty", "stranger", "writer", "rich")}
    more["reader"] = caller("reader", emails["rich"], "--scope", "read", "--expires", "1y")
    more["correcting"] = caller("correcting", emails["writer"], *write, "--corrections")
    recorder.clock.shift(-100 * 24 * 3600)
    more["expired"] = caller("expired", emails["rich"], "--scope", "read_write", "--expires", "90d")
    recorder.clock.shift(100 * 24 * 3600)
    more["revoked"] = caller("revoked", emails["rich"], *write)
    manage("revoke_key", more["revoked"].key)
    more["nobody"] = Caller(recorder, "nobody")
    more["mistyped"] = Caller(recorder, "mistyped", "svc_" + "a" * 40)
    return Accounts(recorder, **more)


def train_more(accounts):
    """Plans and routines with rules that sessions have followed, an assisted lift, a failed attempt."""
    rich, ids = accounts.rich, accounts.ids
    plan = rich.made(
        "/plans", {"name": "Ruled", "summary": "All kinds.", "days": week(*map(entry, RULED)), "active": True}
    )
    rules = [
        {"weekday": 1, "position": position, "exercise_id": exercise_id, **rule}
        for position, (exercise_id, rule) in enumerate(zip(RULED, RULES.values(), strict=True))
    ]
    ids["plan"] = plan["id"]
    rich.made(f"/plans/{plan['id']}/progression", {"rules": rules, "deload_every": 4}, "PUT")
    routine = rich.made(
        "/routines", {"name": "Ruled routine", "focus": "Pull", "exercises": [entry(), entry(SQUAT)]}
    )
    ids["routine"] = routine["id"]
    double = {"position": 0, "exercise_id": BENCH, **RULES["double"]}
    rich.made(f"/routines/{routine['id']}/progression", {"rules": [double]}, "PUT")
    for day, (weight_kg, reps) in {2: (60, 8), 9: (62.5, 8), 16: (65, 5)}.items():
        done = [(name, [a_set(weight_kg, reps, rpe=8)] * 3) for name in RULED]
        at = f"2026-11-{day:02}T17:30:00Z"
        rich.made("/workouts", workout(*done, started_at=at, title=f"Ruled {day}", plan_id=plan["id"]))
    assisted = [
        (ASSISTED, [a_set(20, 8), a_set(15, 6), a_set(0, 0)]),
        ("pull-up", [a_set(0, 0, completed=False), a_set(0, 7)]),
    ]
    made = rich.made(
        "/workouts",
        workout(*assisted, started_at="2026-11-17T06:00:00.25Z", title="Assisted", notes="=1+1 <b>"),
    )
    ids["workout"] = made["id"]
    odd = [
        ("plank", []),
        (BENCH, [a_set(102.05828325, 0), a_set(40, 10, type="warmup")]),
        (BENCH, [a_set(1, 1, rpe=None)]),
    ]
    rich.made("/workouts", workout(*odd, started_at="2026-11-17T20:00:00Z", title="Odd", duration_seconds=0))


LISTS = {
    "workouts": ("/workouts", "started_at"),
    "routines": ("/routines", "name"),
    "plans": ("/plans", "name"),
    "weight": ("/body/weight", "logged_at"),
    "measurements": ("/body/measurements", "logged_at"),
    "goals": ("/goals", "created_at"),
    "supplements": ("/supplements", "name"),
}


def name_records(caller, names):
    """Names what the account has by what people call it, so that one record more renames no other."""
    for kind, (path, label) in LISTS.items():
        cursor = ""
        while cursor is not None:
            page = caller.client.get(
                f"/api/v1{path}?limit=100{cursor}", headers={"Authorization": f"Bearer {caller.key}"}
            )
            for record in page.json()[kind]:
                names.learn(record["id"], f"{kind} {record.get(label, '')}")
            found = page.json()["next_cursor"]
            cursor = found and f"&cursor={found}"


def by_forms(browser, accounts):
    for name in ("Press of mine", "Dragon flag of mine"):
        made = browser.submit("/exercises/own/new", name=name, muscle_group="Core", equipment="Machine")
        accounts.ids["own"] = made["Location"].rpartition("/")[2]
    browser.submit(
        "/nutrition/foods/add",
        name="Oats & <milk>",
        portion="1",
        unit="piece",
        is_meal="on",
        calories="400",
        protein_g="20",
        carbs_g="60",
        fat_g="8",
    )
    browser.submit("/supplements/add", name="Zinc", dosage="10 mg", time="21:00")
    browser.submit("/goals/set", target_weight_kg="80", deadline="2027-03-01")
    page = browser.submit("/settings/data/calendar").content.decode()
    accounts.ids["calendar"] = re.search(r"calendar/([\w-]+)\.ics", page)[1]
    browser.recorder.names.learn(accounts.ids["calendar"], "token of the calendar")
    endpoint = {"endpoint": "https://push.example.org/1", "p256dh": "B" + "A" * 86, "auth": "A" * 22}
    browser.post("/settings/alerts/subscribe", endpoint)


def connect(recorder, browser, accounts):
    """A program that a person connects by OAuth, from the registration to the second pair of tokens."""
    program = Caller(recorder, "program")
    claimed = {"client_name": "Claude <b>", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
    client_id = program.call("POST", "/register", claimed).json()["client_id"]
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": CALLBACK,
        "state": "a state",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "resource": "http://127.0.0.1/mcp",
        "scope": "read write",
    }
    address = f"/authorize?{urlencode(asked)}"
    browser.get(address)
    allowed = browser.post(address, {"scope": "read_write", "expires": "1y", "decision": "connect"})
    (code,) = parse_qs(urlsplit(allowed["Location"]).query)["code"]
    exchange = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
        "resource": "http://127.0.0.1/mcp",
    }
    tokens = token(program, exchange).json()
    renewed = token(
        program,
        {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": tokens["refresh_token"]},
    )
    accounts.ids |= {"client": client_id, "authorize": address, "exchange": exchange}
    Caller(recorder, "connected", renewed.json()["access_token"]).call(
        "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_profile"}}
    )


def token(program, fields, path="/token"):
    return program.call("POST", path, urlencode(fields).encode(), type="application/x-www-form-urlencoded")


def import_files(recorder, browser, accounts):
    """One file by the command, and one that waits in its preview; a prepared export."""
    from django.conf import settings

    for name, text in {"withings.csv": WEIGHTS, "cronometer.csv": DAYS_OF_FOOD}.items():
        path = settings.DATA_DIR / name
        path.write_text(text)
        recorder.clock.shift(1)  # runs are listed by their time
        report = json.loads(manage("import_data", str(path), "--account", EMAIL, "--json"))
        recorder.names.learn(report["id"], f"import of {name}")
        accounts.ids["import"] = report["id"]
    file = SimpleUploadedFile("hevy.csv", HEVY.encode(), "text/csv")
    recorder.clock.shift(1)
    sent = browser.client.post("/settings/data/imports", {"file": file, "time_zone": ""})
    preview = sent["Location"]
    accounts.ids["preview"] = preview.rpartition("/")[2]
    recorder.names.learn(accounts.ids["preview"], "preview")

    def is_read():
        return not browser.client.get(preview, headers={"Accept": "application/json"}).json()["under_way"]

    work_until(is_read)
    browser.get(preview, headers={"Accept": "application/json"})


def some_more(accounts):
    """What the other accounts have: a stranger one record of each, the writer what is corrected."""
    for caller in (accounts.stranger, accounts.writer):
        plan = caller.made(
            "/plans", {"name": f"Plan of the {caller.who}", "days": week(entry()), "active": True}
        )
        ids = {
            "plan_id": plan["id"],
            "routine_id": caller.made("/routines", {"name": "A", "exercises": [entry()]})["id"],
            "workout_id": caller.made("/workouts", workout(plan_id=plan["id"], title="Own"))["id"],
            "weight_id": caller.made(
                "/body/weight", {"weight_kg": 82.4, "logged_at": "2026-11-16T06:00:00Z"}
            )["id"],
            "measurement_id": caller.made("/body/measurements", {"waist_cm": 82})["id"],
        }
        caller.made("/goals", {"target_weight_kg": 80})
        caller.made(
            "/nutrition/2026-11-16",
            {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74},
            "PUT",
        )
        for name, value in ids.items():
            caller.recorder.names.learn(value, f"{caller.who}'s {name}")
        accounts.ids[caller.who] = ids


def complete(accounts):
    """Reads the ids that addresses need and that no answer has given so far."""
    rich, ids = accounts.rich, accounts.ids
    headers = {"Authorization": f"Bearer {rich.key}"}
    for name, path, key in (
        ("weight", "/body/weight", "weight"),
        ("measurement", "/body/measurements", "measurements"),
    ):
        ids[name] = rich.client.get(f"/api/v1{path}?limit=1", headers=headers).json()[key][0]["id"]
    ids["supplement"] = rich.client.get("/api/v1/supplements", headers=headers).json()["supplements"][0]["id"]
    page = Browser(rich.recorder, "rich")
    page.client.post("/sign-in", {"username": EMAIL, "password": accounts.passwords["rich"]})
    ids["meal"] = re.search(
        r"/nutrition/foods/([0-9a-f-]{36})/", page.client.get("/nutrition").content.decode()
    )[1]
