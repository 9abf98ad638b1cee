"""One client opens expensive screens or uploads large files, while another one logs workouts.

Prints the response times of the second client and the peak memory of a process.
"""

import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.conftest import a_set, a_workout
from tests.faults.conftest import running
from tests.faults.neighbour import Neighbour, peak_mb
from tests.faults.service import Service
from tests.faults.traffic import PATIENCE_SECONDS, Caller
from tests.server import wait_until

READERS, UPLOADS = 8, 6
SECONDS = 4
ENOUGH = 200  # responses: of fewer, the p99 is the slowest, which may be the machine's
MAX_P99 = 6  # seconds, on a busy machine; if nobody were served, it would be the whole time
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


class Watched:
    """The largest size that a folder has had while the `with` block lasted, read ten times a second."""

    def __init__(self, folder):
        self.folder, self.most_bytes, self.done = folder, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.done.set()
        self.thread.join()

    def watch(self):
        while not self.done.wait(0.1):
            with suppress(OSError):  # a file may be deleted before its size is read
                size = sum(path.stat().st_size for path in self.folder.rglob("*"))
                self.most_bytes = max(self.most_bytes, size)


def assert_goes_on(service, neighbour, name):
    peak = peak_mb(*service.workers)
    print(f"\n{name}: {neighbour}; memory at most {peak} MB a process")
    assert not neighbour.failed
    assert neighbour.p99 < MAX_P99
    assert neighbour.seconds[-1] < PATIENCE_SECONDS
    assert peak < 200


def test_readers_of_a_very_long_workout_do_not_block_others(service):
    (attacker,) = service.people(1)
    body = json.dumps(LONGEST, separators=(",", ":"))
    sender = Caller(service, attacker)
    address = f"/workouts/{sender.send('POST', '/api/v1/workouts', body, sender.api_headers).json['id']}"
    end = time.monotonic() + SECONDS

    def read(_):
        reader, screens = Caller(service, attacker), []
        while time.monotonic() < end:
            screens.append(reader.open_screen(address))
        return screens

    with Neighbour(service) as neighbour, ThreadPoolExecutor(READERS) as pool:
        screens = [screen for found in pool.map(read, range(READERS)) for screen in found]
    assert all(screen.succeeded for screen in screens)
    assert max(len(screen.text) for screen in screens) < 200_000
    assert_goes_on(service, neighbour, f"{READERS} readers got {len(screens)} screens")


def test_unexpected_uploads_are_not_written_to_disk(service):
    with (
        Watched(service.temporary) as temporary,
        Neighbour(service) as neighbour,
        ThreadPoolExecutor(UPLOADS) as pool,
    ):
        addresses = ["/sign-in", "/sign-up"] * (UPLOADS // 2)
        sent = list(pool.map(lambda address: upload(service.port, address), addresses))
        wait_until(lambda: len(neighbour.responses) > ENOUGH)
    assert max(sent) < 20 * MB  # buffers, and what the server drains before it closes the connection
    assert temporary.most_bytes < MB
    assert_goes_on(
        service, neighbour, f"{UPLOADS} uploads of {UPLOAD_MB} MB, of which {sum(sent) / MB:.1f} were taken"
    )


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
