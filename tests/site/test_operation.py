"""Health, logs and checks, for the people who run the service."""

import datetime
import io
import json
import logging
import os
import re
import shutil
import subprocess
import time
from urllib.parse import quote

import pytest
import time_machine
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from pythonjsonlogger.json import JsonFormatter

from accounts import keys
from accounts.models import Task
from fitness import __version__, logs
from fitness.logs import RedactKeys
from tests.conftest import client_of
from tests.factories import PASSWORD
from tests.mcp_endpoint.conftest import ToolClient
from tests.server import ROOT

FAIL2BAN_FILTER = ROOT / "docs" / "operations" / "fail2ban" / "filter.conf"


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


# --- The line of a request --------------------------------------------------------------------------


FIELDS = ("method", "path", "status", "address", "account", "key", "code", "place")
ADDRESS = "203.0.113.9"


@pytest.fixture
def log(monkeypatch):
    """What the service's own handler writes from now on."""
    (handler,) = [one for one in logging.getLogger().handlers if type(one) is logging.StreamHandler]
    monkeypatch.setattr(handler, "stream", io.StringIO())
    return handler.stream


@pytest.fixture
def line(log):
    """The fields of the newest line about a request, but those that differ each time."""

    def newest():
        lines = [json.loads(line) for line in log.getvalue().splitlines()]
        newest = [line for line in lines if line["logger"] == "fitness.requests"][-1]
        assert newest.keys() >= {"at", "level", "message", "milliseconds", "request_id"}
        return {name: value for name, value in newest.items() if name in FIELDS}

    return newest


def test_the_line_of_a_request_has_a_field_for_each_fact(account, line):
    api = client_of(account)
    api.client.defaults["REMOTE_ADDR"] = ADDRESS
    api.get("/workouts", cursor="secret")
    assert line() == {
        "method": "GET",
        "path": "/api/v1/workouts",
        "status": 400,
        "address": ADDRESS,
        "account": str(account.pk),
        "key": keys.hint(api.key),
        "code": "invalid_request",
        "place": "query.cursor",
    }


def test_the_line_of_a_good_request_has_no_code(api, line):
    api.post("/weight-logs", {"weight_kg": 0})
    api.get("/me")
    newest = line()
    assert newest["status"] == 200
    assert {"code", "place"}.isdisjoint(newest)


def requests_in(log):
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in lines if line["logger"] == "fitness.requests"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_that_finds_all_well_is_no_line(client, db, log, path):
    client.get(path)
    client.head(path)
    assert requests_in(log) == []


