"""PostgreSQL goes away, comes back, is full, or hangs: 503 in the envelope, and no restart of the service."""

import shutil
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
from tests.faults.service import ROOT_USER, Service, VanishingLink
from tests.faults.traffic import Caller, log_workout, open_workouts, read_by_tool, read_workouts, traffic
from tests.server import ROOT

RECOVERY_SECONDS = 10


@pytest.fixture
def people(on_postgres):
    """Three people, and a service whose processes have all noticed that an earlier fault is over."""
    people = on_postgres.people(3)
    for number in range(30):
        read_workouts(Caller(on_postgres, people[number % 3]))
    return people


def calm(load):
    time.sleep(1)
    assert not load.refused


def test_a_restart_in_immediate_mode(on_postgres, cluster, people):
    with traffic(on_postgres, people) as load:
        calm(load)
        for _ in range(2):
            cluster.crash_and_restart()
            print("recovered after", load.wait_for_success(time.time(), within=RECOVERY_SECONDS))


def test_a_stop_of_twenty_seconds(on_postgres, cluster, people):
    """Long enough, and with few enough requests, to notice attempts to connect at ever longer intervals."""
    with traffic(on_postgres, people, clients=1) as load:
        calm(load)
        cluster.stop("fast")
        stopped = time.time()
        time.sleep(20)
        cluster.start()
        started = time.time()
        print("recovered after", load.wait_for_success(started, within=RECOVERY_SECONDS))
    during = [answer for answer in load.refused if stopped < answer.sent_at < started - 1]
    assert during
    assert max(answer.seconds for answer in during) < 7


def test_every_connection_taken_by_others(on_postgres, cluster, people):
    with traffic(on_postgres, people) as load, ExitStack() as others:
        calm(load)
        take_all_connections(cluster, others)
        full = time.time()
        time.sleep(6)
        others.close()
        freed = time.time()
        print("recovered after", load.wait_for_success(freed, within=RECOVERY_SECONDS))
    during = [answer for answer in load.answers if full < answer.sent_at < freed - 3]
    assert during
    assert not any(answer.succeeded for answer in during)
    assert max(answer.seconds for answer in during) < 7


def take_all_connections(cluster, others):
    """Cuts off the service's connections, and takes each that becomes free."""
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


def test_a_write_behind_a_lock_on_its_account(on_postgres, postgres_url, people):
    held, other = people[:2]
    with psycopg.connect(postgres_url) as session:
        session.execute("SELECT 1 FROM accounts_account WHERE email = %s FOR UPDATE", [held.email])
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(log_workout, Caller(on_postgres, held))
            time.sleep(0.2)
            assert read_workouts(Caller(on_postgres, held)).status == 200
            assert open_workouts(Caller(on_postgres, held)).status == 200
            assert log_workout(Caller(on_postgres, other)).status == 201
            refused = waiting.result()
        assert refused.tells_unavailable
        assert refused.seconds < 5
    assert log_workout(Caller(on_postgres, held)).status == 201
    assert read_workouts(Caller(on_postgres, held)).json["workouts"][1:] == []


def test_reads_and_pages_behind_a_locked_table(on_postgres, postgres_url, people):
    acts = [read_workouts, read_by_tool, open_workouts, log_workout]
    with psycopg.connect(postgres_url) as session:
        session.execute("LOCK TABLE training_workout IN ACCESS EXCLUSIVE MODE")
        with ThreadPoolExecutor(len(acts)) as pool:
            waiting = [pool.submit(act, Caller(on_postgres, people[0])) for act in acts]
            time.sleep(0.2)
            assert Caller(on_postgres, people[1]).api("GET", "/body/weight").status == 200
            refused = [one.result() for one in waiting]
        assert all(answer.tells_unavailable for answer in refused), refused
        assert max(answer.seconds for answer in refused) < 6
    assert all(act(Caller(on_postgres, people[0])).succeeded for act in acts)


def test_a_statement_that_hangs(on_postgres, postgres_url, people):
    """The database itself takes a minute over each new row of a workout."""
    with psycopg.connect(postgres_url, autocommit=True) as session:
        session.execute(
            "CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$"
        )
        session.execute(
            "CREATE TRIGGER hang BEFORE INSERT ON training_workoutexercise EXECUTE FUNCTION hang()"
        )
        caller = Caller(on_postgres, people[0])
        refused = caller.api("POST", "/workouts", a_workout(a_set()))
        assert refused.tells_unavailable
        assert refused.seconds < 6
        assert caller.api("GET", "/workouts/count").json == {"count": 0}
        session.execute("DROP TRIGGER hang ON training_workoutexercise")
    assert caller.api("POST", "/workouts", a_workout(a_set())).status == 201


