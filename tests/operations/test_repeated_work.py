"""What a process counts is stored by its own threads, from time to time."""

import logging
import math
import os
import selectors
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError
from gunicorn.config import Config

from accounts import key_days
from fitness.server import ThreadedServer
from tests.server import Http, running_server, wait_until


@pytest.fixture
def idle():
    """A server to which nobody comes."""
    found = ThreadedServer(1, os.getpid(), [], None, 30, Config(), logging.getLogger("test"))
    with selectors.DefaultSelector() as poller, ThreadPoolExecutor(2) as pool:
        found.poller, found.tpool = poller, pool
        yield found


@pytest.fixture
def unconnected(monkeypatch):
    """Threads of the pool leave the database of the tests alone."""
    monkeypatch.setattr("django.db.close_old_connections", lambda: None)


def test_work_runs_in_a_thread_once_it_is_due_and_again_after_the_seconds_that_it_returns(idle, unconnected):
    threads = []

    def work():
        threads.append(threading.current_thread())
        return 50

    idle.due_at = {work: 0}
    for _ in range(3):
        idle.wait_for_and_dispatch_events(0.1)
        wait_until(lambda: idle.due_at[work] < math.inf)
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()
    idle.due_at[work] -= 50
    idle.wait_for_and_dispatch_events(0)
    wait_until(lambda: len(threads) == 2)


def test_work_that_still_runs_is_not_started_again(idle, unconnected):
    may_end, runs = threading.Event(), []

    def work():
        runs.append(1)
        may_end.wait()
        return 0

    idle.due_at = {work: 0}
    for _ in range(3):
        idle.wait_for_and_dispatch_events(0.1)
    may_end.set()
    assert runs == [1]


def test_work_that_fails_is_logged_and_tried_again_with_another_connection(
    idle, unconnected, monkeypatch, caplog
):
    discarded = []
    monkeypatch.setattr("fitness.db.faults.discard_connection", discarded.append)

    def work():
        raise OperationalError("the database is down")

    idle.due_at = {work: 0}
    idle.wait_for_and_dispatch_events(0)
    wait_until(lambda: idle.due_at[work] < math.inf)
    assert "the database is down" in caplog.text
    assert len(discarded) == 1


def test_a_process_stores_the_use_of_keys_while_it_serves(tmp_path, prepared):
    options = "--worker-class tests.impatient.ThreadedServer"
    with running_server(tmp_path, prepared, GUNICORN_CMD_ARGS=options) as server:
        assert Http(server, server.key()).call("GET", "/me")[0] == 200
        count = f"from {key_days.__name__} import KeyDay; print('stored', KeyDay.objects.count())"
        wait_until(lambda: "stored 1" in server.manage("shell", "-c", count).stdout)
