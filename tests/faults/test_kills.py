"""Promise: an answered 2xx is on the disk. FAULT_WRITES=5000 for the full proof; -n0 -s tells its figures."""

import itertools
import os
import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import pytest

from tests.faults.ledger import Crowd
from tests.faults.traffic import Caller, log_workout, read_workouts

WRITES = int(os.environ.get("FAULT_WRITES", "200"))
PEOPLE = 3


def torment(crowd, disasters):
    """One disaster after another, each at least once, until enough writes are acknowledged."""
    counts = Counter()
    rounds = itertools.cycle(disasters)
    while crowd.acknowledged < WRITES or len(counts) < len(disasters):
        time.sleep(random.uniform(0.3, 1.5))
        disaster = next(rounds)
        disaster()
        counts[disaster.__name__] += 1
    return dict(counts)


def nothing_is_lost(service, disasters):
    with Crowd(service, service.people(PEOPLE)) as crowd:
        counts = torment(crowd, disasters)
    service.kill_and_restart()
    lost, partial = crowd.discrepancies(service)
    print(f"{crowd.acknowledged} acknowledged, {len(lost)} lost, {len(partial)} partial; {counts}")
    print(f"statuses (0: the connection broke): {dict(crowd.statuses())}")
    assert (lost, partial) == ([], [])
    assert crowd.statuses().keys() <= {0, 200, 201, 204, 503}
    assert "workouts: 0 changed" in service.manage("render_records").stdout


def test_kills_lose_nothing_on_sqlite(on_sqlite):
    nothing_is_lost(on_sqlite, [on_sqlite.kill_worker, on_sqlite.kill_and_restart])
    assert on_sqlite.sqlite("PRAGMA integrity_check") == [("ok",)]


def test_the_reading_would_notice_what_is_lost_or_partial(on_sqlite):
    with Crowd(on_sqlite, on_sqlite.people(1)) as crowd:
        while crowd.acknowledged < 60:
            time.sleep(0.1)
    assert crowd.discrepancies(on_sqlite) == ([], [])
    (first, *_, last) = crowd.writers[1].ledger.ids("workout")
    for workout_id, table in ((first, "training_workout"), (last, "training_workoutexercise")):
        column = "id" if table == "training_workout" else "workout_id"
        on_sqlite.sqlite(f"DELETE FROM {table} WHERE {column} = ?", UUID(workout_id).hex)
    lost, partial = crowd.discrepancies(on_sqlite)
    assert [name for name, *_ in lost] == [("workout", first)]
    assert any("history" in one for one in partial)


def test_kills_lose_nothing_on_postgres(on_postgres, cluster):
    disasters = [on_postgres.kill_worker, cluster.crash_and_restart, on_postgres.kill_and_restart]
    nothing_is_lost(on_postgres, disasters)


@pytest.fixture(params=["on_sqlite", "on_postgres"])
def service(request):
    return request.getfixturevalue(request.param)


def test_sigterm_under_load_leaves_no_request_unanswered(service):
    """While the service stops, new connections may be refused, but no request that was sent before."""
    people = service.people(2)
    answers, stop = [], threading.Event()

    def go(number):
        caller = Caller(service, people[number % 2])
        while not stop.is_set():
            answers.append(log_workout(caller))
            stop.wait(0.005)

    with ThreadPoolExecutor(6) as pool:
        for number in range(6):
            pool.submit(go, number)
        time.sleep(2)
        service.process.send_signal(signal.SIGTERM)
        terminated = time.time()
        code = service.process.wait(timeout=30)
        stopped = time.time()
        stop.set()
    service.start()
    assert code == 0
    broken = [answer for answer in answers if answer.status != 201]
    print(f"{len(answers)} answers, stopped in {stopped - terminated:.2f} s, {len(broken)} after it refused")
    print({answer.text for answer in broken})
    assert {answer.status for answer in broken} <= {0}
    assert [answer for answer in broken if answer.sent_at < terminated] == []


def test_a_master_that_is_killed_alone_leaves_its_port_to_the_next(service):
    """Its orphans answer what has begun, and end: a new master waits five seconds for the port."""
    people, orphans, stop = service.people(2), service.workers, threading.Event()

    def go(person):
        caller = Caller(service, person)
        while not stop.is_set():
            read_workouts(caller)
            stop.wait(0.3)

    with ThreadPoolExecutor(4) as pool:
        for number in range(4):
            pool.submit(go, people[number % 2])
        time.sleep(1)
        service.process.kill()
        service.process.wait()
        killed_at = time.monotonic()
        while any(map(is_running, orphans)) and time.monotonic() < killed_at + 20:
            time.sleep(0.1)
        seconds = time.monotonic() - killed_at
        stop.set()
    service.start()
    print(f"orphans ended after {seconds:.1f} s")
    assert seconds < 20


def is_running(pid):
    with suppress(FileNotFoundError):
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False
