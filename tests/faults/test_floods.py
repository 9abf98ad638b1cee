"""One client opens expensive screens or uploads large files, while another one logs workouts.

Prints the response times of the second client, the peak memory of a process and the size of TMPDIR.
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
    """A new service with a temporary folder that nothing else uses."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    database = tmp_path / "fitness.sqlite3"
    database.write_bytes(prepared_file.read_bytes())
    options = {"REDIS_URL": "", "WEB_CONCURRENCY": "1", "TMPDIR": str(temporary)}
    with running(Service(tmp_path, f"sqlite:///{database}", **options)) as service:
        service.temporary = temporary
        yield service


class Bystander:
    """Logs and reads workouts over the API, as fast as a busy client."""

    def __init__(self, service):
        self.caller = Caller(service, *service.people(1))
        self.responses = []
        self.temporary_bytes = 0
        self.service = service

    def go_on(self, until):
        while not until():
            self.responses += [act(self.caller) for act in (log_workout, read_workouts)]
            time.sleep(0.02)

    def report(self, name):
        waits = sorted(response.seconds for response in self.responses)
        p50, p99 = statistics.median(waits), waits[math.ceil(0.99 * len(waits)) - 1]
        print(
            f"\n{name}: bystander's {len(waits)} responses p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms;",
            end=" ",
        )
        print(f"memory at most {peak_mb(self.service)} MB a process;", end=" ")
        print(f"temporary folder at most {self.temporary_bytes / MB:.1f} MB")
        return p99


def peak_mb(service):
    statuses = [Path(f"/proc/{pid}/status").read_text() for pid in service.workers]
    return max(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) for status in statuses) // 1024


@contextmanager
def temporary_folder_watched(bystander):
    """Measures the size of the temporary folder ten times a second."""
    done = threading.Event()

    def watch():
        while not done.wait(0.1):
            with suppress(OSError):  # a file may be deleted before its size is read
                size = sum(path.stat().st_size for path in bystander.service.temporary.rglob("*"))
                bystander.temporary_bytes = max(bystander.temporary_bytes, size)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_readers_of_a_very_long_workout_do_not_block_others(service):
    bystander, (attacker,) = Bystander(service), service.people(1)
    body = json.dumps(LONGEST, separators=(",", ":"))
    sender = Caller(service, attacker)
    address = f"/workouts/{sender.send('POST', '/api/v1/workouts', body, sender.api_headers).json['id']}"
    end = time.monotonic() + SECONDS

    def read():
        reader, screens = Caller(service, attacker), []
        while time.monotonic() < end:
            screens.append(reader.open_screen(address))
        return screens

    with temporary_folder_watched(bystander), ThreadPoolExecutor(READERS) as pool:
        downloads = [pool.submit(read) for _ in range(READERS)]
        bystander.go_on(lambda: time.monotonic() > end)
        screens = [screen for download in downloads for screen in download.result()]
    p99 = bystander.report(f"{READERS} readers got {len(screens)} screens")
    assert all(screen.succeeded for screen in screens)
    assert max(len(screen.text) for screen in screens) < 200_000
    assert all(response.succeeded for response in bystander.responses)
    assert p99 < SECONDS / 2  # if nobody were served, p99 would be the whole time
    assert peak_mb(service) < 200


def test_unexpected_uploads_are_not_written_to_disk(service):
    bystander = Bystander(service)
    with temporary_folder_watched(bystander), ThreadPoolExecutor(UPLOADS) as pool:
        uploads = [
            pool.submit(upload, service.port, address)
            for address in ["/sign-in", "/sign-up"] * (UPLOADS // 2)
        ]
        earliest_end = time.monotonic() + SECONDS / 4
        bystander.go_on(lambda: time.monotonic() > earliest_end and all(one.done() for one in uploads))
        sent = [one.result() for one in uploads]
    p99 = bystander.report(
        f"{UPLOADS} uploads of {UPLOAD_MB} MB, of which {sum(sent) / MB:.1f} MB were taken"
    )
    assert max(sent) < 20 * MB  # buffers, and what the server drains before it closes the connection
    assert bystander.temporary_bytes < MB
    assert all(response.succeeded for response in bystander.responses)
    assert p99 < SECONDS / 2
    assert peak_mb(service) < 200


def upload(port, address):
    """Posts a file to a form until the server closes the connection. Returns the bytes that were sent."""
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
