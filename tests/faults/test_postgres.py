"""PostgreSQL stops, restarts, is full or hangs: the service sends 503, and recovers without a restart."""

import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import psycopg
import pytest

from tests.conftest import a_set, a_workout
from tests.faults.conftest import running
from tests.faults.service import Service, VanishingLink
from tests.faults.traffic import (
    PATIENCE_SECONDS,
    Caller,
    log_workout,
    open_workouts,
    read_by_tool,
    read_workouts,
    traffic,
)
from tests.server import ROOT, wait_until

RECOVERY_SECONDS = 20

LOCK_STATE = """
SELECT 1 FROM accounts_accountstate JOIN accounts_account ON account_id = id WHERE email = %s FOR UPDATE
"""


@pytest.fixture
def people(on_postgres):
    """Three accounts. Requests first, so that all processes have recovered from the previous test."""
    people = on_postgres.people(3)
    for number in range(30):
        read_workouts(Caller(on_postgres, people[number % 3]))
    return people


def assert_healthy(load):
    time.sleep(1)
    assert not load.failed


def test_a_restart_in_immediate_mode(on_postgres, cluster, people):
    with traffic(on_postgres, people) as load:
        assert_healthy(load)
        for _ in range(2):
            cluster.crash_and_restart()
            print("recovered after", load.wait_for_success(time.time(), within=RECOVERY_SECONDS))


def test_a_stop_of_twenty_seconds(on_postgres, cluster, people):
    """Long enough, and with few enough requests, to detect a reconnect with growing intervals."""
    with traffic(on_postgres, people, clients=1) as load:
        assert_healthy(load)
        cluster.stop("fast")
        stopped = time.time()
        time.sleep(20)
        cluster.start()
        started = time.time()
        print("recovered after", load.wait_for_success(started, within=RECOVERY_SECONDS))
    during = [response for response in load.failed if stopped < response.sent_at < started - 1]
    assert during
    assert max(response.seconds for response in during) < PATIENCE_SECONDS


def test_every_connection_taken_by_others(on_postgres, cluster, people):
    with traffic(on_postgres, people) as load, ExitStack() as others:
        assert_healthy(load)
        take_all_connections(cluster, others)
        full = time.time()
        time.sleep(6)
        others.close()
        freed = time.time()
        print("recovered after", load.wait_for_success(freed, within=RECOVERY_SECONDS))
    during = [response for response in load.responses if full < response.sent_at < freed - 3]
    assert during
    assert not any(response.succeeded for response in during)
    assert max(response.seconds for response in during) < PATIENCE_SECONDS


def take_all_connections(cluster, others):
    """Terminates the service's connections, and takes each slot that becomes free."""
    first = others.enter_context(cluster.connect())
    taken = [first]
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        ours = [connection.info.backend_pid for connection in taken]
        first.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND NOT pid = ANY(%s)",
            [ours],
        )
        try:
            while True:
                taken.append(others.enter_context(cluster.connect()))
        except psycopg.OperationalError:
            time.sleep(0.05)


def test_a_write_to_a_locked_account(on_postgres, postgres_url, people):
    held, other = people[:2]
    with psycopg.connect(postgres_url) as session:
        session.execute(LOCK_STATE, [held.email])
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(log_workout, Caller(on_postgres, held))
            time.sleep(0.2)
            assert read_workouts(Caller(on_postgres, held)).status == 200
            assert open_workouts(Caller(on_postgres, held)).status == 200
            assert log_workout(Caller(on_postgres, other)).status == 201
            failed = waiting.result()
        assert failed.is_unavailable
        assert failed.seconds < PATIENCE_SECONDS
    assert log_workout(Caller(on_postgres, held)).status == 201
    assert read_workouts(Caller(on_postgres, held)).json["workouts"][1:] == []


def test_requests_for_a_locked_table(on_postgres, postgres_url, people):
    acts = [read_workouts, read_by_tool, open_workouts, log_workout]
    with psycopg.connect(postgres_url) as session:
        session.execute("LOCK TABLE training_workout IN ACCESS EXCLUSIVE MODE")
        with ThreadPoolExecutor(len(acts)) as pool:
            waiting = [pool.submit(act, Caller(on_postgres, people[0])) for act in acts]
            time.sleep(0.2)
            assert Caller(on_postgres, people[1]).api("GET", "/body/weight").status == 200
            failed = [one.result() for one in waiting]
        assert all(response.is_unavailable for response in failed), failed
        assert max(response.seconds for response in failed) < PATIENCE_SECONDS
    assert all(act(Caller(on_postgres, people[0])).succeeded for act in acts)


def test_a_statement_that_hangs(on_postgres, postgres_url, people):
    """A trigger makes each INSERT of an exercise take a minute."""
    with psycopg.connect(postgres_url, autocommit=True) as session:
        session.execute(
            "CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$"
        )
        session.execute(
            "CREATE TRIGGER hang BEFORE INSERT ON training_workoutexercise EXECUTE FUNCTION hang()"
        )
        caller = Caller(on_postgres, people[0])
        failed = caller.api("POST", "/workouts", a_workout(a_set()))
        assert failed.is_unavailable
        assert failed.seconds < PATIENCE_SECONDS
        assert caller.api("GET", "/workouts/count").json == {"count": 0}
        session.execute("DROP TRIGGER hang ON training_workoutexercise")
    assert caller.api("POST", "/workouts", a_workout(a_set())).status == 201