def test_a_probe_that_does_not_is_one(client, db, log, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("fitness.site.monitoring.tasks_are_neglected", lambda: True)
        client.get("/readyz")

    def down(self):
        raise OperationalError("down")

    with monkeypatch.context() as patch:
        patch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", down)
        client.get("/readyz")
    client.post("/healthz")
    degraded, unavailable, refused = requests_in(log)
    assert (degraded["status"], degraded["code"]) == (200, "degraded")
    assert unavailable["status"] == 503
    assert refused["status"] == 404


REFUSED = {
    "an unknown record": ("/workouts/nope", 404, "not_found"),
    "an unknown address": ("/nowhere", 404, "not_found"),
    "an unknown parameter, whose name is the client's text": ("/workouts?diary=x", 400, "invalid_request"),
}


@pytest.mark.parametrize(("path", "status", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_the_line_of_a_refusal_has_its_code(api, line, path, status, code):
    api.get(path)
    newest = line()
    assert (newest["status"], newest["code"]) == (status, code)
    assert "place" not in newest


def test_the_line_of_a_refused_call_of_a_tool_has_its_code(api, line):
    tools = ToolClient(api.key)
    tools.call("log_weight", {"weight_kg": -1})
    newest = line()
    assert (newest["status"], newest["code"]) == (200, "invalid_request")
    assert newest["place"] == "arguments.weight_kg"
    tools.legacy("no such method")
    assert line()["code"] == "-32601"


def test_the_line_of_a_program_s_refusal_has_the_code_of_oauth(client, db, line, settings):
    settings.PUBLIC_URL = "http://localhost"
    form = "application/x-www-form-urlencoded"
    client.post("/token", "grant_type=password", content_type=form, headers={"Host": "localhost"})
    assert line()["code"] == "unsupported_grant_type"


def test_the_line_of_a_screen_names_who_is_signed_in(account, page, client, line):
    page.get("/workouts")
    assert line()["account"] == str(account.pk)
    client.get("/workouts")
    assert "account" not in line()
    client.post("/sign-in", {"username": account.email, "password": PASSWORD})
    assert line()["account"] == str(account.pk)


def test_a_key_that_a_client_wrote_anywhere_is_blotted_out_of_the_lines(account, log):
    tools = ToolClient(client_of(account).key)
    tools.legacy(tools.key)
    Client().get(f"/nowhere/{tools.key}")
    assert log.getvalue().count("svc_[redacted]") == 2
    assert tools.key not in log.getvalue()
    assert json.loads(log.getvalue().splitlines()[0])["key"] == keys.hint(tools.key)


@pytest.mark.parametrize("setups", [0, 1])
def test_strange_hosts_are_one_line_a_minute_without_a_traceback(db, log, setups):
    """The lines about their requests apart, which everybody's have."""
    strange_hosts = logging.getLogger("django.security.DisallowedHost")
    for _ in range(setups):
        strange_hosts.addFilter(logs.OnceAMinute())
    for host in ("evil.example", "evil.example", "other.example"):
        assert Client(HTTP_HOST=host).get("/docs").status_code == 400
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    (strange,) = [line for line in lines if line["logger"] != "fitness.requests"]
    assert "evil.example" in strange["message"]
    assert "traceback" not in strange


# --- The filter of fail2ban -------------------------------------------------------------------------


@pytest.fixture
def failed_sign_ins(client, account, log):
    """What the service logs of a wrong password, from an IPv4 address and from a network of IPv6."""
    client.post("/sign-in", {"username": account.email, "password": "wrong"}, REMOTE_ADDR=ADDRESS)
    client.post("/sign-in", {"username": account.email, "password": "wrong"}, REMOTE_ADDR="2001:db8::1")
    faked = '"logger": "fitness.accounts", "message": "sign-in failed", "address": "198.51.100.1"'
    client.get(f"/nowhere/{quote(faked)}")
    return log.getvalue()


def test_the_expression_for_fail2ban_finds_the_addresses_of_failed_sign_ins(failed_sign_ins):
    expression = FAIL2BAN_FILTER.read_text().partition("failregex = ")[2].partition("\n")[0]
    found = re.findall(expression.replace("<SUBNET>", "([0-9a-f.:/]+)"), failed_sign_ins)
    assert found == [ADDRESS, "2001:db8::/64"]


@pytest.mark.skipif(not shutil.which("fail2ban-regex"), reason="fail2ban is not installed")
def test_fail2ban_finds_failed_sign_ins_and_their_time(failed_sign_ins, tmp_path):
    log = tmp_path / "fitness.log"
    log.write_text(failed_sign_ins)
    command = ["fail2ban-regex", "--out", "<ip> <time>", log, FAIL2BAN_FILTER]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TZ": "UTC"})
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [ADDRESS, "2001:db8::/64"], done.stdout + done.stderr
    assert all(abs(float(row[1]) - time.time()) < 3600 for row in rows)


# --- Health, faults and checks ----------------------------------------------------------------------


def test_health_needs_no_database(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        assert client.get("/healthz").json() == {"status": "ok"}


def test_health_names_the_version_to_staff_while_the_database_answers(
    admin_page, page, monkeypatch, django_assert_num_queries
):
    with django_assert_num_queries(2):
        assert admin_page.get("/healthz").json() == {"status": "ok", "version": __version__}
    assert page.get("/healthz").json() == {"status": "ok"}

    def down(self):
        raise OperationalError("down")

    with monkeypatch.context() as patch:
        patch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.cursor", down)
        assert admin_page.get("/healthz").json() == {"status": "ok"}


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


def test_readiness_is_degraded_where_nobody_does_the_long_work(client, account, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    Task.objects.ask(account.pk, Task.Kind.IMPORT)
    assert client.get("/readyz").json() == {"status": "ok"}
    time_machine.shift(30)
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"status": "degraded", "tasks": "nobody works on them"}
    assert Task.objects.get().hold("here:1")
    assert client.get("/readyz").json() == {"status": "ok"}


def test_readiness_does_not_depend_on_the_nodes_that_have_the_tasks(client, db, monkeypatch):
    def away(self):
        raise OperationalError("a node is away")

    monkeypatch.setattr("accounts.models.task.TaskQuerySet.are_neglected", away)
    assert client.get("/readyz").json() == {"status": "ok"}


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
