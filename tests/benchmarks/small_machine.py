"""A small machine: one core, of which the service with its worker has a share. What is slow then, and memory.

    python -m tests.benchmarks.small_machine --share 0.2

All processes are on one core and run for `share` of each tenth of a second, as with a quota of a cgroup: of a
board that is five times slower, say. The client is on another core, and has the two years of the demo.
"""

import argparse
import json
import os
import re
import signal
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path

from tests.server import running_server

PERIOD = 0.1  # that of a quota, in seconds
SETS = [{"weight_kg": 100, "reps": 5}] * 24
WORKOUT = {
    "started_at": "2026-03-02T17:30:00Z",
    "duration_seconds": 3600,
    "exercises": [{"exercise_id": "barbell-bench-press", "sets": SETS}],
}
PREPARE = """
from django.test import Client
from accounts.models import Account
account = Account.objects.get(email__startswith="demo")
client = Client(HTTP_HOST="127.0.0.1")
client.force_login(account)
client.post("/train/start", {"workout": account.workouts.latest("started_at").pk})
print("session", client.cookies["session"].value)
print("key", account.issue_key("bench", "read_write", "never")[0])
"""

parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.small_machine", description=__doc__)
parser.add_argument("--share", type=float, default=0.2)
parser.add_argument("--calls", type=int, default=100)


class Browser:
    """A browser and a program of the demo account, on one connection."""

    def __init__(self, server):
        server.manage("seed_demo")
        self.values = dict(
            re.findall(r"^(session|key) (\S+)$", server.manage("shell", "-c", PREPARE).stdout, re.M)
        )
        self.connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.cookie = f"session={self.values['session']}"
        content, headers = self.call("GET", "/train/draft")
        self.cookie += "; " + re.search(r"csrf=\w+", headers["Set-Cookie"])[0]
        answer = json.loads(content)
        self.token, self.draft = answer["csrf_token"], answer["draft"]["document"]

    def call(self, method, path, body=None, **headers):
        headers = {"Cookie": self.cookie, "Content-Type": "application/json", **headers}
        self.connection.request(method, path, body and json.dumps(body), headers)
        response = self.connection.getresponse()
        content = response.read()
        assert response.status < 300, (path, response.status, content[:300])
        return content, response.headers

    def tick(self):
        """Checks the first set, or takes the check away, as Train does."""
        first = self.draft["exercises"][0]["sets"][0]
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.000Z}"
        first.update(done_at=None if first["done_at"] else now, changed_at=now)
        headers = {"X-CSRFToken": self.token}
        self.call("PUT", f"/train/drafts/{self.draft['id']}", {"document": self.draft}, **headers)

    def log(self):
        self.call("POST", "/api/v1/workouts", WORKOUT, Authorization=f"Bearer {self.values['key']}")


@contextmanager
def slowed(pids, share):
    """Lets the processes run for a share of each PERIOD."""
    ended = threading.Event()

    def send(number):
        for pid in pids:
            os.kill(pid, number)

    def run():
        while not ended.wait(PERIOD * share):
            send(signal.SIGSTOP)
            ended.wait(PERIOD * (1 - share))
            send(signal.SIGCONT)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        send(signal.SIGCONT)


def milliseconds(call):
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def memory_mb(pids):
    """Of all of them: pages that several share count once."""
    texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids]
    return sum(int(re.search(r"^Pss: +(\d+)", text, re.M)[1]) for text in texts) * 1024 / 1e6


def put_on_core(core, pid=0):
    for thread in os.listdir(f"/proc/{pid or os.getpid()}/task"):
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread), {core})


def measure(server, options):
    server.start_worker()
    browser = Browser(server)
    pids = [server.process.pid, *server.workers, server.worker.pid]
    for pid in pids:
        put_on_core(0, pid)
    put_on_core(1)
    print(f"memory of {len(pids)} processes: {memory_mb(pids):.0f} MB")
    calls = {
        "home": lambda: browser.call("GET", "/"),
        "/train": lambda: browser.call("GET", "/train"),
        "/progress": lambda: browser.call("GET", "/progress"),
        "a tick in Train": browser.tick,
        "POST of 24 sets": browser.log,
    }
    for call in calls.values():
        call()
    with slowed(pids, options.share):
        for name, call in calls.items():
            took = sorted(milliseconds(call) for _ in range(options.calls))
            p99 = took[len(took) * 99 // 100 - 1]
            median, a_second = took[len(took) // 2], 1000 * len(took) / sum(took)
            print(f"{name}: median {median:.0f} ms, p99 {p99:.0f} ms, {a_second:.0f} a second")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        measure(server, parser.parse_args())
