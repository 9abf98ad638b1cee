"""What the reading requests of the API read of twenty years, against one year with as many workouts a day."""

import datetime
import json

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import AccountState
from tests.api.test_isolation import READS, fill
from tests.benchmarks.data import add_days
from tests.conftest import client_of, statements
from tests.factories import AccountFactory
from tests.large.data import share_of
from tests.training.query_plans import POSTGRESQL, add_history, explained, scans
from training.models.search import MAX_SESSIONS

YEARS = 20
WORKOUTS = share_of(100_000)
PER_DAY = max(1, round(WORKOUTS / YEARS / 313))  # on six days of seven
UNITS_A_ROW = 1 if POSTGRESQL else 40  # at most, of what `work_of` returns
ALL_HISTORY = "/stats/training?since=1990-01-01T00:00:00Z"
SEARCH = "/exercises?q=press"
PATHS = [*sorted({*READS} - {"/openapi.json"}), SEARCH, "/workouts?limit=100"]
MORE_ROWS = {  # that a long history may take at most
    SEARCH: 20 * MAX_SESSIONS,  # with the exercises of these histories
}


def lifter(years):
    """The client of an account with workouts up to today, and everything else on each day."""
    account = AccountFactory(email=f"{years}-years@example.org")
    count = WORKOUTS * years // YEARS
    days = count // PER_DAY * 7 // 6
    add_history(account, count, timezone.now().date() - datetime.timedelta(days=days), PER_DAY)
    add_days(account, days)
    AccountState.objects.filter(account=account).update(workout_count=count)
    api = client_of(account)
    newest = account.workout_exercises.latest("started_at")
    api.ids = fill(account) | {"workout_id": newest.workout_id, "exercise_id": newest.exercise_id}
    return api


@pytest.fixture(scope="module")
def lifters(service):
    lifters = lifter(1), lifter(YEARS)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if POSTGRESQL else "ANALYZE")
    return lifters


def get(api, path):
    response = api.get(path.format(**api.ids))
    assert response.status_code == 200, response.content


def work_of(api, path):
    """How many rows PostgreSQL reads for a request, or how many instructions SQLite carries out."""
    get(api, path)
    if POSTGRESQL:
        with statements() as run:
            get(api, path)
        return sum(map(rows_read, run))
    calls = []
    connection.connection.set_progress_handler(lambda: calls.append(1), 10)
    get(api, path)
    connection.connection.set_progress_handler(None, 0)
    return 10 * len(calls)


def rows_read(sql):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}")
        (found,) = cursor.fetchone()
    (plan,) = json.loads(found) if isinstance(found, str) else found
    return read_by(plan["Plan"])


def read_by(node):
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    own = (node["Actual Rows"] + removed) * node["Actual Loops"] if "Scan" in node["Node Type"] else 0
    return own + sum(map(read_by, node.get("Plans", [])))


@pytest.mark.parametrize("path", PATHS)
def test_a_long_history_is_read_no_further_than_a_short_one(lifters, record_property, path):
    short, long = (work_of(api, path) for api in lifters)
    record_property(f"{path}, {connection.vendor}", f"{short:,} of one year, {long:,} of {YEARS}")
    assert long <= 2 * short + UNITS_A_ROW * (10 + MORE_ROWS.get(path, 0))


@pytest.mark.parametrize("path", [ALL_HISTORY, "/stats/training", "/workouts?limit=100", "/workouts/events"])
def test_no_table_of_workouts_is_scanned(lifters, path):
    _, api = lifters
    get(api, path)
    with statements() as run:
        get(api, path)
    plan = explained(run[1:])
    assert not scans(plan), plan
