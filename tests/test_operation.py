"""Health, logs and checks, for the people who run the service."""

import datetime
import io
import json
import logging

import pytest
import time_machine
from django.conf import settings as project
from django.core.management import call_command
from django.db import OperationalError, connection
from pythonjsonlogger.json import JsonFormatter

from accounts import keys
from fitness.logs import RedactKeys


@pytest.fixture
def written():
    """A logger with the filters and the format of the service, and its output."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactKeys())
    handler.setFormatter(JsonFormatter())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger, stream


@pytest.mark.parametrize("prefix", [keys.PREFIX, keys.CODE_PREFIX, keys.ACCESS_PREFIX, keys.REFRESH_PREFIX])
def test_a_key_is_blotted_out_of_a_message_its_arguments_and_a_traceback(written, prefix):
    logger, stream = written
    key = keys.generate(prefix)
    logger.warning("key %s in %r", key, {"key": key})
    try:
        raise ValueError(f"bad key {key}")
    except ValueError:
        logger.exception("it failed")
    assert key[len(prefix) :] not in stream.getvalue()
    assert stream.getvalue().count("svc_[redacted]") >= 3
    assert all(json.loads(line) for line in stream.getvalue().splitlines())


def test_every_log_handler_redacts_keys():
    assert all("redact" in handler["filters"] for handler in project.LOGGING["handlers"].values())


def test_health_needs_no_database(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        assert client.get("/healthz").json() == {"status": "ok"}


def test_readiness_needs_the_database(client, db, monkeypatch):
    assert client.get("/readyz").json() == {"status": "ok"}

    def down(self):
        raise OperationalError("down")

    with monkeypatch.context() as patch:
        patch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", down)
        response = client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (503, "unavailable")


def test_readiness_is_degraded_when_the_disk_is_full(client, db, monkeypatch):
    monkeypatch.setattr("fitness.site.monitoring.MIN_FREE_BYTES", 10**18)
    response = client.get("/readyz")
    expected = "ok" if connection.vendor == "postgresql" else "degraded"
    assert (response.status_code, response.json()["status"]) == (200, expected)


def test_a_database_error_logs_one_traceback_a_minute_and_one_line_each_time(api, caplog, monkeypatch):
    monkeypatch.setattr("fitness.logs.quiet_until", {})

    def down(self, *args, **kwargs):
        raise OperationalError("the database is down")

    with monkeypatch.context() as patch:
        patch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", down)
        for address in ["/workouts", "/goals", "/workouts"]:
            assert api.get(address).status_code == 503
    faults = [record for record in caplog.records if record.name != "fitness.requests"]
    assert [record.getMessage() for record in faults] == ["database fault: the database is down"] * 3
    assert [hasattr(record, "traceback") for record in faults] == [True, False, False]


def test_every_handler_keeps_tracebacks_brief():
    assert all("brief" in handler["filters"] for handler in project.LOGGING["handlers"].values())


@pytest.mark.parametrize(("seconds_ahead", "lines"), [(0, 0), (200, 0), (86_400, 1)])
def test_a_clock_that_ran_ahead_is_logged_once(account, caplog, monkeypatch, seconds_ahead, lines):
    monkeypatch.setattr("fitness.logs.quiet_until", {})
    with time_machine.travel(datetime.timedelta(seconds=seconds_ahead)):
        account.stamp()
    for _ in range(3):
        account.stamp()
    warnings = [record for record in caplog.records if "Let NTP set it" in record.getMessage()]
    assert len(warnings) == lines


def test_no_migration_is_missing(db):
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
