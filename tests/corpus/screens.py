"""Screens: each address of the service for each kind of visitor, then forms, Train's JSON, staff, OAuth."""

import json
import re

from django.urls import URLResolver, get_resolver

from tests.corpus.filling import BENCH, CALLBACK, EMAIL, token
from tests.corpus.recorder import Browser, Caller

CONVERTED = re.compile(r"<(?:\w+:)?(\w+)>")
ROUTES = {  # what fills the first parameter of an address, by how it begins
    "workouts/<": "workout",
    "train/finished": "workout",
    "plans/<": "plan",
    "routines/<": "routine",
    "exercises/own/<": "own",
    "calendar": "calendar",
    "settings/data/imports": "import",
    "body/weight": "weight",
    "body/measurements": "measurement",
    "nutrition/foods": "meal",
    "supplements/<": "supplement",
}
PARAMETERS = {  # what fills the others
    **dict.fromkeys(("exercise_id", "kept_id", "pk"), BENCH),
    **dict.fromkeys(("app_label", "name", "url"), "training"),
    **dict.fromkeys(("object_id", "id", "weekday"), 1),
    "position": 0,
    "day": "2026-11-17",
    "key": "upper-lower-double",
}
QUERIES = {
    "": ("?language=de",),
    "workouts": (
        *("?exercise=barbell-bench-press", "?since=2026-11-01", "?cursor=x"),
        *("?q=Ruled", "?month=2026-10", "?nope=1"),
    ),
    "progress": ("?measure=volume", "?by=volume", "?measure=x", "?cursor=x"),
    "progress/records": ("?muscle_group=Chest", "?q=press", "?cursor=x"),
    "exercises": ("?q=squat", "?q=zzz", "?muscle_group=Back&equipment=Band", "?list=own", "?muscle_group=x"),
    "exercise-suggestions": ("?q=pull", "?q=", "?q=zzz&name=x"),
    "body": ("?range=30", "?range=365", "?range=all", "?range=x"),
    "body/measurements": ("?range=all",),
    "nutrition": ("?days=28",),
    "plans/<uuid:pk>/rules/<int:weekday>/<int:position>": tuple(
        f"?kind={kind}" for kind in ("double", "effort", "stages", "wave")
    ),
    "exercises/<slug:pk>": ("?range=all", "?cursor=x"),
    "workouts/new": ("?routine={routine}", "?plan={plan}&day=1", "?workout={workout}", "?routine=x"),
    "routines/new": ("?workout={workout}",),
    "settings/data/export": ("?unit=lb", "?unit=x"),
    "settings/data/export/strong": ("?unit=lb",),
    "manifest.webmanifest": ("?language=de",),
    "service-worker.js": ("?language=de",),
    "sign-in": ("?next=/progress", "?next=https://evil.example"),
    "sign-up": ("?invitation=x",),
    "authorize": ("?client_id=x",),
}

GERMAN = {"language": "de", "units": "lb", "time_zone": "America/New_York"}
ELSEWHERE = (
    *("/nothing", "/static/nothing.css", "/favicon.ico", "/robots.txt"),
    *("/healthz", "/readyz", "/metrics", "/.well-known/x"),
)


def routes(patterns=None, before=""):
    for one in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, route)
        else:
            yield route


def addresses(ids):
    """(route, address) of all that is no REST, with what the rich account has in its parameters."""
    for route in dict.fromkeys(routes()):
        if route.startswith(("api/", "^", "admin/")) or "(" in route:
            continue
        first = next((ids[name] for start, name in ROUTES.items() if route.startswith(start)), None)
        address = route
        for number, match in enumerate(CONVERTED.finditer(route)):
            value = first if number == 0 and first else PARAMETERS.get(match[1], "x")
            address = address.replace(match[0], str(value), 1)
        yield route, f"/{address}"


def signed_in(recorder, who, email, password=Browser.PASSWORD, language="en"):
    browser = Browser(recorder, who, language)
    browser.sign_in(email, password)
    return browser


def watch(accounts):
    look(of_rich(accounts), accounts.ids, with_queries=True)


def watch_as_others(accounts):
    for who, language in (("empty", "en"), ("stranger", "de")):
        browser = signed_in(accounts.recorder, who, f"{who}@example.org", language=language)
        look(browser, accounts.ids)
    nobody = Browser(accounts.recorder, "nobody", "fr")
    look(nobody, accounts.ids)
    for path in ELSEWHERE:
        nobody.get(path)
        nobody.get(path, {"Accept": "application/json"}, label="JSON")


def watch_in_german(accounts):
    """As an account with pounds in New York reads them."""
    browser = of_rich(accounts)
    page = "/settings/profile"
    for settings in (GERMAN, {"language": "", "time_zone": "UTC", "units": "kg"}):
        browser.submit(page, None, **settings)
        if settings is GERMAN:
            look(browser, accounts.ids, with_queries=True)


