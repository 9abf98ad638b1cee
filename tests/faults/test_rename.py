"""Renaming or merging a much-used exercise: owners can still write, and a kill leaves nothing stale."""

import time

import pytest

from tests.faults.rename import (
    MERGED,
    OLD,
    RENAMED,
    fill,
    merge,
    rename,
    showing,
    wait_until_none_shows,
)
from tests.faults.traffic import Caller, log_workout, stored_workouts, synced, traffic

ACCOUNTS, WORKOUTS = 60, 900
SECONDS = 60  # on a busy machine; `python -m tests.faults.rename` measures the real time


UNDO = """
from django.core.management import call_command
from accounts.models import Account
from training.models import CatalogueChange, Exercise
Account.objects.all().delete()
CatalogueChange.objects.all().delete()
Exercise.objects.filter(edited=True).update(edited=False, merged_into=None, retired_at=None)
call_command("load_catalogue")
CatalogueChange.objects.all().delete()
"""


@pytest.fixture
def service(request):
    """A service whose accounts and catalogue changes are deleted after the test."""
    service = request.getfixturevalue(request.param)
    yield service
    service.manage("shell", "--no-imports", "-c", UNDO)
    service.newcomers.clear()


BOTH = [("on_sqlite", rename, RENAMED), ("on_postgres", merge, MERGED)]  # they are carried out alike
SHOWN = {
    rename: "Workouts that follow in the background: ",
    merge: "Workouts, routines and plans follow in the background.",
}


@pytest.mark.parametrize(("service", "change", "new"), BOTH, indirect=["service"])
def test_owners_can_write_and_sync_every_change_meanwhile(service, change, new):
    staff, writers = fill(service, ACCOUNTS, WORKOUTS)
    caller = Caller(service, writers[0])
    held = synced(caller)
    since = max(workout["updated_at"] for workout in held.values())
    with traffic(service, writers, acts=[log_workout]) as load:
        time.sleep(1)
        status, shown = change(service, staff)
        assert status == 302
        assert SHOWN[change] in shown
        wait_until_none_shows(service, OLD, SECONDS)
    assert not load.failed
    caller = Caller(service, writers[0])
    held |= synced(caller, since)
    stored = stored_workouts(caller)
    assert held == stored
    firsts = [workout["exercises"][0] for workout in stored.values()]
    found = {f'"exercise_id":"{one["exercise_id"]}","name":"{one["name"]}"' for one in firsts}
    assert found == {new}


@pytest.mark.parametrize(("service", "change", "new"), BOTH, indirect=["service"])
def test_a_change_continues_after_a_kill_in_the_middle(service, change, new):
    staff, _ = fill(service, ACCOUNTS, WORKOUTS)
    assert change(service, staff)[0] == 302
    while not showing(service, new):
        time.sleep(0.01)
    service.kill()
    left = showing(service, OLD)
    service.start()
    print(f"{left} of {WORKOUTS} were left at the kill")
    assert left
    wait_until_none_shows(service, OLD, SECONDS)
