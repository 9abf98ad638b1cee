"""Shared fixtures: the exercise catalogue, accounts with API keys, and a JSON client."""

import gc
import json
import re
import sys
import time
from contextlib import contextmanager, nullcontext
from urllib.parse import urlsplit
from uuid import uuid4

import hypothesis
import pytest
import time_machine
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models.signals import post_migrate
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import key_days, key_use, sessions
from accounts.models import Account
from accounts.web import fresh
from fitness import logs
from fitness.api import rate_limits
from fitness.api.counters import CounterCache
from tests import in_memory, watched_statements
from tests.factories import AccountFactory
from tests.server import prepared_database, running_server
from training.models import Exercise

# jsonschema imports it, to check IRIs, where it is installed: its grammars take a second of each process.
sys.modules["rfc3987_syntax"] = None

# No deadlines: on a slow machine a test takes longer, but must not fail. The same examples in each run: what
# one finds, the next one shows again. `pytest --hypothesis-profile search` looks further.
hypothesis.settings.register_profile(
    "search", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile("any run", hypothesis.settings.get_profile("search"), derandomize=True)
hypothesis.settings.load_profile("any run")

# The default, a collection for every 700 new objects, took a tenth of the CPU of tests without a browser.
gc.set_threshold(10_000, 20, 50)

# A Wednesday, far from the ends of its day, week, month and year, and from any change of clocks.
MOMENT = "2026-11-18T12:00:00Z"


def pytest_addoption(parser):
    parser.addoption(
        "--at", nargs="+", default=[MOMENT], help=f"when tests take place; {MOMENT} unless it is said"
    )


def pytest_generate_tests(metafunc):
    """At several moments each test is repeated, after all others at the moment before: time goes forward."""
    moments = metafunc.config.getoption("at")
    if len(moments) > 1:
        metafunc.fixturenames.append("moment")
        metafunc.parametrize("moment", moments, scope="session")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Sets the clock, also for fixtures of all scopes. It goes on: of two records one was made first.

    A test that asks for another time has the fixture `time_machine`, or the marker of that name. Tests that
    start processes have their clock, that of the machine.
    """
    if has_machine_clock(item):
        return (yield)
    with time_machine.travel(moment_of(item)):
        return (yield)


def moment_of(item):
    (first, *others) = item.config.getoption("at")
    return item.callspec.params["moment"] if others else first


def pytest_itemcollected(item):
    """What starts a server or a browser is of `make e2e`, as is what is marked: that needs other programs."""
    if PROGRAMS & set(item.fixturenames):
        item.add_marker("e2e")


def has_machine_clock(item):
    is_marked = any(item.get_closest_marker(name) for name in ("machine_clock", "faults", "large"))
    return is_marked or SERVERS & set(item.fixturenames)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Puts long tests first, so that no process ends long after the others, and names the groups of tests.

    At another moment than MOMENT those with the machine's clock are left out: it would be the same for them.
    So are, on a server, those that speak to no database or are about pages: they have been tried with SQLite.
    """
    if config.getoption("at") != [MOMENT]:
        leave_out(config, items, has_machine_clock)
    if not settings.SQLITE:
        leave_out(config, items, lambda item: not speaks_to_the_database(item))
    if not settings.SQLITE and not settings.CITUS:
        leave_out(config, items, is_about_pages)
    items.sort(key=lambda item: not PROGRAMS & set(item.fixturenames))
    name_groups(config, items)


def leave_out(config, items, condition):
    config.hook.pytest_deselected(items=[item for item in items if condition(item)])
    items[:] = [item for item in items if not condition(item)]


def speaks_to_the_database(item):
    databases = {"db", "transactional_db", "live_server", "prepared", "template"}
    return item.get_closest_marker("django_db") or databases & set(item.fixturenames)


# Fixtures that are signed in to pages.
PAGES = {"page", "admin_page", "browser"}


def is_about_pages(item):
    """Whether a test goes through pages, which are made alike of what any database answers.

    On a server web/test_every_screen.py opens each page, faults/test_failing_statements.py sends each form,
    and what is marked `each_database` is tried.
    """
    return PAGES & set(item.fixturenames) and not item.get_closest_marker("each_database")


def pytest_collection_finish():
    gc.freeze()  # what is loaded by now stays: no collection searches it, as in gunicorn.conf.py


# Fixtures that start servers, or browsers as well.
SERVERS = {"prepared"}
PROGRAMS = {"chromium", *SERVERS}


def name_groups(config, items):
    """Adds the group of a test to its id, where pytest-xdist looks for it.

    Since pytest 9.2 it does so in vain by itself, and ignores all groups (pytest-xdist's issue 1386).
    """
    if not getattr(config.option, "loadgroup", False):
        return
    for item in items:
        groups = {mark.args[0] for mark in item.iter_markers("xdist_group")}
        suffix = f"@{'_'.join(sorted(groups))}"
        if groups and not item.nodeid.endswith(suffix):
            item._id = item._id.parse(item.nodeid + suffix)


@pytest.fixture(scope="session")
def template(tmp_path_factory, worker_id):
    """The URL of a prepared database, to be copied, or "" on a cluster. Parallel processes share it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "prepared"
    folder.mkdir(exist_ok=True)
    with prepared_database(folder) as url:
        yield url


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request, template, testrun_uid):
    """Each process has a database of its own: by its name or, on SQLite, in memory. It is a copy.

    pytest-django leaves a database in memory alone if its backend is Django's own.
    """
    test = connection.settings_dict["TEST"]
    test["MIGRATE"] = not template
    if settings.SQLITE:
        with in_memory.copied(template.removeprefix("sqlite:///")):
            yield
    else:
        test["NAME"] = f"test_{testrun_uid[:12]}"  # another run may be under way on the server
        test["TEMPLATE"] = urlsplit(template).path[1:] or None
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        if settings.CITUS:
            call_command("load_catalogue", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE catalogue_of_tests AS SELECT * FROM training_exercise")
    post_migrate.connect(restore_catalogue, sender=apps.get_app_config("training"))
    with in_memory.restored() if settings.SQLITE else nullcontext():
        yield


def restore_catalogue(plan=None, **kwargs):
    """Brings the catalogue back after the flush that ends a test which commits, and which has no plan."""
    if plan is None:
        columns = ", ".join(f'"{field.column}"' for field in Exercise._meta.concrete_fields)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO training_exercise ({columns}) SELECT {columns} FROM catalogue_of_tests"
            )


@pytest.fixture(scope="module")
def transaction_of_module(django_db_setup, django_db_blocker):
    """For rows that fixtures of a module make once. Each test rolls back its own; none commits."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def test_settings(settings):
    """Fast password hashing, and static files that are served from the source tree."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "whitenoise" not in name]
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(autouse=True)
def fresh_counters(settings, monkeypatch):
    """Gives each test separate rate limit counters, also in a Redis that parallel tests share."""
    prefix = uuid4().hex
    settings.CACHES = {name: {**cache, "KEY_PREFIX": prefix} for name, cache in settings.CACHES.items()}
    monkeypatch.setattr(CounterCache, "paused_until", 0.0)
    logs.quiet_until.clear()
    key_use.last_stored.clear()
    key_days.unstored.take()
    sessions.unstored.take()


@pytest.fixture(autouse=True)
def statements_name_the_account():
    with watched_statements.watched() as anonymous:
        yield anonymous
    assert anonymous == []


@pytest.fixture
def unlimited(monkeypatch):
    """For tests that send more than a key or an address may."""
    monkeypatch.setattr(rate_limits, "LIMITS", dict.fromkeys(rate_limits.LIMITS, "1000000/m"))


class ApiClient:
    """Sends API requests with one key, or without one. Paths are relative to /api/v1."""

    def __init__(self, key=None):
        self.key = key
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=False)

    def call(self, method, path, body=None, *, query=None, headers=None, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self.key}", **(headers or {})} if self.key else headers or {}
        if body is None:
            return self.client.generic(method, f"/api/v1{path}", headers=headers, query_params=query)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.generic(
            method, f"/api/v1{path}", data, headers=headers, query_params=query, CONTENT_TYPE=content_type
        )

    def get(self, path, **query):
        return self.call("GET", path, query=query)

    def post(self, path, body):
        return self.call("POST", path, body)

    def put(self, path, body):
        return self.call("PUT", path, body)

    def patch(self, path, body):
        return self.call("PATCH", path, body)

    def delete(self, path):
        return self.call("DELETE", path)


def client_of(account, scope="read_write"):
    key, _ = account.issue_key("test", scope, "never")
    return ApiClient(key)


@pytest.fixture
def account(db):
    return AccountFactory(email="lifter@example.org", display_name="Lifter")


@pytest.fixture
def stranger(db):
    return AccountFactory(email="stranger@example.org", display_name="Stranger")


@pytest.fixture
def api(account):
    """The account's client, with a key of scope read_write."""
    return client_of(account)


@pytest.fixture
def reader(account):
    """The account's client, with a key of scope read."""
    return client_of(account, "read")


@pytest.fixture
def stranger_api(stranger):
    return client_of(stranger)


@pytest.fixture
def nobody(db):
    return ApiClient()


@pytest.fixture
def page(account):
    """A browser in which the account has just signed in."""
    return freshly_signed_in(account)


@pytest.fixture
def admin_page(db):
    """A browser in which a superuser is signed in."""
    return freshly_signed_in(Account.objects.create_superuser("root@example.org", "correct horse"))


def freshly_signed_in(account):
    """A browser in which the account has just given its password."""
    client = Client()
    client.force_login(account)
    session = client.session
    session[fresh.CONFIRMED_AT] = time.time()
    session.save()
    return client


@pytest.fixture
def sends_mail(settings):
    """The service sends mail: to `django.core.mail.outbox`."""
    settings.SENDS_MAIL = True
    settings.DEFAULT_FROM_EMAIL = "Fitness <fit@example.org>"


def path_of(link):
    """A link of the service as the test client takes it."""
    return link.split(":8000", 1)[1]


def link_in(message):
    """The path and query of the first link of a mail."""
    return path_of(re.search(r"http://\S+", message.body)[0])


def problems(response):
    """The details of a 400 response, as {path: message}."""
    assert response.status_code == 400, response.content
    return {item["path"]: item["message"] for item in response.json()["error"]["details"]}


@contextmanager
def statements():
    """Collects the SQL statements that are executed inside, without those that only delimit transactions."""
    executed = []
    with CaptureQueriesContext(connection) as captured:
        yield executed
    delimiters = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT", "ROLLBACK")
    executed += [query["sql"] for query in captured if not query["sql"].startswith(delimiters)]


def a_set(weight_kg=100, reps=5, **fields):
    return {"weight_kg": weight_kg, "reps": reps, **fields}


def a_workout(*sets, exercise_id="barbell-bench-press", started_at="2026-03-02T17:30:00Z", **fields):
    """The request body of a workout: one exercise with these sets, or no exercise."""
    exercises = [{"exercise_id": exercise_id, "sets": list(sets)}] if sets else []
    return {"started_at": started_at, "duration_seconds": 3600, "exercises": exercises, **fields}


@pytest.fixture
def log_workout(api):
    """Logs a workout through the API and returns the stored workout."""

    def log(*sets, **fields):
        response = api.post("/workouts", a_workout(*sets, **fields))
        assert response.status_code == 201, response.content
        return response.json()

    return log


@pytest.fixture(scope="session")
def prepared(template):
    """The URL of a prepared database, which servers copy, or "" on a cluster."""
    return template


@pytest.fixture(scope="session")
def server(tmp_path_factory, prepared):
    """One gunicorn for this test process, on a new database."""
    with running_server(tmp_path_factory.mktemp("server"), prepared) as server:
        yield server
