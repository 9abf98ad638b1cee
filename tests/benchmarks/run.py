"""One run: every row that is wanted, measured and reported."""

import os
import re

from django.db import connection

from tests.benchmarks import data, load, parts, worker
from tests.benchmarks.calls import Athlete
from tests.benchmarks.measure import compare, send
from tests.benchmarks.report import Report
from tests.benchmarks.rows import everyday, loads, rows
from tests.benchmarks.targets import InProcess, gunicorn

MADE_ANEW = re.compile(rb'"(id|created_at|updated_at)":"[^"]+"')
REDIS = bool(os.environ.get("REDIS_URL"))


def run(wanted, rounds, seconds):
    """Measures the rows that `wanted(name)` is true for."""
    small, large = map(Athlete, data.accounts())
    report = Report(column())
    try:
        compare_rows([row for row in rows(small, large) if wanted(row.name)], rounds, report)
        measure_parts(large, rounds, wanted, report)
        measure_worker(large, wanted, report)
        measure_throughput(large, seconds, wanted, report)
    finally:
        small.forget_posts()
        large.forget_posts()


def column():
    """Where the figures of this run stand in the table."""
    database = "PostgreSQL" if connection.vendor == "postgresql" else "SQLite"
    return f"{database} + Redis" if REDIS else database


def compare_rows(wanted_rows, rounds, report):
    if not wanted_rows:
        return
    in_process = InProcess()
    with gunicorn() as server:
        for row in wanted_rows:
            if row.same_bytes:
                check_bytes(in_process, row)
            alone = compare(in_process, row.base, row.measured, rounds)
            served = compare(server, row.base, row.measured, rounds)
            report.ratio(row.name, row.goal, alone, served)


def check_bytes(target, row):
    """Raises AssertionError unless both calls answer the same, but for what is made anew for a record."""
    floor, service = (send(target, call) for call in (row.base, row.measured))
    if row.measured.method == "POST":
        floor, service = (MADE_ANEW.sub(b"", answer) for answer in (floor, service))
    assert floor == service, f"{row.name}: the floor answers\n{floor[:2000]}\nthe service\n{service[:2000]}"


def measure_parts(athlete, rounds, wanted, report):
    if wanted("rate limits"):
        report.figure("rate limits, both", 0.3 if REDIS else 0.1, parts.rate_limits_ms(rounds), "ms")
    if wanted("validation of 40 sets"):
        ratio = parts.validation_ratio(athlete, rounds)
        report.figure("validation of 40 sets, against DRF", 0.2, ratio, "×")


def measure_worker(athlete, wanted, report):
    if wanted("start to first answer"):
        alone, prepared = worker.start_seconds(athlete.get("/workouts"))
        report.figure("start to first answer, gunicorn", 2, alone, "s")
        report.figure("start to first answer, make run", 2, prepared, "s")
    if wanted("memory after 10,000 requests"):
        early, late = worker.memory_mb(everyday(athlete))
        report.figure("memory after 10,000 requests", 90, late, "MB")
        report.figure("memory, growth from 1,000 to 10,000", 5, (late / early - 1) * 100, "%")


def measure_throughput(athlete, seconds, wanted, report):
    chosen = {name: calls for name, calls in loads(athlete).items() if wanted(f"throughput {name}")}
    if not chosen:
        return
    if not load.is_available():
        print("throughput: not measured, because wrk is not installed")
        return
    with gunicorn() as target:
        for name, calls in chosen.items():
            for connections in load.CONNECTIONS:
                found = {
                    who: load.throughput(target.server, call, connections, seconds)
                    for who, call in calls.items()
                }
                report.throughput(f"throughput {name}, {connections} at once", **found)
