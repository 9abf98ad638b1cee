"""What has expired goes by itself, once an hour, and disturbs nobody."""

import datetime
import runpy
from types import SimpleNamespace

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from accounts.retries import KeptAnswer
from fitness import purge
from tests.conftest import a_set, a_workout, statements
from tests.server import ROOT

DAY = datetime.timedelta(days=1)


class Unclosed:
    def close(self):
        pass


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No pauses; and the connection of the test stays open."""
    monkeypatch.setattr(purge, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(purge, "connection", Unclosed())


@pytest.fixture
def expired(page, api, time_machine, monkeypatch):
    """A session and 250 kept answers that have expired, and one answer that has not."""
    monkeypatch.setattr("accounts.retries.START", 4_000_000_000)  # by which no clock here is ahead
    time_machine.move_to(timezone.now())
    api.call("POST", "/workouts", a_workout(a_set()), headers={"Idempotency-Key": "first"})
    first = KeptAnswer.objects.get()
    KeptAnswer.objects.bulk_create(
        KeptAnswer(api_key=first.api_key, idempotency_key=str(number), created_at=first.created_at)
        for number in range(249)
    )
    time_machine.shift(15 * DAY)
    KeptAnswer.objects.create(api_key=first.api_key, idempotency_key="new")


@pytest.mark.usefixtures("expired")
def test_expired_sessions_and_answers_go_and_others_stay(client, account):
    client.force_login(account)
    purge.purge_if_due()
    assert Session.objects.count() == 1
    assert [answer.idempotency_key for answer in KeptAnswer.objects.all()] == ["new"]


@pytest.mark.usefixtures("expired")
def test_no_statement_deletes_more_than_a_hundred_rows():
    with statements() as run:
        purge.purge_if_due()
    counts = [sql.count(",") + 1 for sql in run if sql.startswith('DELETE FROM "accounts_keptanswer"')]
    assert counts == [100, 100, 50]


def test_one_process_does_it_once_an_hour(monkeypatch):
    runs = []
    monkeypatch.setattr(purge, "purge", lambda: runs.append(1))
    for _ in range(3):
        purge.purge_if_due()
    assert len(runs) == 1
    for name in ("counters", "local_counters"):
        caches[name].delete("purge")  # what the end of the hour does
        caches[name].delete("seen:purge")
    purge.purge_if_due()
    assert len(runs) == 2


def test_a_database_that_does_not_answer_is_a_line_in_the_log(monkeypatch, caplog):
    def fail():
        raise OperationalError("database is locked")

    monkeypatch.setattr(purge, "purge", fail)
    purge.purge_if_due()
    assert "stay for another hour: database is locked" in caplog.text


@pytest.mark.usefixtures("expired")
def test_preparing_purges_too(monkeypatch):
    monkeypatch.setattr("fitness.management.commands.prepare.collect_static", lambda: None)
    call_command("prepare", verbosity=0)
    assert KeptAnswer.objects.count() == 1


def test_it_is_tried_after_a_minute_and_then_every_hour(monkeypatch):
    class Enough(Exception):
        pass

    waited, tried = [], []

    def sleep(seconds):
        waited.append(seconds)
        if len(waited) == 3:
            raise Enough

    monkeypatch.setattr(purge, "purge_if_due", lambda: tried.append(len(waited)))
    monkeypatch.setattr(purge.time, "sleep", sleep)
    with pytest.raises(Enough):
        purge.purge_every_hour()
    assert (waited, tried) == ([60, 3600, 3600], [1, 2])


def test_each_process_of_the_server_starts_it(monkeypatch):
    monkeypatch.setenv("STATEMENT_TIMEOUT", "10")  # the file sets it where nobody has
    started = []
    monkeypatch.setattr(purge, "start", lambda: started.append(1))
    monkeypatch.setattr("os.umask", lambda mode: None)  # so does it with the mode of new files
    configuration = runpy.run_path(str(ROOT / "gunicorn.conf.py"))
    configuration["post_worker_init"](SimpleNamespace(age=2))
    assert started == [1]
