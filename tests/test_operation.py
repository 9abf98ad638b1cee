"""What someone who runs the service relies on: health, logs, checks."""

import io
import json
import logging

import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.db import OperationalError
from pythonjsonlogger.json import JsonFormatter

from accounts import keys
from fitness.logs import RedactKeys


@pytest.fixture
def written():
    """A logger that is filtered and formatted as the service's, and what it wrote."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactKeys())
    handler.setFormatter(JsonFormatter())
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger, stream


def test_a_key_is_blotted_out_of_a_message_its_arguments_and_a_traceback(written):
    logger, stream = written
    key = keys.generate()
    logger.warning("key %s in %r", key, {"key": key})
    try:
        raise ValueError(f"bad key {key}")
    except ValueError:
        logger.exception("it failed")
    assert key[4:] not in stream.getvalue()
    assert stream.getvalue().count("svc_[redacted]") >= 3
    assert all(json.loads(line) for line in stream.getvalue().splitlines())


def test_every_log_handler_redacts_keys():
    assert all("redact" in handler["filters"] for handler in project.LOGGING["handlers"].values())


def test_health_needs_no_database(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        assert client.get("/healthz").json() == {"status": "ok"}


def test_readiness_asks_the_database(client, db, monkeypatch):
    assert client.get("/readyz").json() == {"status": "ok"}

    def down(self):
        raise OperationalError("down")

    with monkeypatch.context() as patch:
        patch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", down)
        response = client.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (503, "unavailable")


def test_no_migration_is_missing(db):
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
