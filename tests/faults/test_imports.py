"""Imports while workers, web processes and databases are killed, and while programs write."""

import datetime
import json
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import pytest

from tests.faults.rename import rows_of
from tests.faults.traffic import Caller, ShortCaller, log_workout, stored_workouts, synced
from tests.server import ROOT, wait_until

WORKOUTS = 500
HEADER = (
    "title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,set_type,"
    "weight_kg,reps,distance_km,duration_seconds,rpe"
)
BOUNDARY = "a-boundary"


def history(workouts=WORKOUTS, description=""):
    """A file of Hevy with a workout a day, up to one in 2026."""
    lines = [HEADER]
    for number in range(workouts):
        day = datetime.date(2026, 1, 1) - datetime.timedelta(days=workouts - number)
        start, end = (f'"{day:%d %b %Y}, {hour}:30"' for hour in ("18", "19"))
        for index in range(3):
            lift = f"Bench Press (Barbell),,,{index},normal,{60 + number % 40},{5 + index},,0,8"
            lines.append(f"Imported {number},{start},{end},{description},{lift}")
    return "\n".join(lines).encode()


class Importer(ShortCaller):
    """A browser whose account imports a file, and goes on where the connection or the process is gone."""

    def token(self):
        page = self.open_screen("/settings/data")
        self.csrf = re.search(r"csrf=(\w+)", page.headers["Set-Cookie"])[1]
        return re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1].decode()

    def post(self, address, data, content_type="application/x-www-form-urlencoded"):
        headers = {
            "Cookie": f"session={self.person.session}; csrf={self.csrf}",
            "X-CSRFToken": self.csrf,
            "Content-Type": content_type,
        }
        return self.send("POST", address, data, headers)

    def upload(self, content):
        """The address of the run."""
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n',
            self.token(),
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="hevy.csv"\r\n\r\n',
        ]
        body = "\r\n".join(parts).encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        response = self.post("/settings/data/imports", body, f"multipart/form-data; boundary={BOUNDARY}")
        assert response.status == 302, response
        return response.headers["Location"]

    def progress(self, run):
        """What the page of a run asks for, once it is answered."""
        headers = {"Cookie": f"session={self.person.session}", "Accept": "application/json"}
        answers = []
        wait_until(lambda: answers.append(self.send("GET", run, None, headers)) or answers[-1].status == 200)
        return answers[-1].json

    def wait(self, run, within=120):
        wait_until(lambda: not self.progress(run)["under_way"], within)
        return self.progress(run)

    def store(self, run):
        """Presses the button of the preview until it is heard."""

        def is_heard():
            self.post(run, b"import=yes&time_zone=UTC")
            progress = self.progress(run)
            return progress["under_way"] or progress["done"]

        wait_until(is_heard)


def imported_titles(caller):
    titles = [one["title"] for one in stored_workouts(caller).values()]
    return sorted(title for title in titles if title.startswith("Imported"))


def check(importer, service, workouts=WORKOUTS):
    """Each record is stored once and as a whole, and no task is left."""
    assert imported_titles(importer) == sorted(f"Imported {number}" for number in range(workouts))
    assert "workouts: 0 changed" in service.manage("render_records").stdout
    with rows_of(service) as rows:
        assert rows("SELECT count(*) FROM accounts_task") == [(0,)]


def stop_and_start(service):
    service.stop()
    service.start()


KILLS = {
    "the worker": lambda service: service.kill_and_restart_worker(),
    "a web process": lambda service: service.kill_worker(),
    "gunicorn and all": lambda service: service.kill_and_restart(),
    "nothing, but all are ended": stop_and_start,
    "PostgreSQL": lambda service: service.cluster.crash_and_restart(),
}


def killed(on_sqlite, on_postgres):
    """Parameters: processes are the same on both databases, what they leave behind in one is not."""
    cases = [("on_sqlite", name) for name in on_sqlite] + [("on_postgres", name) for name in on_postgres]
    return pytest.mark.parametrize(("service", "name"), cases, indirect=["service"])


@killed([name for name in KILLS if name != "PostgreSQL"], ["the worker", "PostgreSQL"])
def test_an_import_that_is_killed_goes_on_where_it_was(service, name):
    importer = Importer(service, service.people(1)[0])
    run = importer.upload(history())
    KILLS[name](service)  # while the file is read
    assert importer.wait(run)["total"] == WORKOUTS
    importer.store(run)
    wait_until(lambda: importer.progress(run)["done"] >= 100)
    KILLS[name](service)
    done = importer.wait(run)
    assert (done["done"], done["says"]) == (WORKOUTS, "")
    check(importer, service)


