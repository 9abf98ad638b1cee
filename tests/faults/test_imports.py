"""Imports while processes are killed, pages step at the same time, and programs write."""

import datetime
import re
import threading
import time

import pytest

from tests.faults.traffic import Caller, log_workout, stored_workouts, synced

WORKOUTS = 1500
HEADER = (
    "title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,set_type,"
    "weight_kg,reps,distance_km,duration_seconds,rpe"
)
BOUNDARY = "a-boundary"


@pytest.fixture(params=["on_sqlite", "on_postgres"])
def service(request):
    return request.getfixturevalue(request.param)


def history():
    """A file of Hevy with a workout a day."""
    lines = [HEADER]
    for number in range(WORKOUTS):
        day = datetime.date(2020, 1, 1) + datetime.timedelta(days=number)
        start, end = (f'"{day:%d %b %Y}, {hour}:30"' for hour in ("18", "19"))
        for index in range(3):
            lift = f"Bench Press (Barbell),,,{index},normal,{60 + number % 40},{5 + index},,0,8"
            lines.append(f"Imported {number},{start},{end},,{lift}")
    return "\n".join(lines).encode()


class Importer(Caller):
    """A browser whose account imports a file."""

    def token(self):
        page = self.open_screen("/settings/data")
        self.csrf = re.search(r"csrf=(\w+)", page.headers["Set-Cookie"])[1]
        return re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1].decode()

    def post(self, address, data=b"", content_type="application/x-www-form-urlencoded"):
        headers = {
            "Cookie": f"session={self.person.session}; csrf={self.csrf}",
            "X-CSRFToken": self.csrf,
            "Content-Type": content_type,
            "Accept": "application/json",
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

    def step(self, run):
        return self.post(f"{run}/step")

    def finish(self, run):
        """Goes on, also where the connection or the process is gone, until nothing is left."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            response = self.step(run)
            if response.status == 200 and not response.json["more"]:
                return
            if response.status != 200:
                time.sleep(0.2)
        raise AssertionError("the import did not end")


def imported_titles(caller):
    titles = [one["title"] for one in stored_workouts(caller).values()]
    return sorted(title for title in titles if title.startswith("Imported"))


def test_an_import_that_is_killed_goes_on_where_it_was(service):
    importer = Importer(service, service.people(1)[0])
    run = importer.upload(history())
    stop = threading.Event()

    def kill():
        while not stop.wait(0.4):
            service.kill_worker()

    killer = threading.Thread(target=kill)
    for _ in range(3):
        importer.step(run)
    service.kill_and_restart()
    killer.start()
    time.sleep(1)
    stop.set()
    killer.join()
    importer.finish(run)
    assert imported_titles(importer) == sorted(f"Imported {number}" for number in range(WORKOUTS))
    assert "workouts: 0 changed" in service.manage("render_records").stdout


def test_two_pages_that_step_beside_a_program_lose_and_double_nothing(service):
    person = service.people(1)[0]
    importer, program = Importer(service, person), Caller(service, person)
    run = importer.upload(history())
    logged, statuses, done = [], [], threading.Event()

    def write():
        while not done.is_set():
            response = log_workout(program)
            statuses.append(response.status)
            logged.append(response.json["id"])

    def step():
        page = Importer(service, person)
        page.token()
        page.finish(run)

    held = synced(importer)
    threads = [threading.Thread(target=act) for act in (write, step, step)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads[1:]):
        since = max((one["updated_at"] for one in held.values()), default=None)
        held |= synced(importer, since)
        time.sleep(0.05)
    done.set()
    threads[0].join()
    since = max(one["updated_at"] for one in held.values())
    held |= synced(importer, since)
    assert set(statuses) == {201}
    assert held == stored_workouts(importer)
    assert set(logged) <= held.keys()
    assert imported_titles(importer) == sorted(f"Imported {number}" for number in range(WORKOUTS))
