"""The n-th SQL statement of a write fails, n = 1, 2, 3 …: nothing changes, and a later retry succeeds."""

import json
import time
from contextlib import contextmanager
from datetime import date, timedelta
from io import BytesIO
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.audit import AuditEvent
from accounts.factors.models import Authenticator
from accounts.imports.kinds import Answers
from accounts.models import Account, OAuthClient
from accounts.oauth.models import OAuthToken
from accounts.oauth.tokens import ACCESS_LIFETIME
from accounts.sessions import Session
from accounts.web.fresh import CONFIRMED_AT
from fitness.api import rate_limits
from fitness.site.data import importing, steps
from fitness.site.data.reading import Options
from mcp_endpoint.corrections import CORRECTIONS
from mcp_endpoint.tools import TOOLS
from mcp_endpoint.ui.buttons import token
from mcp_endpoint.ui.pages import SESSION
from tests.accounts.programs import CALLBACK, SITE, Program
from tests.api.test_isolation import WRITES, example, fill
from tests.conftest import a_workout
from tests.factories import PASSWORD
from tests.imports.steps import work
from tests.mcp_endpoint.conftest import ToolClient
from tests.mcp_endpoint.test_tools import ARGUMENTS, DAY
from tests.training.test_plans import a_plan
from tests.training.test_web import a_form, fields_in
from training.models import Plan
from training.models.own_exercise import make

pytestmark = pytest.mark.each_database

MAX_STATEMENTS = 200
NEW_PASSWORD = "blue horse 77"
EXCLUDED = {
    "session",
    "contenttype",
    "permission",
    "exercise",
}  # belong to no account, or are not written here


@pytest.fixture(autouse=True)
def no_rate_limits_and_fixed_time(monkeypatch, time_machine):
    monkeypatch.setattr(rate_limits, "LIMITS", dict.fromkeys(rate_limits.LIMITS, "10000/m"))
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)


@pytest.fixture
def db(django_db_setup, django_db_blocker):
    """Lets tests commit, and deletes their rows afterwards: a flush would also delete the catalogue."""
    with django_db_blocker.unblock():
        yield
        Account.objects.all().delete()
        AuditEvent.objects.all().delete()
        Session.objects.all().delete()
        OAuthClient.objects.all().delete()


@pytest.fixture
def ids(account, api):
    """The ids of one item of every kind. The key has been used, so that no request updates its last use."""
    ids = fill(account)
    assert api.get("/workouts/count").status_code == 200
    return ids


class Failure:
    """Raises in place of the n-th statement of a connection. Commits count as statements."""

    def __init__(self, n):
        self.left = n
        self.happened = False

    def __call__(self, execute, *statement):
        self.count()
        return execute(*statement)

    def count(self):
        self.left -= 1
        if self.left == 0:
            self.happened = True
            raise OperationalError("the disk went away")


@contextmanager
def failing(n, monkeypatch):
    failure = Failure(n)
    commit = connection._commit

    def counted_commit():
        failure.count()
        return commit()

    with monkeypatch.context() as patch, connection.execute_wrapper(failure):
        patch.setattr(connection, "_commit", counted_commit)
        yield failure


def all_rows():
    """All rows of all tables; of exercises those of accounts. QuerySets took half of the tests' time."""
    tables = [one._meta.db_table for one in apps.get_models() if one._meta.model_name not in EXCLUDED]
    tables.append("training_exercise WHERE owner_id IS NOT NULL")
    rows = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"SELECT * FROM {table}")
            rows[table] = sorted(map(repr, cursor.fetchall()))
    return rows


def finish_deletions():
    """Does what the worker does after a plan was deleted."""
    work()
    assert not Plan._base_manager.exclude(deleted_at=None).exists()


def assert_atomic(monkeypatch, write, is_unavailable, succeeds, is_done=lambda: False, finish=None):
    """Repeats a write, each time with a later statement failing, until it succeeds.

    `is_done()` returns whether the write is complete although the response is an error, which ends the
    test: signing up writes the session after the account. `finish()` does what the worker does later. If it
    is given, some statements may fail without failing the write.
    """
    before = all_rows()
    for n in range(1, MAX_STATEMENTS):
        with failing(n, monkeypatch) as failure:
            response = write()
        if not failure.happened:
            assert succeeds(response), response.content
            assert n > 2
            assert all_rows() != before
            return
        if finish and succeeds(response):
            finish()
            return
        assert is_unavailable(response), (n, response.status_code, response.content)
        if is_done():
            return
        assert all_rows() == before, f"statement {n} changed the database"
    raise AssertionError("the write never succeeded")


def is_envelope(response):
    return response.status_code == 503 and response.json()["error"]["code"] == "unavailable"


def is_2xx(response):
    return response.status_code in (200, 201, 204)


