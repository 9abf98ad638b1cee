"""Work beside requests: when it runs, and that nothing ends it."""

import subprocess
import sys

import pytest
from django.db import OperationalError

from fitness import background
from fitness.background import Task
from tests.server import ROOT


class Enough(BaseException):
    """Ends a task that would go on for ever."""


class Unclosed:
    def close(self):
        pass


@pytest.fixture(autouse=True)
def connection_of_the_test(monkeypatch):
    monkeypatch.setattr(background, "connection", Unclosed())


def repeat(task, monkeypatch, times):
    """Runs a task so often. Returns how long it waited before each run."""
    waited = []

    def wait(seconds):
        if len(waited) == times:
            raise Enough
        waited.append(seconds)

    monkeypatch.setattr(task.woken, "wait", wait)
    with pytest.raises(Enough):
        task.repeat()
    return waited


def test_a_task_runs_when_it_says_that_it_is_due(monkeypatch):
    task = Task("test", iter([7, 9, 11]).__next__, first_seconds=60, retry_seconds=1)
    assert repeat(task, monkeypatch, 3) == [60, 7, 9]


def test_a_fault_is_logged_and_the_task_runs_again(monkeypatch, caplog):
    runs = []

    def run():
        runs.append(1)
        if len(runs) == 1:
            raise OperationalError("database is locked")
        return 30

    task = Task("test", run, retry_seconds=10)
    assert repeat(task, monkeypatch, 3) == [0, 10, 30]
    assert "test failed and is tried again: database is locked" in caplog.text


def test_waking_runs_a_task_at_once():
    task = Task("test", lambda: 3600, retry_seconds=1)
    task.wake()
    assert task.woken.wait(0)


def test_each_process_that_serves_starts_both():
    names = "import fitness.wsgi, threading; print(*sorted(thread.name for thread in threading.enumerate()))"
    started = subprocess.run([sys.executable, "-c", names], cwd=ROOT, capture_output=True, text=True)
    assert {"catalogue", "purge"} <= set(started.stdout.split()), started.stderr
