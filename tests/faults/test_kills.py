"""Promise: a write with a 2xx response is durable. Full proof: FAULT_WRITES=5000; -n0 -s shows figures."""

import itertools
import os
import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from tests.conftest import a_set, a_workout
from tests.faults.ledger import Crowd
from tests.faults.traffic import Caller, log_workout, read_workouts
from tests.server import wait_until
from tests.training.test_plan_progression import BENCH
from tests.training.test_plans import a_day, a_plan, an_exercise

WRITES = int(os.environ.get("FAULT_WRITES", "200"))
PEOPLE = 3


def cause(crowd, disasters):
    """Causes the disasters in turn, each at least once, until enough writes are acknowledged.

    Not before a write is acknowledged after the one before: on a slow machine no process would live to serve.
    """
    counts = Counter()
    rounds = itertools.cycle(disasters)
    while crowd.acknowledged < WRITES or len(counts) < len(disasters):
        before = crowd.acknowledged
        wait_until(lambda before=before: crowd.acknowledged > before)
        time.sleep(random.uniform(0.3, 1.5))
        disaster = next(rounds)
        disaster()
        counts[disaster.__name__] += 1
    return dict(counts)


def assert_nothing_is_lost(service, disasters):
    with Crowd(service, service.people(PEOPLE)) as crowd:
        counts = cause(crowd, disasters)
    service.kill_and_restart()
    lost, partial = crowd.discrepancies(service)
    print(f"{crowd.acknowledged} acknowledged, {len(lost)} lost, {len(partial)} partial; {counts}")
    print(f"statuses (0: the connection broke): {dict(crowd.statuses())}")
    assert (lost, partial) == ([], [])
    assert crowd.statuses().keys() <= {0, 200, 201, 204, 503}
    assert "workouts: 0 changed" in service.manage("render_records").stdout


def test_kills_lose_nothing_on_sqlite(on_sqlite):
    assert_nothing_is_lost(on_sqlite, [on_sqlite.kill_worker, on_sqlite.kill_and_restart])
    assert on_sqlite.sqlite("PRAGMA integrity_check") == [("ok",)]


def test_the_comparison_detects_lost_and_partial_items(on_sqlite):
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
    assert_nothing_is_lost(on_postgres, disasters)


def test_a_kill_leaves_a_workout_with_its_step_or_neither(service):
    (person,) = service.people(1)
    caller = Caller(service, person)
    days = [a_day(1, an_exercise()), *(a_day(number, rest=True) for number in range(2, 8))]
    rule = {"weekday": 1, "position": 0, "exercise_id": BENCH, "kind": "linear", "misses": 10}
    plans = [caller.api("POST", "/plans", a_plan(days=days)).json["id"] for _ in range(2)]
    for plan_id in plans:
        assert caller.api("PUT", f"/plans/{plan_id}/progression", {"rules": [rule]}).status == 200
    stored, stop = [], threading.Event()

    def go(mine, plan_id):
        """Logs workouts of a plan, each later than the one before: so each makes a step."""
        for hours in itertools.takewhile(lambda _: not stop.is_set(), itertools.count()):
            started_at = (datetime(2020, 11, 23, tzinfo=UTC) + timedelta(hours=hours)).isoformat()
            body = a_workout(a_set(60, 8), exercise_id=BENCH, started_at=started_at, plan_id=plan_id)
            if mine.api("POST", "/workouts", body).status == 201:
                stored.append(started_at)

    with ThreadPoolExecutor(2) as pool:
        for plan_id in plans:
            pool.submit(go, Caller(service, person), plan_id)
        for kills in itertools.count(1):
            before = len(stored)
            wait_until(lambda before=before: len(stored) > before)
            time.sleep(random.uniform(0.2, 0.6))
            service.kill_worker()
            if kills >= 6 and len(stored) > 10:
                break
        stop.set()
    service.kill_and_restart()
    caller = Caller(service, person)
    workouts = {one["id"] for one in caller.items("/workouts", "workouts")}
    steps = [
        one["workout_id"]
        for plan_id in plans
        for one in caller.items(f"/plans/{plan_id}/progression/steps", "steps")
    ]
    assert len(workouts) >= len(stored)
    assert sorted(steps) == sorted(workouts)


def test_sigterm_under_load_loses_no_request(service):
    """While the service stops, new connections may be refused, but requests sent before get a response."""
    people = service.people(2)
    responses, stop = [], threading.Event()

    def go(number):
        caller = Caller(service, people[number % 2])
        while not stop.is_set():
            responses.append(log_workout(caller))
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
    broken = [response for response in responses if response.status != 201]
    print(f"{len(responses)} responses, stopped in {stopped - terminated:.2f} s, {len(broken)} refused")
    print({response.text for response in broken})
    assert {response.status for response in broken} <= {0}
    assert [response for response in broken if response.sent_at < terminated] == []


def test_workers_of_a_killed_master_end_and_free_the_port(service):
    """They finish what their clients still ask, for graceful_timeout at most."""
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
        stop.set()
    wait_until(lambda: not any(map(is_running, orphans)))
    service.start()


def is_running(pid):
    with suppress(FileNotFoundError):
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False
