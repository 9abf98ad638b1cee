"""The warnings about mistakes of an installation."""

import os
import subprocess
import sys

import pytest
from django.conf import settings as project
from django.core.checks import run_checks
from django.db import OperationalError

import fitness.urls  # noqa: F401  (loads the pages of staff)
from accounts.factors.models import Authenticator
from accounts.factors.sealing import seal
from fitness import checks
from tests.conftest import freshly_signed_in
from tests.server import ROOT, Server

SITE = "https://fitness.example.org"
PUBLISHED = {
    "PUBLIC_URL": SITE,
    "TRUSTED_PROXIES": "1",
    "SECRET_KEY": "0123456789abcdef" * 4,
    "DATABASE_URL": "postgres://fitness@127.0.0.1/fitness",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "WEB_CONCURRENCY": "4",
}


def found():
    return [finding.id for finding in run_checks(tags=["fitness"], include_deployment_checks=True)]


@pytest.fixture
def collected(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "staticfiles.json").write_text("{}")


MISTAKES = {
    "several processes without shared counters": ({"WEB_CONCURRENCY": 2, "REDIS_URL": ""}, "fitness.W001"),
    "https that nobody may tell": ({"PUBLIC_URL": SITE, "TRUSTED_PROXIES": 0}, "fitness.W002"),
    "a proxy without an address": ({"PUBLIC_URL": "", "TRUSTED_PROXIES": 1}, "fitness.W003"),
    "passwords in the clear": (
        {"PUBLIC_URL": "http://fitness.example.org", "TRUSTED_PROXIES": 1},
        "fitness.W004",
    ),
    "static files left where they were": ({"STATIC_ROOT": "/nowhere"}, "fitness.W005"),
}


@pytest.mark.parametrize(("values", "number"), MISTAKES.values(), ids=MISTAKES.keys())
def test_each_mistake_has_its_warning(settings, collected, values, number):
    for name, value in values.items():
        setattr(settings, name, value)
    assert found() == [number]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"WEB_CONCURRENCY": 2, "REDIS_URL": "redis://127.0.0.1:6379/0"},
        {"PUBLIC_URL": SITE, "TRUSTED_PROXIES": 1},
        {"PUBLIC_URL": "http://localhost:8000"},
        {"PUBLIC_URL": "http://[::1]:8000"},
    ],
    ids=str,
)
def test_what_is_right_is_not_warned_about(settings, collected, values):
    for name, value in {"WEB_CONCURRENCY": 1, "REDIS_URL": "", **values}.items():
        setattr(settings, name, value)
    assert found() == []


def test_the_start_logs_a_line_for_each_finding(settings, collected, caplog, db):
    settings.PUBLIC_URL, settings.SECRET_KEY = "http://fitness.example.org", "short"
    checks.log_warnings()
    logged = {record.getMessage().split(":")[0] for record in caplog.records}
    assert logged == {"security.W009", "fitness.W004"}


def test_a_server_logs_at_its_start_what_is_wrong(tmp_path):
    server = Server(tmp_path, f"sqlite:///{tmp_path}/fitness.sqlite3", WEB_CONCURRENCY="2", REDIS_URL="")
    server.start()
    server.stop()
    assert server.log.count("fitness.W001: ") == 1


def of_secret_key():
    checks = run_checks(tags=["fitness"], include_deployment_checks=True, databases=["default"])
    return [finding for finding in checks if finding.id == "fitness.W008"]


@pytest.fixture
def signed_in(account):
    return freshly_signed_in(account)


@pytest.fixture
def with_app(account):
    Authenticator.objects.create(account=account, sealed_secret=seal(b"a secret of an app"), last_step=0)


@pytest.mark.parametrize("stored", ["signed_in", "with_app"])
def test_a_secret_key_that_did_not_sign_what_is_stored_has_its_warning(
    settings, collected, request, stored, caplog
):
    request.getfixturevalue(stored)
    assert of_secret_key() == []
    before, settings.SECRET_KEY = settings.SECRET_KEY, "another key of the tests"
    checks.log_warnings()
    (line,) = [record.getMessage() for record in caplog.records if "W008" in record.getMessage()]
    assert line.startswith("fitness.W008: SECRET_KEY is another one than before: everybody signs in again")
    settings.SECRET_KEY_FALLBACKS = [before]
    assert of_secret_key() == []


def test_the_first_sign_in_by_a_new_secret_key_ends_the_warning(settings, account, signed_in):
    settings.SECRET_KEY = "another key of the tests"
    freshly_signed_in(account)
    assert of_secret_key() == []


def test_a_secret_key_is_not_judged_where_nothing_is_stored_or_the_database_fails(db, monkeypatch):
    assert of_secret_key() == []

    def down(self):
        raise OperationalError("down")

    with monkeypatch.context() as patch:
        patch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", down)
        assert of_secret_key() == []


def test_a_published_service_passes_djangos_own_checks(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=ROOT,
        env={**os.environ, **PUBLISHED},
        capture_output=True,
        text=True,
        timeout=60,
    )
    warnings = [line for line in done.stderr.splitlines() if line.startswith("?:")]
    collected = (project.STATIC_ROOT / "staticfiles.json").exists()
    assert [line for line in warnings if collected or "fitness.W005" not in line] == []


def test_the_pages_of_staff_pass_djangos_own_checks():
    assert run_checks(tags=["admin"]) == []


OF_PAGES = ("accounts.admin", "accounts.web.forms", "drf_spectacular.openapi", "rest_framework.serializers")


def test_commands_load_nothing_of_pages():
    """It was a quarter of their memory and a third of the CPU of their start."""
    script = f"import sys; print(sorted(sys.modules.keys() & set({OF_PAGES})))"
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", script]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout == "[]\n"


def test_pages_work_before_static_files_are_collected(client, db, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "fitness.web.staticfiles.CollectedFiles"},
    }
    answer = client.get("/")
    assert answer.status_code == 200
    assert 'href="/static/fitness.css"' in answer.content.decode()
