"""What tests start from: a catalogue, people with keys, and a client that speaks JSON."""

import json
from contextlib import contextmanager
from uuid import uuid4

import hypothesis
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Account
from fitness.api.counters import CounterCache
from tests.factories import AccountFactory
from tests.server import running_server

# Generated values are tried however slow the machine is.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        call_command("load_catalogue", verbosity=0)


@pytest.fixture(autouse=True)
def test_settings(settings):
    """Cheap passwords, and static files as they lie in the source."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "whitenoise" not in name]
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(autouse=True)
def fresh_counters(settings, monkeypatch):
    """Counters of its own for each test, also in the Redis that parallel tests share."""
    prefix = uuid4().hex
    settings.CACHES = {name: {**cache, "KEY_PREFIX": prefix} for name, cache in settings.CACHES.items()}
    monkeypatch.setattr(CounterCache, "paused_until", 0.0)
    monkeypatch.setattr(CounterCache, "warned_at", 0.0)


class ApiClient:
    """Calls the API as one key would; paths are relative to /api/v1."""

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
    """The account's client, with a key that may read and write."""
    return client_of(account)


@pytest.fixture
def reader(account):
    """The account's client, with a key that may only read."""
    return client_of(account, "read")


@pytest.fixture
def stranger_api(stranger):
    return client_of(stranger)


@pytest.fixture
def nobody(db):
    return ApiClient()


@pytest.fixture
def page(account):
    """The account's browser, signed in."""
    client = Client()
    client.force_login(account)
    return client


@pytest.fixture
def admin_page(db):
    """The browser of somebody who administers the service."""
    client = Client()
    client.force_login(Account.objects.create_superuser("root@example.org", "correct horse"))
    return client


def problems(response):
    """The details of a refusal, as {path: message}."""
    assert response.status_code == 400, response.content
    return {item["path"]: item["message"] for item in response.json()["error"]["details"]}


@contextmanager
def statements():
    """Collects the SQL statements that run inside, without those that only bound a transaction."""
    run = []
    with CaptureQueriesContext(connection) as captured:
        yield run
    bounds = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT", "ROLLBACK")
    run += [query["sql"] for query in captured if not query["sql"].startswith(bounds)]


def a_set(weight_kg=100, reps=5, **fields):
    return {"weight_kg": weight_kg, "reps": reps, **fields}


def a_workout(*sets, exercise_id="barbell-bench-press", started_at="2026-03-02T17:30:00Z", **fields):
    """A workout's body: one exercise with these sets, or none."""
    exercises = [{"exercise_id": exercise_id, "sets": list(sets)}] if sets else []
    return {"started_at": started_at, "duration_seconds": 3600, "exercises": exercises, **fields}


@pytest.fixture
def log_workout(api):
    """Logs a workout through the API and answers the stored record."""

    def log(*sets, **fields):
        response = api.post("/workouts", a_workout(*sets, **fields))
        assert response.status_code == 201, response.content
        return response.json()

    return log


@pytest.fixture
def catalogue_for_those_who_follow(django_db_setup, django_db_blocker):
    yield
    with django_db_blocker.unblock():
        call_command("load_catalogue", verbosity=0)


@pytest.fixture
def catalogue(catalogue_for_those_who_follow, transactional_db):
    """For tests that commit: the flush after each of them takes the catalogue with it."""
    call_command("load_catalogue", verbosity=0)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A gunicorn of this test process's own, on a database of its own."""
    with running_server(tmp_path_factory.mktemp("server")) as server:
        yield server
