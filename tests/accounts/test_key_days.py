"""The use of keys by day, which requests count and a task stores."""

import datetime

import pytest
from django.db import OperationalError, connections
from django.utils import timezone

from accounts import key_days
from accounts.key_days import KeyDay, unstored
from accounts.purge import purge
from accounts.unstored import store_each_minute, store_uses
from fitness.api import rate_limits
from fitness.site import account_data
from tests.conftest import a_set, a_workout, statements
from tests.mcp_endpoint.conftest import ToolClient


def stored():
    """(requests, writes, refusals) of the only row."""
    store_uses()
    day = KeyDay.objects.get()
    return day.requests, day.writes, day.refusals


def test_requests_writes_and_refusals_of_the_api(api):
    api.get("/workouts")
    api.post("/workouts", a_workout(a_set()))
    api.post("/workouts", {})
    api.get("/workouts/00000000-0000-0000-0000-000000000000")
    assert stored() == (4, 1, 2)


def test_writes_with_a_read_key_and_requests_over_the_limit_are_refusals(reader, monkeypatch):
    monkeypatch.setattr(rate_limits, "LIMITS", {"key": "1/m", "address": "9/m"})
    reader.post("/workouts", a_workout())
    reader.get("/workouts")
    assert stored() == (2, 0, 2)


def test_calls_of_tools(api):
    tools = ToolClient(api.key)
    tools.get("log_weight", weight_kg=80)
    tools.get("list_workouts")
    tools.call("log_weight", {"weight_kg": -1})
    assert stored() == (3, 1, 1)


def test_a_tool_that_a_read_key_may_not_call_is_a_refusal_also_within_a_session(reader):
    call = {"name": "log_weight", "arguments": {"weight_kg": 80}}
    response = ToolClient(reader.key).legacy("tools/call", call)
    assert response.json()["result"]["isError"]
    assert stored() == (1, 0, 1)


def test_counts_of_one_day_are_added_up(api):
    api.get("/workouts")
    assert stored() == (1, 0, 0)
    api.get("/workouts")
    assert stored() == (2, 0, 0)


def test_each_day_and_key_has_a_row_of_its_own(account, api, reader, clock):
    api.get("/workouts")
    reader.get("/workouts")
    store_uses()
    clock.shift(datetime.timedelta(days=1))
    api.get("/workouts")
    store_uses()
    days = sorted(account.key_days.values_list("day", "requests"))
    today = timezone.now().date()
    assert days == [(today - datetime.timedelta(days=1), 1)] * 2 + [(today, 1)]


def test_invalid_keys_are_counted_for_nobody(client, account):
    client.get("/api/v1/workouts", headers={"Authorization": "Bearer svc_unknown"})
    store_uses()
    assert not KeyDay.objects.exists()


def test_a_request_takes_no_statement_more(api):
    api.get("/workouts")
    with statements() as executed:
        api.get("/workouts")
    assert not [sql for sql in executed if "keyday" in sql]


def test_counts_wait_for_a_database_that_is_down(api, monkeypatch):
    api.get("/workouts")
    with monkeypatch.context() as patch:
        patch.setattr(key_days, "add_to_today", fail)
        store_uses()
    assert stored() == (1, 0, 0)


def fail(*arguments):
    raise OperationalError


@pytest.mark.django_db(transaction=True)
def test_counts_of_a_deleted_account_are_dropped(transactional_db, account, api):
    api.get("/workouts")
    account_data.delete(account)
    store_uses()
    assert not unstored.uses
    assert not KeyDay.objects.exists()


def test_days_are_deleted_after_400(api, clock):
    api.get("/workouts")
    store_uses()
    clock.shift(datetime.timedelta(days=400))
    purge()
    assert KeyDay.objects.exists()
    clock.shift(datetime.timedelta(days=1))
    purge()
    assert not KeyDay.objects.exists()


def test_a_process_stores_each_minute(api, monkeypatch):
    api.get("/workouts")
    slept, closed = [], []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) > 2:
            raise SystemExit

    monkeypatch.setattr("time.sleep", sleep)
    monkeypatch.setattr(connections, "close_all", lambda: closed.append(KeyDay.objects.get().requests))
    with pytest.raises(SystemExit):
        store_each_minute()
    assert (slept, closed) == ([60, 60, 60], [1, 1])
