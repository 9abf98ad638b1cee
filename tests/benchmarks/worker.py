"""The start time of a worker, and its memory up to the 10,000th request."""

import statistics
import time
from itertools import cycle, islice

from tests.benchmarks.measure import send
from tests.benchmarks.targets import gunicorn
from tests.server import MAKE_RUN

STARTS = MEMORY_RUNS = 3
EARLY, REQUESTS = 1_000, 10_000


def start_seconds(call):
    """Median seconds until the first response: (from the start of gunicorn, from `make run`)."""
    return tuple(
        statistics.median(one_start(call, command) for _ in range(STARTS)) for command in (None, MAKE_RUN)
    )


def one_start(call, command):
    started = time.perf_counter()
    with gunicorn(command) as target:
        send(target, call)
        return time.perf_counter() - started


def memory(calls):
    """(megabytes after 10,000 requests, % of growth from the 1,000th on), of each of three new workers."""
    runs = [memory_of_one(calls) for _ in range(MEMORY_RUNS)]
    return [late for _, late in runs], [(late / early - 1) * 100 for early, late in runs]


def memory_of_one(calls):
    """Memory of a new worker after (1,000 requests, 10,000 requests), in MB of a million bytes."""
    measured = []
    with gunicorn() as target:
        for number, call in enumerate(islice(cycle(calls), REQUESTS), start=1):
            send(target, call)
            if number in (EARLY, REQUESTS):
                measured.append(target.memory_mb())
    return tuple(measured)
