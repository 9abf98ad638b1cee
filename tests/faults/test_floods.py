"""Somebody opens heavy pages, or uploads what nobody asked for, while another person goes on training.

Prints what that person waits, what memory a process takes, and how much lies in the temporary folder.
"""

import json
import math
import os
import re
import socket
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.conftest import a_set, a_workout
from tests.faults.conftest import running
from tests.faults.service import Service
from tests.faults.traffic import Caller, log_workout, read_workouts

READERS, UPLOADS = 8, 6
SECONDS = 12
UPLOAD_MB = int(os.environ.get("FLOOD_UPLOAD_MB", "500"))
MB = 2**20
LONGEST = a_workout() | {"exercises": [{"exercise_id": "plank", "sets": [a_set(1, 1)] * 100}] * 100}
FORM = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'


@pytest.fixture
def service(prepared_file, tmp_path):
    """A service of its own, whose temporary folder is its own too."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    database = tmp_path / "fitness.sqlite3"
    database.write_bytes(prepared_file.read_bytes())
    options = {"REDIS_URL": "", "WEB_CONCURRENCY": "1", "TMPDIR": str(temporary)}
    with running(Service(tmp_path, f"sqlite:///{database}", **options)) as service:
        service.temporary = temporary
        yield service


class Victim:
    """Logs and reads workouts over the API, at the pace of a busy client."""

    def __init__(self, service):
        self.caller = Caller(service, *service.people(1))
        self.answers = []
        self.temporary_bytes = 0
        self.service = service

    def go_on(self, until):
        while not until():
            self.answers += [act(self.caller) for act in (log_workout, read_workouts)]
            time.sleep(0.02)

    def report(self, name):
        waits = sorted(answer.seconds for answer in self.answers)
        p50, p99 = statistics.median(waits), waits[math.ceil(0.99 * len(waits)) - 1]
        print(
            f"\n{name}: the victim's {len(waits)} answers p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms;",
            end=" ",
        )
        print(f"memory at most {peak_mb(self.service)} MB a process;", end=" ")
        print(f"temporary folder at most {self.temporary_bytes / MB:.1f} MB")
        return p99


def peak_mb(service):
    statuses = [Path(f"/proc/{pid}/status").read_text() for pid in service.workers]
    return max(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) for status in statuses) // 1024


@contextmanager
def watched(victim):
    """Notes how much lies in the temporary folder, ten times a second."""
    done = threading.Event()

    def watch():
        while not done.wait(0.1):
            with suppress(OSError):  # a file may go while it is looked at
                size = sum(path.stat().st_size for path in victim.service.temporary.rglob("*"))
                victim.temporary_bytes = max(victim.temporary_bytes, size)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_readers_of_a_very_long_workout_stop_nobody(service):
    victim, (attacker,) = Victim(service), service.people(1)
    body = json.dumps(LONGEST, separators=(",", ":"))
    sender = Caller(service, attacker)
    address = f"/workouts/{sender.send('POST', '/api/v1/workouts', body, sender.program).json['id']}"
    end = time.monotonic() + SECONDS

    def read():
        reader, pages = Caller(service, attacker), []
        while time.monotonic() < end:
            pages.append(reader.page(address))
        return pages

    with watched(victim), ThreadPoolExecutor(READERS) as pool:
        readings = [pool.submit(read) for _ in range(READERS)]
        victim.go_on(lambda: time.monotonic() > end)
        pages = [page for reading in readings for page in reading.result()]
    p99 = victim.report(f"{READERS} readers, who got {len(pages)} pages")
    assert all(page.succeeded for page in pages)
    assert max(len(page.text) for page in pages) < 200_000
    assert all(answer.succeeded for answer in victim.answers)
    assert p99 < SECONDS / 2  # where nobody is served, p99 is the whole time
    assert peak_mb(service) < 200


def test_uploads_that_nobody_asked_for_reach_no_disk(service):
    victim = Victim(service)
    with watched(victim), ThreadPoolExecutor(UPLOADS) as pool:
        uploads = [
            pool.submit(upload, service.port, address)
            for address in ["/sign-in", "/sign-up"] * (UPLOADS // 2)
        ]
        least = time.monotonic() + SECONDS / 4
        victim.go_on(lambda: time.monotonic() > least and all(one.done() for one in uploads))
        sent = [one.result() for one in uploads]
    p99 = victim.report(f"{UPLOADS} uploads of {UPLOAD_MB} MB, of which {sum(sent) / MB:.1f} MB were taken")
    assert max(sent) < 20 * MB  # what buffers hold, and what is drained before the connection ends
    assert victim.temporary_bytes < MB
    assert all(answer.succeeded for answer in victim.answers)
    assert p99 < SECONDS / 2
    assert peak_mb(service) < 200


def upload(port, address):
    """Sends a file to a page, without a key, until the server ends the connection; returns the bytes sent."""
    size = UPLOAD_MB * MB
    head = [
        f"POST {address} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Cookie: csrf={'a' * 32}",
        "Content-Type: multipart/form-data; boundary=x",
        f"Content-Length: {size}",
    ]
    block, sent = b"x" * 65_536, 0
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection, suppress(OSError):
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + FORM)
        while sent < size:
            sent += connection.send(block)
    return sent
