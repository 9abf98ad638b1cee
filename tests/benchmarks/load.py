"""Writers at once: how long they wait, by wrk (Debian: apt-get install wrk)."""

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings

from tests.server import Server

WRITERS = {8: 250, 32: 800}  # connections, and the maximum p99 in ms
RUNS, SECONDS = 3, 8  # few requests decide a p99

SCRIPT = """
wrk.method = "{method}"
wrk.body = [==[{body}]==]
{headers}
function done(summary, latency, requests)
    local errors = summary.errors
    local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
    io.write(string.format('{{"p50": %d, "p99": %d, "failed": %d}}',
        latency:percentile(50), latency:percentile(99), failed))
end
"""


@dataclass(frozen=True)
class Waits:
    """The 50th and 99th percentile of the response time, and the number of failures."""

    p50_ms: float
    p99_ms: float
    failed: int


def is_available():
    return shutil.which("wrk") is not None


@contextmanager
def gunicorn():
    """A server on the database of this process."""
    server = Server(settings.DATA_DIR, os.environ["DATABASE_URL"])
    server.start()
    try:
        yield server
    finally:
        server.stop()


def runs(server, call, connections):
    """The Waits of each run. Each connection sends the call again as soon as its response has arrived."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(script_of(call))
        script.flush()
        wrk = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--timeout=30s", f"-s{script.name}"]
        command = [*wrk, server.url + call.path]
        return [waits_of(subprocess.check_output(command, text=True)) for _ in range(RUNS)]


def waits_of(printed):
    found = json.loads(printed[printed.rindex("{") :])
    return Waits(found["p50"] / 1000, found["p99"] / 1000, found["failed"])


def script_of(call):
    headers = [f'wrk.headers["{name}"] = "{value}"' for name, value in call.headers.items()]
    return SCRIPT.format(method=call.method, body=call.body.decode(), headers="\n".join(headers))