def of_rich(accounts):
    return signed_in(accounts.recorder, "rich", EMAIL, accounts.passwords["rich"])


def look(browser, ids, *, with_queries=False):
    for route, address in list(addresses(ids)):
        for query in ("", *(QUERIES.get(route, ()) if with_queries else ())):
            browser.get(address + query.format_map(ids))


def manage_staff(accounts):
    """The admin: each address, with the first record of each list in the parameters."""
    recorder = accounts.recorder
    staff = signed_in(recorder, "staff", "staff@example.org")
    paths = [route for route in dict.fromkeys(routes()) if route.startswith("admin/") and "(" not in route]
    firsts = {}
    for route in paths:
        app, _, rest = route.removeprefix("admin/").partition("/")
        listed = f"/admin/{app}/{rest.partition('/')[0]}/"
        if "<" in route and listed not in firsts:
            page = staff.client.get(listed).content.decode()
            match = re.search(rf'href="{listed}([^/"]+)/change/', page)
            firsts[listed] = match[1] if match else "1"
        staff.get("/" + CONVERTED.sub(firsts.get(listed, "1"), route))
        if route.endswith(("exercise/", "account/", "auditevent/")):
            for query in ("?q=press", "?q=rich", "?p=2", "?o=-1", "?nope=1"):
                staff.get(f"/{route}{query}")
    for app in ("accounts", "training", "nothing"):
        staff.get(f"/admin/{app}/")
    stranger = signed_in(recorder, "stranger", "stranger@example.org")
    for path in ("/admin", "/admin/", "/admin/accounts/account/", "/admin/login/"):
        stranger.get(path)
        Browser(recorder, "nobody").get(path)


FORMS = {  # (page, the form's address or None, what a person types, what is refused)
    "goal": (
        "/goals/set",
        None,
        {"target_weight_kg": "77,5"},
        {"target_weight_kg": "x", "deadline": "2020-01-01"},
    ),
    "weight": ("/body/weight/log", None, {"weight_kg": "81.4", "notes": "<b>"}, {"weight_kg": "0"}),
    "measurement": ("/body/measurements/log", None, {"waist_cm": "82"}, {}),
    "targets": ("/nutrition/targets", None, {"calories": "2500"}, {"calories": "many"}),
    "meal": (
        "/nutrition/foods/add",
        None,
        {"name": "Rice", "portion": "100", "unit": "g", "calories": "300", "protein_g": "6"},
        {},
    ),
    "supplement": (
        "/supplements/add",
        None,
        {"name": "Iron", "time": "07:00"},
        {"name": "", "time": "25:00"},
    ),
    "exercise": (
        "/exercises/own/new",
        None,
        {"name": "Hop", "muscle_group": "Legs", "equipment": "Band"},
        {"name": ""},
    ),
    "routine": ("/routines/new", "/routines/new", {"name": "Short"}, {"name": ""}),
    "plan": ("/plans/new", "/plans/new", {"name": "Short"}, {"name": ""}),
    "workout": (
        "/workouts/new",
        "/workouts/new",
        {"title": "By form", "duration": "45"},
        {"duration": "x", "started_at": ""},
    ),
    "program": ("/plans/programs/upper-lower-double",) * 2 + ({}, {"barbell-bench-press": "heavy"}),
    "profile": (
        "/settings/profile",
        None,
        {"display_name": "W", "height_cm": "180"},
        {"height_cm": "1", "birth_date": "2999-01-01"},
    ),
    "key": (
        "/settings/developer",
        None,
        {"name": "cli", "scope": "read", "expires": "90d"},
        {"name": "", "expires": "x"},
    ),
    "reminder": ("/settings/alerts", "/settings/alerts/reminder", {"hour": "18"}, {"hour": "99"}),
    "calendar": ("/settings/data/calendar", None, {}, None),
    "password": (
        "/settings/account",
        None,
        {},
        {"old_password": "x", "new_password1": "1", "new_password2": "2"},
    ),
    "file": ("/settings/data", "/settings/data/imports", {}, {}),
}


