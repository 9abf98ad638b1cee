"""Ratios of CPU time. Calls alternate, A B A B, because machines are shared and their speed changes."""

import gc
import io
import statistics
import time
from pathlib import Path

from django.core.wsgi import get_wsgi_application
from django.db import connection

from tests.benchmarks.floor.lean import PREFIX, Lean

BLOCK_SECONDS = 0.06  # of each call, before the next one is sent
MIN_REQUESTS = 3
WARM_UP = 10


class InProcess:
    """The service and the floor in this process, called directly, without a server or a test client."""

    def __init__(self):
        self.service = get_wsgi_application()
        self.floor = Lean()
        gc.collect()
        gc.freeze()  # as gunicorn.conf.py does

    def send(self, call):
        """(status, body) of the response."""
        environ = {**call.environ, "wsgi.input": io.BytesIO(call.body)}
        application = self.floor if call.path.startswith(PREFIX) else self.service
        response = application(environ, lambda status, headers: None)
        body = b"".join(response)
        response.close()
        return response.status_code, body


def alternating(application, calls, rounds):
    """Of each call: the median CPU milliseconds of a request, and the median of its ratios to the first.

    Of this process and its PostgreSQL backends together. The ratio is the median of the rounds' ratios, not
    the ratio of the medians. Raises AssertionError if a request fails.
    """
    counts = [requests_a_block(application, call) for call in calls]
    database_pids = backends()
    times_ms = [
        [cpu_ms(application, database_pids, call, count) for call, count in zip(calls, counts, strict=True)]
        for _ in range(rounds)
    ]
    ratios = [[time_ms / row[0] for time_ms in row] for row in times_ms]
    return medians(times_ms), medians(ratios)


def medians(rows):
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def requests_a_block(application, call):
    """How many requests take BLOCK_SECONDS, measured after a few that warm up."""
    send(application, call, WARM_UP)
    started = time.perf_counter()
    send(application, call, MIN_REQUESTS)
    one = (time.perf_counter() - started) / MIN_REQUESTS
    return max(MIN_REQUESTS, round(BLOCK_SECONDS / one))


def cpu_ms(application, database_pids, call, count):
    before = time.process_time() + sum(map(on_cpu_seconds, database_pids))
    send(application, call, count)
    after = time.process_time() + sum(map(on_cpu_seconds, database_pids))
    return (after - before) / count * 1000


def send(application, call, count=1):
    """Sends a call `count` times. Returns the body of the last response."""
    for _ in range(count):
        status, body = application.send(call)
        assert status in (200, 201), (call.path, status, body[:500])
    return body


def backends():
    """The process ids of all PostgreSQL backends of this database; none on SQLite.

    Without those of autovacuum, which come and go.
    """
    if connection.vendor == "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend'"
        )
        return [pid for (pid,) in cursor.fetchall()]


def on_cpu_seconds(pid):
    """CPU seconds of a process so far."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
