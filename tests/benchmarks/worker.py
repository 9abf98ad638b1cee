"""A worker from its start to its 10,000th request."""

import statistics
import subprocess
import sys
import time
from itertools import cycle, islice

from tests.benchmarks.measure import send
from tests.benchmarks.targets import gunicorn
from tests.server import ROOT

STARTS = 3
WARM, REQUESTS = 1_000, 10_000


def start_seconds(call):
    """(seconds from the start of gunicorn to its first answer, and from `make run`): medians."""
    return tuple(map(statistics.median, zip(*(one_start(call) for _ in range(STARTS)), strict=True)))


def one_start(call):
    started = time.perf_counter()
    subprocess.run([sys.executable, "manage.py", "prepare"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    prepared = time.perf_counter()
    with gunicorn() as target:
        send(target, call)
        answered = time.perf_counter()
    return answered - prepared, answered - started


def memory_mb(calls):
    """(what a new worker holds after 1,000 requests, and after 10,000), in MB of a million bytes."""
    held = []
    with gunicorn() as target:
        for number, call in enumerate(islice(cycle(calls), REQUESTS), start=1):
            send(target, call)
            if number in (WARM, REQUESTS):
                held.append(target.memory_mb())
    return tuple(held)