def archive(workouts=WORKOUTS):
    """An archive with a workout a day."""
    sets = [
        {"type": "working", "weight_kg": 60 + n, "reps": 5, "completed": True, "rpe": 8} for n in range(3)
    ]
    entry = {"exercise_id": "barbell-bench-press", "notes": "", "superset_id": None, "sets": sets}
    began = datetime.datetime(2020, 1, 1, 18, 30, tzinfo=datetime.UTC)
    bodies = [
        {
            "id": str(number),
            "title": f"Imported {number}",
            "notes": "",
            "duration_seconds": 3600,
            "started_at": (began + datetime.timedelta(days=number)).isoformat(),
            "exercises": [entry],
        }
        for number in range(workouts)
    ]
    return json.dumps({"format": {"name": "fitness-account", "version": 1}, "workouts": bodies}).encode()


@killed(["the worker", "gunicorn and all"], ["PostgreSQL"])
def test_a_restore_that_is_killed_goes_on_or_is_emptied(service, name):
    going_on, emptied = (Importer(service, person) for person in service.people(2))
    for importer in (going_on, emptied):
        importer.token()
        importer.post(f"/supplements/{importer.person.supplement_id}/remove", b"")  # the one that each has
        importer.run = importer.upload(archive())
        progress = importer.wait(importer.run)
        assert progress["total"] == WORKOUTS, progress["says"]
    for importer in (going_on, emptied):
        importer.store(importer.run)
        wait_until(lambda importer=importer: importer.progress(importer.run)["done"] >= 100)
        KILLS[name](service)
    wait_until(lambda: emptied.post(f"{emptied.run}/undo", b"").status == 302)
    assert emptied.wait(emptied.run)["says"] == ""
    assert len(imported_titles(emptied)) in (0, WORKOUTS)  # where it was quicker than the undo
    assert going_on.wait(going_on.run)["done"] == WORKOUTS
    check(going_on, service)


@contextmanager
def watched_worker(service, log):
    """A worker as a service of its own, which writes down its steps."""
    command = [sys.executable, "-m", "tests.faults.watched_worker"]
    with log.open("wb") as file:
        worker = subprocess.Popen(command, cwd=ROOT, env=service.environment, stderr=file)
    try:
        wait_until(lambda: log.read_text())
        yield
    finally:
        worker.terminate()
        assert worker.wait(30) == 0


@pytest.fixture
def without_worker(service):
    service.worker.terminate()
    service.worker.wait()
    yield service
    service.start_worker()


def steps(log):
    """(account, begin, end) of each step that a worker has written down."""
    for line in log.read_text().splitlines():
        if line.startswith('{"step": '):
            step = json.loads(line)
            yield step["step"], step["began"], step["ended"]


def test_several_workers_never_serve_one_account_at_once(without_worker, tmp_path):
    service = without_worker
    importers = [Importer(service, person) for person in service.people(4)]
    logs = [tmp_path / name for name in ("one", "two", "three")]
    with ExitStack() as stack:
        for log in logs:
            stack.enter_context(watched_worker(service, log))
        with ThreadPoolExecutor(len(importers)) as pool:
            list(pool.map(import_all, importers))
    for importer in importers:
        check(importer, service, 300)
    found = [list(steps(log)) for log in logs]
    assert len([some for some in found if some]) > 1  # two may have done all before the third looked
    by_account = sorted(step for some in found for step in some)
    overlaps = [
        (one, next_one)
        for one, next_one in pairwise(by_account)
        if one[0] == next_one[0] and next_one[1] < one[2]
    ]
    assert overlaps == []


def import_all(importer):
    run = importer.upload(history(300))
    importer.wait(run)
    importer.store(run)
    importer.wait(run)


def test_an_import_beside_a_program_loses_and_doubles_nothing(service):
    person = service.people(1)[0]
    importer, program = Importer(service, person), Caller(service, person)
    run = importer.upload(history())
    importer.wait(run)
    logged, statuses, done = [], [], threading.Event()

    def write():
        while not done.is_set():
            response = log_workout(program)
            statuses.append(response.status)
            logged.append(response.json["id"])

    held = synced(importer)
    thread = threading.Thread(target=write)
    thread.start()
    importer.store(run)
    while importer.progress(run)["under_way"]:
        since = max((one["updated_at"] for one in held.values()), default=None)
        held |= synced(importer, since)
        time.sleep(0.05)
    done.set()
    thread.join()
    since = max(one["updated_at"] for one in held.values())
    held |= synced(importer, since)
    assert set(statuses) == {201}
    assert held == stored_workouts(importer)
    assert set(logged) <= held.keys()
    check(importer, service)
