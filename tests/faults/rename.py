"""Renames or merges an exercise that many accounts have used, in the admin of a running service."""

import http.client
import json
import re
import time
from contextlib import closing, contextmanager
from urllib.parse import urlencode

import psycopg

from tests.faults.service import Person

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