OTHER_BODIES = {  # where writing the example would change nothing, because it equals what is stored
    "/routines/{routine_id}": {"name": "Another", "exercises": []},
    "/nutrition/{day}": {"calories": 2000, "protein_g": 150, "carbs_g": 200, "fat_g": 70},
    "/body/weight/{weight_id}": {"weight_kg": 77},
    "/body/measurements/{measurement_id}": {"waist_cm": 77},
    "/supplements/{supplement_id}/logs": {"day": "2026-03-03"},
}


@pytest.mark.parametrize("with_key", [False, True], ids=["", "with Idempotency-Key"])
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_operations(api, ids, monkeypatch, method, path, with_key):
    if with_key and method != "post":
        return

    def write():
        headers = {"Idempotency-Key": "the-same"} if with_key else {}
        return api.call(method.upper(), path.format(**ids), body, headers=headers)

    body = OTHER_BODIES.get(path) or example(method, path)
    finish = finish_deletions if (method, path) == ("delete", "/plans/{plan_id}") else None
    assert_atomic(monkeypatch, write, is_envelope, is_2xx, finish=finish)


def is_unavailable_tool(response):
    result = response.json().get("result")
    if result is None:  # the fault occurred before the tool was looked up
        return response.status_code == 503 and response.json()["error"]["data"]["code"] == "unavailable"
    return result["isError"] and json.loads(result["content"][1]["text"])["error"]["code"] == "unavailable"


def is_result(response):
    return not response.json()["result"]["isError"]


@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if tool.writes])
def test_tools(api, ids, monkeypatch, name):
    tick = {"supplement_id": ids["supplement_id"], "day": "2026-03-03"}
    totals = {**ARGUMENTS["log_nutrition"], "calories": 2000}
    arguments = {**ARGUMENTS, "log_supplement_taken": tick, "log_nutrition": totals}[name]
    assert_tool_is_atomic(monkeypatch, ToolClient(api.key), name, arguments)


CORRECTED = {  # beside the ids
    "update_workout": a_workout(title="Another"),
    "update_weight": {"weight_kg": 77},
    "update_measurements": {"waist_cm": 83},
    "set_progression": {"rules": [], "deload_every": 6},
    "update_routine": {"name": "Another", "exercises": []},
    "update_training_plan": a_plan(name="Another"),
    "add_supplement": {"name": "Zinc", "time": "08:00"},
    "update_supplement": {"dosage": "10 g"},
}


@pytest.mark.parametrize("name", [name for name, tool in CORRECTIONS.items() if tool.writes])
def test_tools_that_correct(account, ids, monkeypatch, name):
    key, _ = account.issue_key("assistant", "read_write", "never", may_correct=True)
    own = {one: ids[one] for one in CORRECTIONS[name].input_schema["properties"] if one in ids}
    arguments = own | CORRECTED.get(name, {})
    tools = ToolClient(key)
    tools.legacy("tools/list")  # the key has been used
    assert_tool_is_atomic(monkeypatch, tools, name, arguments)


def test_a_button_that_takes_a_plan_back(account, api, ids, monkeypatch):
    """Two writes: the plan goes, and the one before it is active again."""
    followed, plan = Plan.objects.get(pk=ids["plan_id"]), api.post("/plans", a_plan(name="New")).json()
    followed.activate()
    button = token(account, "remove_plan", plan["id"], str(followed.pk))
    Plan.objects.get(pk=plan["id"]).activate()
    tools = ToolClient(api.key)
    assert_tool_is_atomic(monkeypatch, tools, "press_button", {"button": button}, Mcp_Session_Id=SESSION)


def assert_tool_is_atomic(monkeypatch, tools, name, arguments, **headers):
    def write():
        return tools.legacy("tools/call", {"name": name, "arguments": arguments}, **headers)

    assert_atomic(monkeypatch, write, is_unavailable_tool, is_result)


def is_error_page(response):
    return response.status_code == 503 and b"</html>" in response.content


def is_screen_or_redirect(response):
    return response.status_code in (200, 204, 302)