TIMEOUT_SECONDS = 4 + 3  # STATEMENT_TIMEOUT, and how much longer the service waits for a response


def seconds_of_health(service):
    started = time.perf_counter()
    with urllib.request.urlopen(f"{service.url}/healthz", timeout=60) as response:
        assert response.status == 200
    return time.perf_counter() - started


def test_a_frozen_database(on_postgres, cluster, people):
    """Every thread waits for it and times out. Requests that are sent later get 503."""
    with traffic(on_postgres, people, clients=20) as load, ThreadPoolExecutor(1) as pool:
        assert_healthy(load)
        with cluster.frozen():
            frozen = time.time()
            health = pool.submit(lambda: [seconds_of_health(on_postgres) for _ in range(3)])
            time.sleep(TIMEOUT_SECONDS + 15)
            thawed = time.time()
            sent_late = [
                response for response in load.responses if response.sent_at > frozen + TIMEOUT_SECONDS + 3
            ]
        print("recovered after", load.wait_for_success(thawed, within=RECOVERY_SECONDS))
    during = [response for response in load.responses if frozen < response.sent_at < thawed - 1]
    print("slowest", max(response.seconds for response in during), "health", health.result())
    assert max(response.seconds for response in during) < TIMEOUT_SECONDS + 10
    assert sent_late
    print("slowest of those sent late", max(response.seconds for response in sent_late))
    assert max(health.result()) < TIMEOUT_SECONDS + 10


@pytest.fixture
def link(cluster):
    if not VanishingLink.is_possible():
        pytest.skip("needs root, ip and socat, to create a network namespace")
    try:
        link = VanishingLink(cluster)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"may not create a network here: {error.stderr}")
    yield link
    link.remove()


def test_a_database_machine_that_vanishes(cluster, link, postgres_url, tmp_path):
    url = link.url_of(postgres_url.rpartition("/")[2])
    with running(Service(tmp_path, url, REDIS_URL="", STATEMENT_TIMEOUT="4")) as service:
        people = service.people(2)
        with traffic(service, people, clients=10) as load:
            assert_healthy(load)
            link.cut()
            cut = time.time()
            time.sleep(TIMEOUT_SECONDS + 15)
            restored_at = time.time()
            link.mend()
            print("recovered after", load.wait_for_success(restored_at, within=RECOVERY_SECONDS))
    during = [response for response in load.responses if cut < response.sent_at < restored_at - 5]
    assert any(response.sent_at > cut + TIMEOUT_SECONDS + 3 for response in during)
    assert max(response.seconds for response in during) < TIMEOUT_SECONDS + 10


# --- A migration during a backup -------------------------------------------------------------------

PREPARE_WITH_FEW_ATTEMPTS = """
from django.core.management import call_command
from fitness.management.commands import prepare
prepare.ATTEMPTS, prepare.PAUSE_SECONDS = 2, 1
call_command("prepare")
"""


@pytest.fixture
def before_an_update(cluster, prepared_in_cluster, tmp_path):
    """A service whose database lacks a column of the next version."""
    url = cluster.create("flt_update", prepared_in_cluster)
    with running(Service(tmp_path, url, REDIS_URL="", STATEMENT_TIMEOUT="8")) as service:
        yield service
    cluster.drop("flt_update")


@contextmanager
def backup_of(service):
    """Holds the same lock as pg_dump while it reads a table."""
    with psycopg.connect(service.environment["DATABASE_URL"], application_name="pg_dump") as session:
        session.execute("LOCK TABLE body_goal IN ACCESS SHARE MODE")
        yield


def read_goals(caller):
    return caller.api("GET", "/goals")


def test_an_update_waits_for_a_backup_without_blocking_requests(before_an_update, tmp_path):
    service, output = before_an_update, tmp_path / "prepare.txt"
    people = service.people(2)
    environment = {**service.environment, "DJANGO_SETTINGS_MODULE": "tests.newer.settings"}
    command = [sys.executable, "-u", "manage.py", "prepare"]
    with traffic(service, people, acts=[read_goals]) as load:
        with backup_of(service), output.open("w") as file:
            update = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file)
            wait_until(lambda: "waits for a lock of pg_dump (pid " in output.read_text())
            assert update.poll() is None
        assert update.wait(timeout=60) == 0
    assert not load.failed
    assert max(response.seconds for response in load.responses) < PATIENCE_SECONDS
    service.environment = environment
    assert service.manage("migrate", "--check").returncode == 0


def test_an_update_without_a_lock_prints_which_process_holds_it(before_an_update):
    service = before_an_update
    service.environment["DJANGO_SETTINGS_MODULE"] = "tests.newer.settings"
    with backup_of(service):
        given_up = service.manage("shell", "--no-imports", "-c", PREPARE_WITH_FEW_ATTEMPTS, check=False)
    assert given_up.returncode == 1
    assert "got no lock in 2 attempts. It is held by pg_dump (pid " in given_up.stderr.splitlines()[-1]
    assert "LOCK TABLE body_goal" in given_up.stderr.splitlines()[-1]
