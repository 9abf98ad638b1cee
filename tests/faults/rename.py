"""Renames or merges an exercise that many accounts have used, while four of them log workouts.

Run as `python -m tests.faults.rename --accounts 1500 --workouts 25000`, on SQLite or on the database that
DATABASE_URL names. Prints the seconds until no workout contained the old name, and the response times of the
writers. With `--kill`, prints the seconds after a kill in the middle of the change and a restart. With
`--merge`, the exercise is merged into another one instead.
"""

import argparse
import http.client
import json
import os
import re
import statistics
import tempfile
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import django
import psycopg

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
django.setup()

from tests.faults.service import Person, Service  # noqa: E402
from tests.faults.traffic import log_workout, traffic  # noqa: E402
from tests.server import own_database  # noqa: E402

EXERCISE, KEPT = "barbell-bench-press", "dumbbell-bench-press"
# The beginning of an exercise in the documents of workouts: before, after a rename, and after a merge.
OLD, RENAMED, MERGED = (
    json.dumps({"exercise_id": exercise_id, "name": name}, separators=(",", ":"))[1:-1]
    for exercise_id, name in [
        (EXERCISE, "Barbell Bench Press"),
        (EXERCISE, "Bench Press"),
        (KEPT, "Dumbbell Bench Press"),
    ]
)
FORM = {
    "id": EXERCISE,
    "muscle_group": "Chest",
    "equipment": "Barbell",
    "level": "beginner",
    "mechanic": "compound",
    "force": "push",
    "category": "strength",
    "instructions": "Press it.",
    "images": "",
    "aliases": "",
}

FILL = """
import json
from datetime import timedelta
from django.db import transaction
from django.test import Client
from django.utils import timezone
from accounts.models import Account, AccountState
from training.models import Exercise, Workout
bench = Exercise.objects.get(pk="{exercise}")
others = list(Exercise.objects.exclude(pk=bench.pk).order_by("pk")[:40])
sets = [dict(type="working", weight_kg=80.0 + n, reps=5, completed=True, rpe=8.5) for n in range(4)]
accounts = Account.objects.bulk_create(Account(email=f"lifter{{n}}@example.org") for n in range({accounts}))
AccountState.objects.bulk_create(AccountState(account=account) for account in accounts)
each, remainder = divmod({workouts}, {accounts})
for number, account in enumerate(accounts):
    with transaction.atomic():
        for n in range(each + (number < remainder)):
            exercises = [bench, *(others[(number + n + k) % 40] for k in range(5))]
            entries = [dict(exercise=one, notes="", superset_id=None, sets=sets) for one in exercises]
            Workout.objects.log(account, dict(title="", notes="", plan_id=None, plan_name=None,
                started_at=timezone.now() - timedelta(days=n), duration_seconds=3600, exercises=entries))
root = Account.objects.create_superuser("root@example.org", "correct horse")
for account in [root, *accounts[:: max(1, len(accounts) // 4)][:4]]:
    key, _ = account.issue_key("faults", "read_write", "never")
    browser = Client()
    browser.force_login(account)
    print(json.dumps([account.email, key, browser.cookies["session"].value, ""]))
"""


def fill(service, accounts, workouts):
    """Creates the accounts and workouts. Returns a member of staff, and four of the accounts."""
    script = FILL.format(exercise=EXERCISE, accounts=accounts, workouts=workouts)
    done = service.manage("shell", "--no-imports", "-c", script)
    staff, *writers = [Person(*json.loads(line)) for line in done.stdout.splitlines() if line[0] == "["]
    return staff, writers


def rename(service, staff):
    """Saves the exercise in the admin. Returns the status and the HTML after the redirect."""
    return submit(service, staff, "change", {**FORM, "name": "Bench Press", "_continue": "1"})


def merge(service, staff):
    """Merges the exercise in the admin. Returns the status and the HTML after the redirect."""
    return submit(service, staff, "merge", {"kept": KEPT})


def submit(service, staff, action, fields):
    address = f"/admin/training/exercise/{EXERCISE}/{action}/"
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=600)
    headers = {"Cookie": f"session={staff.session}"}
    connection.request("GET", address, headers=headers)
    response = connection.getresponse()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', response.read().decode())[1]
    csrf = re.search(r"csrf=(\w+)", response.headers["Set-Cookie"])[1]
    headers = {
        "Cookie": f"session={staff.session}; csrf={csrf}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    form = {**fields, "csrfmiddlewaretoken": token}
    connection.request("POST", address, urlencode(form), headers)
    response = connection.getresponse()
    response.read()
    cookies = "; ".join(cookie.partition(";")[0] for cookie in response.headers.get_all("Set-Cookie") or [])
    connection.request("GET", address, headers={"Cookie": f"session={staff.session}; {cookies}"})
    return response.status, connection.getresponse().read().decode()


@contextmanager
def rows_of(service):
    """Yields a function that runs a statement on its own connection, and returns the rows."""
    url = service.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        yield service.sqlite
        return
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        yield lambda sql: connection.execute(sql).fetchall()


def showing(service, part):
    """The number of workouts whose document has this part."""
    with rows_of(service) as rows:
        position_of = "instr" if "sqlite" in service.environment["DATABASE_URL"] else "strpos"
        ((count,),) = rows(
            f"SELECT count(*) FROM training_workout WHERE {position_of}(document, '{part}') > 0"
        )
        return count


def wait_until_none_shows(service, part, within):
    deadline = time.monotonic() + within
    while left := showing(service, part):
        assert time.monotonic() < deadline, f"{left} workouts still contain {part}"
        time.sleep(2)


def measure_writers(service, staff, writers, change, new):
    with traffic(service, writers, acts=[log_workout], pause_seconds=0.1) as load:
        time.sleep(3)
        before, started = len(load.responses), time.monotonic()
        status, _ = change(service, staff)
        print(f"saved: {status} after {time.monotonic() - started:.1f} s", flush=True)
        wait_until_none_shows(service, OLD, 600)
        print(f"all {showing(service, new)} done after {time.monotonic() - started:.1f} s")
    for phase, responses in (("before", load.responses[:before]), ("during", load.responses[before:])):
        seconds = [response.seconds for response in responses]
        print(
            f"writers {phase}: {dict(Counter(response.status for response in responses))}, median "
            f"{statistics.median(seconds):.3f} s, p99 {statistics.quantiles(seconds, n=100)[98]:.3f} s, "
            f"slowest {max(seconds):.3f} s"
        )


def measure_kill(service, staff, change, new):
    change(service, staff)
    while not showing(service, new):
        time.sleep(0.1)
    service.kill()
    print(f"killed; {showing(service, OLD)} are left", flush=True)
    started = time.monotonic()
    service.start()
    wait_until_none_shows(service, OLD, 600)
    print(f"all {showing(service, new)} done {time.monotonic() - started:.1f} s after the restart")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=1500)
    parser.add_argument("--workouts", type=int, default=25_000)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--merge", action="store_true")
    with tempfile.TemporaryDirectory() as folder, own_database(Path(folder)) as database:
        service = Service(Path(folder), database)
        options = parser.parse_args()
        change, new = (merge, MERGED) if options.merge else (rename, RENAMED)
        service.manage("prepare")
        staff, writers = fill(service, options.accounts, options.workouts)
        service.start()
        try:
            if options.kill:
                measure_kill(service, staff, change, new)
            else:
                measure_writers(service, staff, writers, change, new)
        finally:
            service.stop()


if __name__ == "__main__":
    main()
