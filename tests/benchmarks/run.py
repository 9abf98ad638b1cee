"""One run: measures and reports every selected row."""

import re
import statistics
import tempfile
from pathlib import Path

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.benchmarks import data, load, processes, storage
from tests.benchmarks.calls import Athlete
from tests.benchmarks.growth import growths, screens
from tests.benchmarks.measure import InProcess, alternating, send
from tests.benchmarks.report import Report
from tests.benchmarks.requests import BOUNDS, with_a_floor

SCREEN_KB = 60
NEW_IN_EACH_RESPONSE = re.compile(rb'"(id|created_at|updated_at)":"[^"]+"')


def run(is_selected, rounds):
    """Measures the rows for whose names `is_selected(name)` is true."""
    athletes = [Athlete(account) for account in data.accounts()]
    _, large, huge = athletes
    application, report = InProcess(), Report("PostgreSQL" if connection.vendor == "postgresql" else "SQLite")
    try:
        measure_sizes(application, huge, is_selected, report)
        measure_growth(application, athletes, rounds, is_selected, report)
        measure_ratios(application, large, rounds, is_selected, report)
        measure_writers(large, is_selected, report)
    finally:
        for athlete in athletes:
            athlete.delete_added()
    measure_processes(is_selected, report)
    report.save()


def measure_sizes(application, athlete, is_selected, report):
    if is_selected("a workout in the database"):
        report_workout_size(report)
    for name, call in screens(athlete).items():
        if is_selected(f"size of the {name}"):
            with CaptureQueriesContext(connection) as statements:
                body = send(application, call)
            report.figure(
                f"size of the {name}", len(body) / 1000, "KB", SCREEN_KB, f"{len(statements)} statements"
            )


def report_workout_size(report):
    sizes = storage.kb_a_workout()
    if sizes is None:
        print("a workout in the database: not measured, because this SQLite was built without dbstat")
        return
    note = "tables {:.2f}, indexes {:.2f}".format(*sizes)
    report.figure("a workout in the database", sum(sizes), "KB", storage.BOUND_KB[connection.vendor], note)


def measure_growth(application, athletes, rounds, is_selected, report):
    for growth in growths(athletes):
        if is_selected(f"growth of {growth.name}"):
            times_ms, ratios = alternating(application, growth.calls, rounds)
            report.growth(f"growth of {growth.name}", times_ms, ratios[1:], growth.bound)


def measure_ratios(application, athlete, rounds, is_selected, report):
    for name, request in with_a_floor(athlete).items():
        if is_selected(name):
            check_bytes(application, name, request)
            times_ms, (_, ratio) = alternating(application, (request.floor, request.service), rounds)
            bound = BOUNDS[name][connection.vendor]
            report.figure(name, ratio, "×", bound, "{:.2f} -> {:.2f} ms".format(*times_ms))


def check_bytes(application, name, request):
    """Raises AssertionError unless both responses are equal, apart from the new ids and times of a POST."""
    floor, service = (send(application, call) for call in (request.floor, request.service))
    if request.service.method == "POST":
        floor, service = (NEW_IN_EACH_RESPONSE.sub(b"", body) for body in (floor, service))
    assert floor == service, f"{name}: the floor sends\n{floor[:2000]}\nthe service\n{service[:2000]}"


def measure_writers(athlete, is_selected, report):
    if not is_selected("p99 of writers"):
        return
    if not load.is_available():
        print("p99 of writers: not measured, because wrk is not installed")
        return
    with load.gunicorn() as server:
        for writers, bound_ms in load.WRITERS.items():
            runs = load.runs(server, athlete.post("/workouts", athlete.a_workout()), writers)
            each = ", ".join(f"{one.p99_ms:.0f}" for one in runs)
            p50_ms = statistics.median(one.p50_ms for one in runs)
            note = f"{each}; p50 {p50_ms:.0f} ms; {sum(one.failed for one in runs)} failed"
            p99_ms = statistics.median(one.p99_ms for one in runs)
            report.figure(f"p99 of writers, {writers} at once", p99_ms, "ms", bound_ms, note)


def measure_processes(is_selected, report):
    with tempfile.TemporaryDirectory() as folder:
        if is_selected("prepare"):
            first, again = processes.prepare_seconds(Path(folder))
            report.figure("CPU of prepare on an empty SQLite", first, "s", 3.5)
            report.figure("CPU of prepare again", again, "s", 2)
        if is_selected("memory at rest"):
            report.figure("memory at rest, with a worker", processes.memory_mb(Path(folder)), "MB", 180)
