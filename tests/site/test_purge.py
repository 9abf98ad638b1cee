"""Expired rows are deleted once an hour, a few at a time."""

import datetime

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.utils import timezone

from accounts import purge
from accounts.idempotency import IdempotentRequest
from accounts.sessions import Session
from tests.conftest import a_set, a_workout, statements

pytestmark = pytest.mark.each_database

DAY = datetime.timedelta(days=1)


def purge_if_due():
    return list(purge.purging_if_due())


@pytest.fixture
def expired(page, api, time_machine, monkeypatch):
    """An expired session, 250 expired results of requests, and one result that has not expired."""
    monkeypatch.setattr(
        "accounts.idempotency.PROCESS_START", 4_000_000_000
    )  # so that no clock is ahead of it
    time_machine.move_to(timezone.now())
    api.call("POST", "/workouts", a_workout(a_set()), headers={"Idempotency-Key": "first"})
    first = IdempotentRequest.objects.get()
    IdempotentRequest.objects.bulk_create(
        IdempotentRequest(
            account=first.account,
            api_key=first.api_key,
            idempotency_key=str(number),
            created_at=first.created_at,
        )
        for number in range(249)
    )
    time_machine.shift(15 * DAY)
    IdempotentRequest.objects.create(account=first.account, api_key=first.api_key, idempotency_key="new")


@pytest.mark.usefixtures("expired")
def test_expired_sessions_and_results_are_deleted_and_others_stay(client, account):
    client.force_login(account)
    purge_if_due()
    assert Session.objects.count() == 1
    assert [answer.idempotency_key for answer in IdempotentRequest.objects.all()] == ["new"]


@pytest.mark.usefixtures("expired")
def test_no_statement_deletes_more_than_a_hundred_rows():
    with statements() as run:
        purge_if_due()
    counts = [sql.count(",") + 1 for sql in run if sql.startswith('DELETE FROM "accounts_idempotentrequest"')]
    assert counts == [100, 100, 50]


def test_one_process_purges_once_an_hour(monkeypatch):
    runs = []
    monkeypatch.setattr(purge, "purging", lambda: iter([runs.append(1)]))
    for _ in range(3):
        purge_if_due()
    assert len(runs) == 1
    for name in ("counters", "local_counters"):
        caches[name].delete("purge")  # as when the hour ends
        caches[name].delete("seen:purge")
    purge_if_due()
    assert len(runs) == 2


@pytest.mark.usefixtures("expired")
def test_preparing_purges_too(monkeypatch, settings, tmp_path):
    settings.DATA_DIR = tmp_path  # where it notes the database
    monkeypatch.setattr("fitness.management.commands.prepare.collect_static", lambda: None)
    call_command("prepare", verbosity=0)
    assert IdempotentRequest.objects.count() == 1
