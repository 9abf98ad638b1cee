from datetime import datetime

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import a_set, a_workout
from tests.pages import items_of
from tests.training.test_plans import a_plan


def events(api, **query):
    return api.get("/workouts/events", **query).json()["events"]


def test_each_workout_appears_once_at_its_latest_change(api, log_workout):
    first, second = log_workout(a_set()), log_workout(a_set())
    api.put(f"/workouts/{first['id']}", a_workout(title="changed"))
    assert [(event["kind"], event["workout"]["id"]) for event in events(api)] == [
        ("created", second["id"]),
        ("updated", first["id"]),
    ]


def test_an_event_carries_the_workout_and_the_time_of_its_change(api, log_workout):
    stored = log_workout(a_set())
    assert events(api) == [{"kind": "created", "at": stored["updated_at"], "workout": stored}]


def test_a_backdated_workout_appears_when_it_is_posted(api, log_workout):
    log_workout(started_at="2026-03-02T10:00:00Z")
    seen = events(api)[-1]["at"]
    late = log_workout(started_at="2020-01-01T10:00:00Z")
    assert [event["workout"]["id"] for event in events(api, since=seen)][1:] == [late["id"]]


def test_since_is_inclusive(api, log_workout):
    log_workout()
    last = log_workout()
    assert [event["workout"]["id"] for event in events(api, since=last["updated_at"])] == [last["id"]]


def test_changes_within_one_microsecond_get_stamps_of_their_own(api, log_workout, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    stamps = [datetime.fromisoformat(log_workout()["updated_at"]) for _ in range(5)]
    assert len(set(stamps)) == 5
    assert stamps == sorted(stamps)


def test_a_clock_that_steps_back_does_not_hide_a_change(api, log_workout, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    seen = log_workout()["updated_at"]
    time_machine.move_to("2026-03-02T09:00:00Z", tick=False)
    late = log_workout()
    assert events(api, since=seen)[-1]["workout"]["id"] == late["id"]


def test_pages_follow_each_other_without_a_gap(api, log_workout):
    logged = [log_workout()["id"] for _ in range(5)]
    listed = items_of(api, "/workouts/events", "events", limit=2)
    assert [event["workout"]["id"] for event in listed] == logged


@pytest.fixture
def of_a_day_ahead(api, log_workout, time_machine):
    """Four workouts in the order of their changes. All but the first were stamped by a clock a day ahead."""
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    before = log_workout()
    time_machine.move_to("2026-03-03T10:00:00Z", tick=False)
    changed, first, second = log_workout(), log_workout(), log_workout()
    api.put(f"/workouts/{changed['id']}", a_workout(title="changed"))
    assert api.post("/goals", {"target_weight_kg": 80}).status_code == 201
    api.post("/plans", a_plan())
    time_machine.move_to("2026-03-02T11:00:00Z", tick=False)
    return [workout["id"] for workout in (before, first, second, changed)]


def test_stamps_of_a_clock_a_day_ahead_are_set_back_in_their_order(
    api, account, of_a_day_ahead, time_machine, capsys
):
    call_command("set_stamps_back", "--dry-run")
    assert "5 changes lie ahead" in capsys.readouterr().out
    assert events(api)[-1]["at"].startswith("2026-03-03")
    call_command("set_stamps_back")
    told = capsys.readouterr().out
    assert f"{account.email}: 5" in told
    assert "must begin anew" in told

    found = events(api)
    assert [event["workout"]["id"] for event in found] == of_a_day_ahead
    assert [event["kind"] for event in found] == ["created", "created", "created", "updated"]
    stamps = [event["at"] for event in found]
    assert stamps == sorted(set(stamps))
    assert all(stamp.startswith("2026-03-02T1") for stamp in stamps)
    assert [api.get(f"/workouts/{event['workout']['id']}").json() for event in found] == [
        event["workout"] for event in found
    ]
    assert "2026-03-03" not in f"{api.get('/plans').json()} {api.get('/goals').json()}"
    time_machine.move_to("2026-03-02T11:01:00Z")
    call_command("set_stamps_back", account.email)
    assert "0 changes were set back" in capsys.readouterr().out


def test_after_that_nothing_is_missed_by_who_begins_anew(api, log_workout, of_a_day_ahead, capsys):
    call_command("set_stamps_back")
    seen = events(api)[-1]["at"]
    late = log_workout()
    assert [event["workout"]["id"] for event in events(api, since=seen)] == [of_a_day_ahead[-1], late["id"]]
    api.post("/goals", {"target_weight_kg": 79})
    assert api.get("/goals/current").json()["target_weight_kg"] == 79


def test_stamps_of_an_account_that_there_is_not_are_not_set_back(db):
    with pytest.raises(CommandError, match="no account"):
        call_command("set_stamps_back", "nobody@example.org")
