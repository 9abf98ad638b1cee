"""The SQLite file is locked, full or read-only: writes wait or get 503, and reads succeed."""

import json
import shutil
import sqlite3
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest

from tests.conftest import a_workout
from tests.faults.conftest import running
from tests.faults.service import ROOT_USER, Service
from tests.faults.traffic import (
    READS,
    WRITES,
    Caller,
    log_by_tool,
    log_workout,
    set_nutrition,
    traffic,
)

needs_root = pytest.mark.skipif(not ROOT_USER, reason="needs root, to mount a small disk or seal a file")


def is_intact(service):
    return service.sqlite("PRAGMA integrity_check") == [("ok",)]


def test_locked_by_another_process_for_25_seconds(on_sqlite):
    people = on_sqlite.people(2)
    with closing(sqlite3.connect(on_sqlite.sqlite_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = time.time()
        with traffic(on_sqlite, people, acts=READS) as reading, ThreadPoolExecutor(3) as pool:
            writes = [pool.submit(act, Caller(on_sqlite, people[0])) for act in WRITES]
            failed = [write.result() for write in writes]
            time.sleep(max(0, locked + 25 - time.time()))
            other.execute("ROLLBACK")
    assert all(response.is_unavailable for response in failed), failed
    assert all(response.seconds > 19 for response in failed)
    assert not reading.failed
    assert max(response.seconds for response in reading.responses) < 15  # none waits for the lock
    assert all(act(Caller(on_sqlite, people[0])).succeeded for act in WRITES)
    assert Caller(on_sqlite, people[0]).api("GET", "/workouts/count").json == {"count": 1}
    assert is_intact(on_sqlite)


def test_a_short_lock_only_delays_writes(on_sqlite):
    (person,) = on_sqlite.people(1)
    with closing(sqlite3.connect(on_sqlite.sqlite_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(3) as pool:
            writes = [pool.submit(act, Caller(on_sqlite, person)) for act in WRITES]
            time.sleep(2)
            other.execute("ROLLBACK")
            assert all(write.result().succeeded for write in writes)


@pytest.fixture
def on_a_small_disk(prepared_file, tmp_path):
    """A service whose SQLite file is on a disk with 12 MB of free space."""
    disk = tmp_path / "disk"
    disk.mkdir()
    size = prepared_file.stat().st_size + 12_000_000
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk]).returncode:
        pytest.skip("may not mount a disk here")
    try:
        url = f"sqlite:///{shutil.copy(prepared_file, disk)}"
        with running(Service(tmp_path, url, REDIS_URL="")) as service:
            yield service
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


@needs_root
def test_a_full_disk(on_a_small_disk):
    service = on_a_small_disk
    people = service.people(2)
    ballast = service.sqlite_path.with_name("ballast")
    caller = Caller(service, people[0])
    assert caller.api("POST", "/workouts", a_workout(title="before")).status == 201
    with traffic(service, people) as load:
        time.sleep(1)
        assert not load.failed
        fill(ballast)
        last = wait_until_full(caller)
        assert b"degraded" in caller.send("GET", "/readyz", None, {}).text
        with traffic(service, people, acts=READS, clients=2) as reading:
            tried = [act(caller) for act in WRITES for _ in range(5)]
            time.sleep(2)
        ballast.unlink()
        emptied = time.time()
        print("recovered after", load.wait_for_success(emptied))
    assert any(response.is_unavailable for response in tried), tried
    # A checkpoint between them makes room in the write-ahead log again.
    assert all(response.is_unavailable or response.succeeded for response in tried), tried
    assert not reading.failed
    assert_log_is_brief(service, len(load.failed) + len(tried) + 1)
    callers = [Caller(service, person) for person in people]  # the server has closed the idle connection
    stored = callers[0].api("GET", "/workouts?limit=100").json["workouts"]
    written = [
        response for response in load.responses if response.status == 201 and b"under load" in response.text
    ]
    assert "before" in {workout["title"] for workout in stored}
    counts = [each.api("GET", "/workouts/count").json["count"] for each in callers]
    assert sum(counts) == len(written) + len([a for a in tried if a.status == 201]) + 1 + last
    assert is_intact(service)


def fill(ballast):
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


def assert_log_is_brief(service, failed):
    """If logs filled the disk, long entries about each failed write would make it worse."""
    lines = [json.loads(line) for line in service.log.splitlines() if line.startswith("{")]
    faults = [line for line in lines if line["level"] == "ERROR"]
    tracebacks = [line for line in faults if "traceback" in line]
    print(f"{failed} failed, {len(faults)} error lines, {len(tracebacks)} tracebacks")
    assert 15 <= len(faults) <= failed
    assert len(tracebacks) <= 12  # one for each statement that fails
    assert statistics.median(len(json.dumps(line)) for line in faults) < 400


def wait_until_full(caller):
    """Writes until the free pages within the files are used up as well, and returns how many workouts."""
    body = a_workout(notes="x" * 5000)
    for written in range(2000):
        if caller.api("POST", "/workouts", body).status != 201:
            return written
    raise AssertionError("the disk is never full")


@contextmanager
def sealed(path):
    """Makes the file immutable, even for root, as on a disk that is mounted read-only."""
    paths = [path, *path.parent.glob(f"{path.name}-wal")]
    if subprocess.run(["chattr", "+i", *paths]).returncode:
        pytest.skip("the file system cannot seal a file")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", *paths], check=True)


@needs_root
def test_a_read_only_file(on_sqlite):
    people = on_sqlite.people(2)
    caller = Caller(on_sqlite, people[0])
    assert log_workout(caller).status == 201
    with sealed(on_sqlite.sqlite_path), traffic(on_sqlite, people, acts=READS) as reading:
        failed = [act(caller) for act in WRITES for _ in range(5)]
        time.sleep(1)
    assert all(response.is_unavailable for response in failed), failed
    assert not reading.failed
    every_thread_writes_again(on_sqlite, people)
    assert is_intact(on_sqlite)


@needs_root
def test_connections_that_were_opened_read_only_recover(on_sqlite):
    people = on_sqlite.people(2)
    on_sqlite.stop()
    with sealed(on_sqlite.sqlite_path):
        on_sqlite.start()
        with ThreadPoolExecutor(8) as pool:
            acts = [log_workout, log_by_tool, set_nutrition] * 8
            failed = list(pool.map(lambda act: act(Caller(on_sqlite, people[0])), acts))
    assert all(response.is_unavailable for response in failed), failed
    every_thread_writes_again(on_sqlite, people)


def every_thread_writes_again(service, people):
    """A thread whose connection is read-only fails once, and reconnects."""
    with ThreadPoolExecutor(8) as pool:
        for expected in (range(9), [0]):
            responses = list(pool.map(lambda n: log_workout(Caller(service, people[n % 2])), range(40)))
            assert sum(not response.succeeded for response in responses) in expected, responses
