from datetime import datetime

from tests.conftest import a_set, a_workout
from tests.pages import items_of


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