RULE = {"kind": "linear", "exercise": "barbell-back-squat", "increment": "5", "misses": "3"}
PORTION = {"portion": "1", "unit": "piece"}
OATS = PORTION | {"name": "Oats", "calories": "520", "protein_g": "38.5", "carbs_g": "66", "fat_g": "11"}
SUBSCRIPTION = {"endpoint": "https://push.example.org/new", "p256dh": "A" * 87, "auth": "A" * 22}
OWN = {"name": "Pendulum Thing", "muscle_group": "Legs", "equipment": "Machine"}
FORMS = {  # name of the URL -> (its arguments, the values that are entered)
    "log-weight": ([], {"weight_kg": "80"}),
    "edit-weight": (["weight_id"], {"weight_kg": "81"}),
    "delete-weight": (["weight_id"], {}),
    "log-measurement": ([], {"waist_cm": "84"}),
    "edit-measurement": (["measurement_id"], {"waist_cm": "84"}),
    "delete-measurement": (["measurement_id"], {}),
    "set-goal": ([], {"target_weight_kg": "76"}),
    "set-totals": (["day"], {**OATS, "calories": "2000"}),
    "clear-nutrition-day": (["day"], {}),
    "set-nutrition-targets": ([], {"calories": "2600", "kg_per_week": "-0.5"}),
    "add-food": ([], OATS),
    "edit-food": (["meal_id"], {"name": "Porridge"}),
    "remove-food": (["meal_id"], {}),
    "tick-meal": (["meal_id", "day"], {}),
    "eat-food": (["meal_id", "day"], {"amount": "1.5"}),
    "add-entry": (["day"], {"calories": "300"}),
    "edit-entry": (["entry_id"], {"amount": "2"}),
    "remove-entry": (["entry_id"], {}),
    "copy-day": (["day"], {}),
    "set-complete": (["day"], {"complete": "no"}),
    "untick-meal": (["ticked_meal_id", "day"], {}),
    "add-supplement": ([], {"name": "Zinc", "time": "08:00"}),
    "edit-supplement": (["supplement_id"], {"dosage": "10 g"}),
    "remove-supplement": (["supplement_id"], {}),
    "tick-supplement": (["supplement_id", "next_day"], {}),
    "untick-supplement": (["supplement_id", "day"], {}),
    "log-workout": ([], a_form()),
    "edit-workout": (["workout_id"], {"title": "Another"}),
    "delete-workout": (["workout_id"], {}),
    "create-routine": ([], {"name": "Another"}),
    "edit-routine": (["routine_id"], {"name": "Another"}),
    "delete-routine": (["routine_id"], {}),
    "new-own-exercise": ([], OWN | {"name": "Another Thing"}),
    "edit-own-exercise": (["own"], OWN | {"equipment": "Cable"}),
    "delete-own-exercise": (["own"], {}),
    "retire-own-exercise": (["own"], {}),
    "offer-own-exercise": (["own"], {}),
    "merge-own-exercise": (["own", "exercise"], {}),
    "pin-lift": (["exercise"], {}),
    "unpin-lift": (["pinned"], {}),
    "add-starter-routines": ([], {"starter": "push-pull-legs"}),
    "create-plan": ([], {"name": "Another"}),
    "start-program": (["program"], {"barbell-back-squat": "100"}),
    "edit-plan": (["plan_id"], {"name": "Another"}),
    "edit-plan-day": (["plan_id", "weekday"], {"label": "Another"}),
    "activate-plan": (["plan_id"], {}),
    "plan-deloads": (["plan_id"], {"every": "6"}),
    "plan-rule": (["plan_id", "weekday", "position"], {"increment": "5"}),
    "copy-plan-rule": (["plan_id", "weekday", "position"], RULE),
    "remove-plan-rule": (["plan_id", "weekday", "position"], {}),
    "delete-plan": (["plan_id"], {}),
    "profile": (
        [],
        {"goal": "cut", "time_zone": "UTC", "units": "kg", "first_weekday": "7", "rest_seconds": "90"},
    ),
    "set-units": ([], {"units": "lb"}),
    "set-time-zone": ([], {"time_zone": "Asia/Tokyo"}),
    "subscribe": ([], SUBSCRIPTION),
    "set-reminder": ([], {"hour": "18"}),
    "remove-subscription": (["subscription_pk"], {}),
    "calendar": ([], {}),
    "end-calendar": ([], {}),
    "developer": ([], {"name": "phone", "scope": "read", "expires": "never"}),
    "revoke-key": (["key_pk"], {}),
    "remove-authenticator": ([], {}),
    "make-recovery-codes": ([], {}),
    "rename-passkey": (["passkey_pk"], {"name": "another"}),
    "remove-passkey": (["passkey_pk"], {}),
    "import": (["read_run_pk"], {"import": "yes"}),
    "go-on-with-import": (["read_run_pk"], {}),
    "undo-import": (["stored_run_pk"], {}),
    "delete-account": ([], {"password": PASSWORD}),
}


