"""What tests start from: a catalogue, people with keys, and a client that speaks JSON."""

import json

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.test import Client

from accounts.models import Account


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        call_command("load_catalogue", verbosity=0)


@pytest.fixture(autouse=True)
def test_settings(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(autouse=True)
def fresh_counters():
    caches["counters"].clear()
    caches["local_counters"].clear()


class ApiClient:
    """Calls the API as one key would; paths are relative to /api/v1."""

    def __init__(self, key=None):
        self.key = key
        self.client = Client(raise_request_exception=False)

    def call(self, method, path, body=None, *, query=None, headers=None, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self.key}", **(headers or {})} if self.key else headers or {}
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.generic(
            method,
            f"/api/v1{path}",
            data,
            content_type=content_type if data else "",
            headers=headers,
            query_params=query,
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
    return Account.objects.create_user("lifter@example.org", "correct horse", display_name="Lifter")


@pytest.fixture
def stranger(db):
    return Account.objects.create_user("stranger@example.org", "correct horse", display_name="Stranger")


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


def problems(response):
    """The details of a refusal, as {path: message}."""
    assert response.status_code == 400, response.content
    return {item["path"]: item["message"] for item in response.json()["error"]["details"]}
