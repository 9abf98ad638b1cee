"""One run: measures and reports every selected row."""

import os
import re
import statistics

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.benchmarks import data, load, parts, storage, worker
from tests.benchmarks.calls import Athlete
from tests.benchmarks.growth import SCREEN_GOAL_KB, growths, screens
from tests.benchmarks.measure import alternating, compare, send
from tests.benchmarks.report import Report, short
from tests.benchmarks.rows import alone, everyday, loads, rows
from tests.benchmarks.targets import InProcess, gunicorn

NEW_IN_EACH_RESPONSE = re.compile(rb'"(id|created_at|updated_at)":"[^"]+"')
REDIS = bool(os.environ.get("REDIS_URL"))


def run(is_selected, rounds, seconds):
    """Measures the rows for whose names `is_selected(name)` is true."""
    athletes = [Athlete(account) for account in data.accounts()]
    _, large, huge = athletes
    application = InProcess()
    report = Report(column_name())
    try:
        measure_sizes(application, huge, is_selected, report)
        measure_growth(application, athletes, rounds, is_selected, report)
        compare_rows(application, [row for row in rows(large) if is_selected(row.name)], rounds, report)
        measure_alone(application, large, rounds, is_selected, report)
        measure_parts(large, rounds, is_selected, report)
        measure_worker(large, is_selected, report)
        measure_writers(large, seconds, is_selected, report)
        measure_throughput(large, seconds, is_selected, report)
    finally:
        for athlete in athletes:
            athlete.delete_added()


def column_name():
    """The heading of this run's column in the tables."""
    database = "PostgreSQL" if connection.vendor == "postgresql" else "SQLite"
    return f"{database} + Redis" if REDIS else database


def measure_sizes(application, athlete, is_selected, report):
    if is_selected("a workout in the database"):
        report_workout_size(report)
    for name, call in screens(athlete).items():
        if is_selected(f"size of the {name}"):
            with CaptureQueriesContext(connection) as statements:
                body = send(application, call)
            note = f"{len(statements)} statements"
            report.figure(f"size of the {name}", SCREEN_GOAL_KB, len(body) / 1000, "KB", note)


def report_workout_size(report):
    sizes = storage.kb_a_workout()
    if sizes is None:
        print("a workout in the database: not measured, because this SQLite was built without dbstat")
        return
    note = "tables {:.2f}, indexes {:.2f}".format(*sizes)
    report.figure("a workout in the database", storage.GOAL_KB[connection.vendor], sum(sizes), "KB", note)


def measure_growth(application, athletes, rounds, is_selected, report):
    for growth in growths(athletes):
        if is_selected(f"growth of {growth.name}"):
            report.growth(growth, *alternating(application, growth.calls, rounds))


def compare_rows(application, selected, rounds, report):
    if not selected:
        return
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


def measure_alone(application, athlete, rounds, is_selected, report):
    for name, call in alone(athlete).items():
        if is_selected(name):
            (median_ms,), _ = alternating(application, (call,), rounds)
            report.figure(name, None, median_ms, "ms")


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
        sizes_mb, growths_percent = worker.memory(everyday(athlete))
        report_runs("memory after 10,000 requests", 80, sizes_mb, "MB", report)
        report_runs("memory, growth from 1,000 to 10,000", 3, growths_percent, "%", report)


def report_runs(name, goal, figures, unit, report, note=""):
    """Reports the median of some runs, with the figure of each beside it."""
    each = ", ".join(map(short, figures))
    report.figure(name, goal, statistics.median(figures), unit, f"{each}{note}")


def measure_writers(athlete, seconds, is_selected, report):
    if not is_selected("p99 of writers") or is_without_wrk("p99 of writers"):
        return
    call = loads(athlete)["POST 24 sets"]["service"]
    with gunicorn() as target:
        for writers in load.WRITERS:
            runs = [load.throughput(target.server, call, writers, 2 * seconds) for _ in range(load.RUNS)]
            report_writers(writers, runs, report)


def report_writers(writers, runs, report):
    goal_ms = load.WRITERS[writers] if connection.vendor == "sqlite" else None
    p50_ms = statistics.median(one.p50_ms for one in runs)
    note = f"; p50 {p50_ms:.0f} ms; {sum(one.failed for one in runs)} failed"
    report_runs(
        f"p99 of writers, {writers} at once", goal_ms, [one.p99_ms for one in runs], "ms", report, note
    )


def measure_throughput(athlete, seconds, is_selected, report):
    selected = {name: calls for name, calls in loads(athlete).items() if is_selected(f"throughput {name}")}
    if not selected or is_without_wrk("throughput"):
        return
    with gunicorn() as target:
        for name, calls in selected.items():
            for connections in load.CONNECTIONS:
                results = {
                    side: load.throughput(target.server, call, connections, seconds)
                    for side, call in calls.items()
                }
                report.throughput(f"throughput {name}, {connections} at once", **results)


def is_without_wrk(name):
    if not load.is_available():
        print(f"{name}: not measured, because wrk is not installed")
    return not load.is_available()
