"""Renaming a much-used exercise: owners can still write, and a kill in the middle leaves no stale workout."""

import time

import pytest

from tests.faults.rename import EXERCISE, NEW, OLD, fill, rename, rows_of, showing, wait_until_none_shows
from tests.faults.traffic import Caller, log_workout, traffic

ACCOUNTS, WORKOUTS = 60, 900
SECONDS = 60  # on a busy machine; `python -m tests.faults.rename` measures the real time


UNDO = f"""
from accounts.models import Account
from training.models import CatalogueChange, Exercise
Account.objects.all().delete()
CatalogueChange.objects.all().delete()
Exercise.objects.filter(pk="{EXERCISE}").update(name="{OLD}")
"""


@pytest.fixture(params=["on_sqlite", "on_postgres"])
def service(request):
    """A service whose accounts and catalogue changes are deleted after the test."""
    service = request.getfixturevalue(request.param)
    yield service
    service.manage("shell", "--no-imports", "-c", UNDO)
    service.newcomers.clear()


def synced(caller, since=None):
    """{id: workout} of a client that reads the event feed from `since` on, page by page."""
    held, cursor = {}, None
    while True:
        query = f"cursor={cursor}" if cursor else "limit=100"
        page = caller.api("GET", f"/workouts/events?{query}{f'&since={since}' if since else ''}").json
        held |= {event["workout"]["id"]: event["workout"] for event in page["events"]}
        cursor = page["next_cursor"]
        if cursor is None:
            return held


def test_owners_can_write_and_sync_every_change_during_a_rename(service):
    staff, writers = fill(service, ACCOUNTS, WORKOUTS)
    caller = Caller(service, writers[0])
    held = synced(caller)
    since = max(workout["updated_at"] for workout in held.values())
    with traffic(service, writers, acts=[log_workout]) as load:
        time.sleep(1)
        status, screen = rename(service, staff, NEW)
        assert status == 302
        assert "Workouts that follow in the background: " in screen
        wait_until_none_shows(service, OLD, SECONDS)
    assert not load.failed
    caller = Caller(service, writers[0])
    held |= synced(caller, since)
    stored = {}
    cursor = ""
    while cursor is not None:
        page = caller.api("GET", f"/workouts?limit=100{cursor and f'&cursor={cursor}'}").json
        stored |= {workout["id"]: workout for workout in page["workouts"]}
        cursor = page["next_cursor"]
    assert held == stored
    assert {workout["exercises"][0]["name"] for workout in stored.values()} == {NEW}


def test_a_rename_continues_after_a_kill_in_the_middle(service):
    staff, _ = fill(service, ACCOUNTS, WORKOUTS)
    assert rename(service, staff, NEW)[0] == 302
    while not showing(service, NEW):
        time.sleep(0.01)
    service.kill()
    left = showing(service, OLD)
    service.start()
    print(f"{left} of {WORKOUTS} were left at the kill")
    assert left
    wait_until_none_shows(service, OLD, SECONDS)
    with rows_of(service) as rows:
        assert rows("SELECT count(*) FROM training_cataloguechange")[0][0] == 1