@pytest.fixture
def all_ids(ids, account):
    meal = {"calories": 520, "protein_g": 38.5, "carbs_g": 66, "fat_g": 11, "is_meal": True}
    ticked, unticked = (account.foods.create(name=name, **meal) for name in ("Oats", "Rice"))
    day = date.fromisoformat(DAY)
    ticked.tick(day)
    Authenticator.objects.create(account=account, sealed_secret="x", last_step=0)
    stored = read_file(account, b"Date,Weight\n2026-02-01,80\n2026-02-02,80.5\n")
    importing.begin_storing(stored)
    steps.go_on_to_the_end(stored)
    return {
        "stored_run_pk": stored.pk,
        "read_run_pk": read_file(account, b"Date,Weight\n2026-01-01,80\n2026-01-02,80.5\n").pk,
        **ids,
        "day": day,
        "next_day": day + timedelta(days=1),
        "weekday": 1,
        "position": 0,
        "program": "gzclp",
        "exercise": "pull-up",
        "own": make(account, **OWN).pk,
        "pinned": account.exercise_pins.create(exercise_id="plank").exercise_id,
        "meal_id": unticked.pk,
        "ticked_meal_id": ticked.pk,
        "entry_id": unticked.eat(day).pk,
        "passkey_pk": account.passkeys.create(name="phone", credential_id="x", sign_count=0).pk,
        "key_pk": account.api_keys.first().pk,
        "subscription_pk": account.push_subscriptions.create(
            endpoint="https://push.example.org/1", digest="x"
        ).pk,
    }


def read_file(account, content):
    return steps.receive(account, BytesIO(content), "x.csv", Answers(ZoneInfo("UTC"), "kg"), Options())


@pytest.fixture
def browser(account):
    """A signed-in browser that returns the error response instead of raising the exception."""
    browser = Client(raise_request_exception=False)
    browser.force_login(account)
    session = browser.session
    session[CONFIRMED_AT] = time.time()  # the password was just given
    session.save()
    return browser


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_the_app(browser, account, all_ids, monkeypatch, name):
    arguments, typed = FORMS[name]
    address = reverse(name, args=[all_ids[argument] for argument in arguments])
    if name == "end-calendar":
        account.make_calendar()
    form = browser.get(address)
    initial = fields_in(form.content.decode()) if form.status_code == 200 else {}
    signed_in = browser.cookies["session"].value

    def write():
        browser.cookies["session"] = signed_in  # a failed deletion may have signed out already
        return browser.post(address, {**initial, **typed})

    finish = finish_deletions if name == "delete-plan" else None
    assert_atomic(monkeypatch, write, is_error_page, is_screen_or_redirect, finish=finish)


@pytest.mark.parametrize(
    ("pk", "begin"), [("read_run_pk", importing.begin_storing), ("stored_run_pk", importing.begin_undoing)]
)
def test_steps_of_an_import(all_ids, account, monkeypatch, pk, begin):
    run = account.import_runs.get(pk=all_ids[pk])
    begin(run)

    def step():
        try:
            return steps.go_on(account.import_runs.select_related("account").get(pk=run.pk))
        except OperationalError as error:
            return error

    def is_fault(outcome):
        return isinstance(outcome, OperationalError)

    assert_atomic(monkeypatch, step, is_fault, lambda outcome: outcome is True)


def is_oauth_error(response):
    return response.status_code == 503 and response.json()["error"] == "unavailable"


@pytest.fixture
def program(db, settings):
    settings.PUBLIC_URL = SITE
    return Program()


@pytest.mark.parametrize("act", ["register", "allow", "exchange", "refresh", "window", "reuse", "revoke"])
def test_connecting_a_program(program, browser, monkeypatch, act):
    code = program.ask(browser)["code"]
    tokens = program.connect(browser)
    if act in ("window", "reuse"):
        program.refresh(tokens["refresh_token"])
    if act == "reuse":
        OAuthToken.objects.update(used_at=timezone.now() - 2 * ACCESS_LIFETIME)
    acts = {
        "register": lambda: program.register(redirect_uris=[CALLBACK]),
        "allow": lambda: browser.post(
            program.address(), {"scope": "read", "expires": "1y", "decision": "connect"}
        ),
        "exchange": lambda: program.exchange(code),
        "refresh": lambda: program.refresh(tokens["refresh_token"]),
        "window": lambda: program.refresh(tokens["refresh_token"]),
        "reuse": lambda: program.refresh(tokens["refresh_token"]),
        "revoke": lambda: program.revoke(client_id=program.client_id, token=tokens["access_token"]),
    }
    is_unavailable = is_error_page if act == "allow" else is_oauth_error
    assert_atomic(monkeypatch, acts[act], is_unavailable, lambda response: response.status_code < 500)


def test_signing_up(db, monkeypatch):
    """An account is created completely, or not at all."""

    def write():
        return Client(raise_request_exception=False).post(reverse("sign-up"), newcomer)

    def is_done():
        return Client().login(username="new@example.org", password=NEW_PASSWORD)

    newcomer = {"email": "new@example.org", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    assert_atomic(monkeypatch, write, is_error_page, is_screen_or_redirect, is_done)


def test_changing_the_password(browser, account, monkeypatch):
    def write():
        return browser.post(reverse("account"), change)

    def is_done():
        return Client().login(username=account.email, password=NEW_PASSWORD)

    change = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    assert_atomic(monkeypatch, write, is_error_page, is_screen_or_redirect, is_done)