def fill_in(accounts):
    """Forms as a person fills them in, right and wrong, and what the pages show afterwards."""
    recorder = accounts.recorder
    writer = signed_in(recorder, "writer", "writer@example.org")
    for label, (page, address, right, wrong) in FORMS.items():
        if wrong is not None:
            writer.submit(page, address, f"{label} wrong", **wrong)
        answer = writer.submit(page, address, label, **right)
        writer.get(answer.headers.get("Location", page))
    lists = ("/", "/workouts", "/routines", "/plans", "/nutrition", "/more")
    for path in (*lists, "/settings/developer", "/settings/data"):
        writer.get(path)
    writer.post("/settings/data/calendar/end")
    train(writer)
    train(of_rich(accounts), plan=accounts.ids["plan"], day="1")
    strange = Browser(recorder, "nobody")
    strange.client.handler.enforce_csrf_checks = True
    strange.sign_in(EMAIL)
    strange.client.handler.enforce_csrf_checks = False
    for email, password in ((EMAIL, "wrong"), ("x", "x"), ("", "")):
        strange.sign_in(email, password)
    for fields in ({"email": EMAIL}, {"email": "nobody@example.org"}, {"email": "x"}):
        strange.post("/reset-password", fields, label=str(fields))
    known = {"email": EMAIL, "password1": "long enough 7", "password2": "long enough 7"}
    for fields in ({}, known, {"email": "n@example.org", "password1": "1"}):
        strange.post("/sign-up", fields, label=str(fields))
    writer.post("/settings/account/confirm", {"password": "wrong"})
    writer.post("/settings/data/delete", {"password": "wrong"})
    writer.post("/sign-out")
    writer.get("/")


def train(browser, **begun):
    """A workout under way, from its start to its end, as the page sends it."""
    browser.get("/train/start")
    browser.post("/train/start", begun)
    read = browser.get("/train/draft").json()
    document = read["draft"]["document"]
    browser.get(f"/train/draft?version={read['draft']['version']}&id={document['id']}")
    browser.get("/train/exercises/barbell-bench-press")
    at = "2026-11-18T12:00:00.000Z"
    element = {"uid": "a", "order": 1, "changed_at": at, "removed_at": None}
    one = {**element, "type": "working", "weight_kg": 62.5, "reps": 8, "rpe": None, "done_at": at}
    exercise = {**element, "exercise_id": BENCH, "measure": "reps", "notes": "", "superset_id": None}
    exercise |= {"rest_seconds": 90, "rests_in_superset": False, "setup": "", "sets": [one]}
    document |= {"title": "Under way", "changed_at": at, "exercises": document["exercises"] or [exercise]}
    for a_set in (a_set for one in document["exercises"] for a_set in one["sets"]):
        a_set |= {"done_at": at, "changed_at": at}
    wrong = {**document, "exercises": [{**exercise, "sets": [{**one, "reps": -1}]}]}
    path = f"/train/drafts/{document['id']}"

    def send(method, path, body, label):
        browser.recorder.send(browser.who, browser.client, method, path, body, label=label)

    send("PUT", path, {"document": document}, "a set")
    send("PUT", path, {"document": wrong}, "wrong")
    send("PUT", path, b"{", "cut off")
    send("PUT", "/train/drafts/0198c1a0-0000-7000-8000-000000000000", {"document": document}, "another id")
    send("POST", f"{path}/next-time", {"document": document}, "")
    browser.get("/train/draft")
    browser.post("/train/start", label="while one is under way")
    for label in ("finish", "again"):
        send("PUT", path, {"document": document, "finish": {"duration_seconds": 1800}}, label)
    send("DELETE", path, None, "")
    browser.get("/train/draft")
    browser.get(f"/train/finished/{document['id']}")


def connect(accounts):
    """What OAuth refuses, on a connection that was made before."""
    recorder = accounts.recorder
    program, exchange = Caller(recorder, "program"), accounts.ids["exchange"]
    wrong = ({"redirect_uris": uris} for uris in ([], ["http://evil.example/"], ["x"]))
    for claimed in ({}, *wrong, [1]):
        program.call("POST", "/register", claimed, label=json.dumps(claimed))
    program.call("POST", "/register", {"redirect_uris": [CALLBACK], "client_name": "VS"}, label="good")
    token(program, exchange)
    for name in exchange:
        token(program, {key: value for key, value in exchange.items() if key != name})
        token(program, {**exchange, name: "x"})
    refresh = {"grant_type": "refresh_token", "client_id": exchange["client_id"], "refresh_token": "x"}
    for fields in (refresh, {"grant_type": "password"}):
        token(program, fields)
    for fields in ({"token": "x"}, {}, {"token": "x", "client_id": exchange["client_id"]}):
        token(program, fields, "/revoke")
    for path in ("/token", "/register", "/revoke", "/authorize"):
        for method in ("GET", "OPTIONS", "PUT"):
            program.call(method, path, headers={"Origin": "https://claude.ai"})
    browser = of_rich(accounts)
    address = accounts.ids["authorize"]
    wrong = {"code_challenge=": "x=", "S256": "plain", "response_type=code": "response_type=token"}
    for before, after in {**wrong, "scope=read": "scope=x"}.items():
        browser.get(address.replace(before, after))
    browser.get(address)
    browser.post(address, {"decision": "refuse"})
    browser.post(address, {"decision": "connect", "scope": "x", "expires": "1y"})
    Browser(recorder, "nobody").get(address)