GIVES_UP_AFTER = 4 + 3  # STATEMENT_TIMEOUT of the service, and what this side gives beyond it


def seconds_of_health(service):
    started = time.perf_counter()
    with urllib.request.urlopen(f"{service.url}/healthz", timeout=60) as answer:
        assert answer.status == 200
    return time.perf_counter() - started


def test_a_frozen_database(on_postgres, cluster, people):
    """Every thread comes to wait for it; each gives up, and the next are refused by then."""
    with traffic(on_postgres, people, clients=20) as load, ThreadPoolExecutor(1) as pool:
        calm(load)
        with cluster.frozen():
            frozen = time.time()
            health = pool.submit(lambda: [seconds_of_health(on_postgres) for _ in range(3)])
            time.sleep(GIVES_UP_AFTER + 15)
            thawed = time.time()
            asked_late = [answer for answer in load.answers if answer.sent_at > frozen + GIVES_UP_AFTER + 3]
        print("recovered after", load.wait_for_success(thawed, within=RECOVERY_SECONDS))
    during = [answer for answer in load.answers if frozen < answer.sent_at < thawed - 1]
    print("slowest", max(answer.seconds for answer in during), "health", health.result())
    assert max(answer.seconds for answer in during) < GIVES_UP_AFTER + 10
    assert asked_late
    print("slowest of those asked late", max(answer.seconds for answer in asked_late))
    assert max(health.result()) < GIVES_UP_AFTER + 10


@pytest.fixture
def link(cluster):
    if not ROOT_USER or not shutil.which("ip") or not shutil.which("socat"):
        pytest.skip("needs root, ip and socat, to make a network of its own")
    try:
        link = VanishingLink(cluster)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"may not make a network here: {error.stderr}")
    yield link
    link.remove()


def test_a_database_machine_that_vanishes(cluster, link, postgres_url, tmp_path):
    url = link.url_of(postgres_url.rpartition("/")[2])
    with running(Service(tmp_path, url, REDIS_URL="", STATEMENT_TIMEOUT="4")) as service:
        people = service.people(2)
        with traffic(service, people, clients=10) as load:
            calm(load)
            link.cut()
            cut = time.time()
            time.sleep(GIVES_UP_AFTER + 15)
            mended = time.time()
            link.mend()
            print("recovered after", load.wait_for_success(mended, within=RECOVERY_SECONDS))
    during = [answer for answer in load.answers if cut < answer.sent_at < mended - 5]
    assert any(answer.sent_at > cut + GIVES_UP_AFTER + 3 for answer in during)
    assert max(answer.seconds for answer in during) < GIVES_UP_AFTER + 10


# --- A migration meets a backup --------------------------------------------------------------------

PREPARE_SOON_GIVEN_UP = """
from django.core.management import call_command
from fitness.management import migration
migration.ATTEMPTS, migration.PAUSE_SECONDS = 2, 1
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
    """Holds what pg_dump holds while it reads the tables."""
    with psycopg.connect(service.environment["DATABASE_URL"], application_name="pg_dump") as session:
        session.execute("LOCK TABLE body_goal IN ACCESS SHARE MODE")
        yield


def read_goals(caller):
    return caller.api("GET", "/goals")


def test_an_update_during_a_backup_waits_without_making_others_wait(before_an_update, tmp_path):
    service, output = before_an_update, tmp_path / "prepare.txt"
    people = service.people(2)
    environment = {**service.environment, "DJANGO_SETTINGS_MODULE": "tests.newer.settings"}
    command = [sys.executable, "-u", "manage.py", "prepare"]
    with traffic(service, people, acts=[read_goals]) as load:
        with backup_of(service), output.open("w") as file:
            update = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file)
            deadline = time.monotonic() + 60
            while "waits for a lock of pg_dump (pid " not in output.read_text():
                assert time.monotonic() < deadline
                time.sleep(0.1)
            assert update.poll() is None
        assert update.wait(timeout=60) == 0
    assert not load.refused
    assert max(answer.seconds for answer in load.answers) < 5
    service.environment = environment
    assert service.manage("migrate", "--check").returncode == 0


def test_an_update_that_gets_no_lock_tells_who_has_it(before_an_update):
    service = before_an_update
    service.environment["DJANGO_SETTINGS_MODULE"] = "tests.newer.settings"
    with backup_of(service):
        given_up = service.manage("shell", "--no-imports", "-c", PREPARE_SOON_GIVEN_UP, check=False)
    assert given_up.returncode == 1
    assert "got no lock in 2 attempts. It is held by pg_dump (pid " in given_up.stderr.splitlines()[-1]
    assert "LOCK TABLE body_goal" in given_up.stderr.splitlines()[-1]
