"""Throughput: requests a second over some connections, by wrk (Debian: apt-get install wrk)."""

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

CONNECTIONS = (1, 8, 32)
WRITERS = {8: 250, 32: None}  # connections, and the maximum p99 in ms on SQLite, where one writes at a time
RUNS = 3  # of writers, twice as long as the others: few requests decide a p99

SCRIPT = """
wrk.method = "{method}"
wrk.body = [==[{body}]==]
{headers}
function done(summary, latency, requests)
    local errors = summary.errors
    local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
    io.write(string.format('{{"completed": %d, "microseconds": %d, "p50": %d, "p99": %d, "failed": %d}}',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failed))
end
"""


@dataclass(frozen=True)
class Throughput:
    """Requests a second, the 50th and 99th percentile of the response time, and the number of failures."""

    a_second: float
    p50_ms: float
    p99_ms: float
    failed: int


def is_available():
    return shutil.which("wrk") is not None


def throughput(server, call, connections, seconds):
    """The Throughput of one call. Each connection sends it again as soon as its response has arrived."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(script_of(call))
        script.flush()
        wrk = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout=30s", f"-s{script.name}"]
        printed = subprocess.run([*wrk, server.url + call.path], check=True, capture_output=True, text=True)
    totals = json.loads(printed.stdout[printed.stdout.rindex("{") :])
    a_second = totals["completed"] / totals["microseconds"] * 1e6
    return Throughput(a_second, totals["p50"] / 1000, totals["p99"] / 1000, totals["failed"])


def script_of(call):
    headers = [f'wrk.headers["{name}"] = "{value}"' for name, value in call.headers.items()]
    return SCRIPT.format(method=call.method, body=call.body.decode(), headers="\n".join(headers))
