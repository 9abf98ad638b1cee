"""One run: measures and reports every selected row."""

import os
import re

from django.db import connection

from tests.benchmarks import data, load, parts, worker
from tests.benchmarks.calls import Athlete
from tests.benchmarks.measure import compare, send
from tests.benchmarks.report import Report
from tests.benchmarks.rows import everyday, loads, rows
from tests.benchmarks.targets import InProcess, gunicorn

NEW_IN_EACH_RESPONSE = re.compile(rb'"(id|created_at|updated_at)":"[^"]+"')
REDIS = bool(os.environ.get("REDIS_URL"))


def run(is_selected, rounds, seconds):
    """Measures the rows for whose names `is_selected(name)` is true."""
    small, large = map(Athlete, data.accounts())
    report = Report(column_name())
    try:
        compare_rows([row for row in rows(small, large) if is_selected(row.name)], rounds, report)
        measure_parts(large, rounds, is_selected, report)
        measure_worker(large, is_selected, report)
        measure_throughput(large, seconds, is_selected, report)
    finally:
        small.delete_posts()
        large.delete_posts()


def column_name():
    """The heading of this run's column in the tables."""
    database = "PostgreSQL" if connection.vendor == "postgresql" else "SQLite"
    return f"{database} + Redis" if REDIS else database


def compare_rows(selected, rounds, report):
    if not selected:
        return
    application = InProcess()
    with gunicorn() as server:
        for row in selected:
            if row.same_bytes:
                check_bytes(application, row)
            in_process = compare(application, row.base, row.measured, rounds)
            under_gunicorn = compare(server, row.base, row.measured, rounds) if row.under_gunicorn else None
            report.ratio(row.name, row.goal, in_process, under_gunicorn)


def check_bytes(target, row):
    """Raises AssertionError unless both responses are equal, apart from the new ids and times of a POST."""
    floor, service = (send(target, call) for call in (row.base, row.measured))
    if row.measured.method == "POST":
        floor, service = (NEW_IN_EACH_RESPONSE.sub(b"", body) for body in (floor, service))
    assert floor == service, f"{row.name}: the floor sends\n{floor[:2000]}\nthe service\n{service[:2000]}"


def measure_parts(athlete, rounds, is_selected, report):
    if is_selected("rate limits"):
        report.figure("rate limits, both", 0.3 if REDIS else 0.1, parts.rate_limits_ms(rounds), "ms")
    if is_selected("validation of 40 sets"):
        ratio = parts.validation_ratio(athlete, rounds)
        report.figure("validation of 40 sets, against DRF", 0.2, ratio, "×")


def measure_worker(athlete, is_selected, report):
    if is_selected("start to first answer"):
        from_gunicorn, from_make_run = worker.start_seconds(athlete.get("/workouts"))
        report.figure("start to first answer, gunicorn", 2, from_gunicorn, "s")
        report.figure("start to first answer, make run", 2, from_make_run, "s")
    if is_selected("memory after 10,000 requests"):
        early, late = worker.memory_mb(everyday(athlete))
        report.figure("memory after 10,000 requests", 90, late, "MB")
        report.figure("memory, growth from 1,000 to 10,000", 5, (late / early - 1) * 100, "%")


def measure_throughput(athlete, seconds, is_selected, report):
    selected = {name: calls for name, calls in loads(athlete).items() if is_selected(f"throughput {name}")}
    if not selected:
        return
    if not load.is_available():
        print("throughput: not measured, because wrk is not installed")
        return
    with gunicorn() as target:
        for name, calls in selected.items():
            for connections in load.CONNECTIONS:
                results = {
                    side: load.throughput(target.server, call, connections, seconds)
                    for side, call in calls.items()
                }
                report.throughput(f"throughput {name}, {connections} at once", **results)
