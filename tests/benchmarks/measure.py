"""Ratios of CPU time: two calls in turn, A B A B, because machines are shared and drift."""

import statistics
import time
from dataclasses import dataclass

from tests.benchmarks.targets import backends, on_cpu_seconds

BLOCK_SECONDS = 0.06  # of each call, before its turn is over
MIN_REQUESTS = 10


@dataclass(frozen=True)
class Comparison:
    """What two calls cost: CPU milliseconds for one, of the process and of its database."""

    base_ms: float
    measured_ms: float
    ratio: float  # the median of the rounds' ratios, not the ratio of the medians


def compare(target, base, measured, rounds):
    """The Comparison of two calls on one target. Raises AssertionError when one is refused."""
    count = requests_a_block(target, base, measured)
    database = backends()
    found = [[cpu_ms(target, database, call, count) for call in (base, measured)] for _ in range(rounds)]
    base_ms, measured_ms = (statistics.median(column) for column in zip(*found, strict=True))
    return Comparison(base_ms, measured_ms, statistics.median(b / a for a, b in found))


def requests_a_block(target, *calls):
    """How many requests fill a block, after a few that warm up."""
    for call in calls:
        send(target, call, MIN_REQUESTS)
    started = time.perf_counter()
    for call in calls:
        send(target, call, MIN_REQUESTS)
    one = (time.perf_counter() - started) / len(calls) / MIN_REQUESTS
    return max(MIN_REQUESTS, round(BLOCK_SECONDS / one))


def cpu_ms(target, database, call, count):
    before = target.cpu_seconds() + sum(map(on_cpu_seconds, database))
    send(target, call, count)
    after = target.cpu_seconds() + sum(map(on_cpu_seconds, database))
    return (after - before) / count * 1000


def send(target, call, count=1):
    """Sends a call so many times. Returns the last answer's body."""
    for _ in range(count):
        status, body = target.send(call)
        assert status in (200, 201), (call.path, status, body[:500])
    return body
