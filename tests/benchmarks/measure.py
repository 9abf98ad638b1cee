"""Ratios of CPU time. Calls alternate, A B A B, because machines are shared and their speed changes."""

import statistics
import time
from dataclasses import dataclass

from tests.benchmarks.targets import backends, on_cpu_seconds

BLOCK_SECONDS = 0.06  # of each call, before the next one is sent
MIN_REQUESTS = 3
WARM_UP = 10


@dataclass(frozen=True)
class Comparison:
    """CPU milliseconds of two calls, per request, of the process and its PostgreSQL backends together."""

    base_ms: float
    measured_ms: float
    ratio: float  # the median of the rounds' ratios, not the ratio of the medians


def compare(target, base, measured, rounds):
    """The Comparison of two calls on one target. Raises AssertionError if a request fails."""
    (base_ms, measured_ms), (_, ratio) = alternating(target, (base, measured), rounds)
    return Comparison(base_ms, measured_ms, ratio)


def alternating(target, calls, rounds):
    """Of each call: the median CPU milliseconds of a request, and the median of its ratios to the first."""
    counts = [requests_a_block(target, call) for call in calls]
    database_pids = backends()
    times_ms = [
        [cpu_ms(target, database_pids, call, count) for call, count in zip(calls, counts, strict=True)]
        for _ in range(rounds)
    ]
    ratios = [[time_ms / row[0] for time_ms in row] for row in times_ms]
    return medians(times_ms), medians(ratios)


def medians(rows):
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def requests_a_block(target, call):
    """How many requests take BLOCK_SECONDS, measured after a few that warm up."""
    send(target, call, WARM_UP)
    started = time.perf_counter()
    send(target, call, MIN_REQUESTS)
    one = (time.perf_counter() - started) / MIN_REQUESTS
    return max(MIN_REQUESTS, round(BLOCK_SECONDS / one))


def cpu_ms(target, database_pids, call, count):
    before = target.cpu_seconds() + sum(map(on_cpu_seconds, database_pids))
    send(target, call, count)
    after = target.cpu_seconds() + sum(map(on_cpu_seconds, database_pids))
    return (after - before) / count * 1000


def send(target, call, count=1):
    """Sends a call `count` times. Returns the body of the last response."""
    for _ in range(count):
        status, body = target.send(call)
        assert status in (200, 201), (call.path, status, body[:500])
    return body
