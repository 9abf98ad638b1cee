"""Statistics against an independent, deliberately naive computation over what the API lists."""

import datetime
import random

import pytest

from tests.conftest import a_set, client_of, statements
from tests.factories import AccountFactory
from tests.pages import items_of
from tests.training.random_workouts import some_exercises

pytestmark = pytest.mark.usefixtures("unlimited")

DAY = datetime.timedelta(days=1)
EXERCISES = ["barbell-bench-press", "push-up", "barbell-back-squat", "pull-up", "plank"]


def moment(text):
    return datetime.datetime.fromisoformat(text)


def naive_totals(workouts, since, until):
    inside = [workout for workout in workouts if since <= moment(workout["started_at"]) < until]
    groups = {}
    for workout in inside:
        for entry in workout["exercises"]:
            for one in entry["sets"]:
                if one["completed"]:
                    group = groups.setdefault(entry["muscle_group"], [set(), 0, 0])
                    group[0].add(workout["id"])
                    group[1] += 1
                    group[2] += one["weight_kg"] * one["reps"] if one["type"] == "working" else 0
    rows = [
        {"muscle_group": name, "sessions": len(ids), "sets": sets, "volume_kg": round(volume, 2)}
        for name, (ids, sets, volume) in groups.items()
    ]
    return {
        "sessions": len(inside),
        "completed_sets": sum(row["sets"] for row in rows),
        "volume_kg": round(sum(workout["volume_kg"] for workout in inside), 2),
        "total_duration_seconds": sum(workout["duration_seconds"] for workout in inside),
        "by_muscle_group": sorted(rows, key=lambda row: (-row["volume_kg"], row["muscle_group"])),
        "streak_days": naive_streak(workouts, until),
    }


def naive_streak(workouts, until):
    days = {moment(w["started_at"]).date() for w in workouts if moment(w["started_at"]) < until}
    day = (until - datetime.timedelta(microseconds=1)).date()
    if day not in days:
        day -= DAY
    streak = 0
    while day in days:
        streak, day = streak + 1, day - DAY
    return streak


def working_sets(workout, exercise_id):
    """Those with a repetition: others are attempts, and the best of nothing."""
    return [
        one
        for entry in workout["exercises"]
        if entry["exercise_id"] == exercise_id
        for one in entry["sets"]
        if one["completed"] and one["type"] == "working" and one["reps"]
    ]


def naive_records(workouts):
    records = {}
    for workout in sorted(workouts, key=lambda workout: (workout["started_at"], workout["id"])):
        for entry in workout["exercises"]:
            for one in working_sets(workout, entry["exercise_id"]):
                best = records.get(entry["exercise_id"])
                if best is None or (one["weight_kg"], one["reps"]) > (best["weight_kg"], best["reps"]):
                    records[entry["exercise_id"]] = {
                        "exercise_id": entry["exercise_id"],
                        "name": entry["name"],
                        "weight_kg": one["weight_kg"],
                        "reps": one["reps"],
                        "estimated_1rm_kg": round(one["weight_kg"] * (1 + one["reps"] / 30), 1),
                        "workout_id": workout["id"],
                        "date": workout["started_at"],
                    }
    return records


def naive_history(workouts, exercise_id):
    sessions = []
    for workout in workouts:
        sets = [
            one
            for entry in workout["exercises"]
            if entry["exercise_id"] == exercise_id
            for one in entry["sets"]
        ]
        if any(entry["exercise_id"] == exercise_id for entry in workout["exercises"]):
            best = None
            for one in working_sets(workout, exercise_id):
                if best is None or (one["weight_kg"], one["reps"]) > (best["weight_kg"], best["reps"]):
                    best = {"weight_kg": one["weight_kg"], "reps": one["reps"]}
            if best:
                best["estimated_1rm_kg"] = round(best["weight_kg"] * (1 + best["reps"] / 30), 1)
            sessions.append((workout["id"], workout["started_at"], sets, best))
    return sessions


def random_workout(dice):
    start = datetime.datetime(2026, 3, 10, tzinfo=datetime.UTC) - dice.randrange(12) * DAY
    start += datetime.timedelta(seconds=dice.choice([0, 1, 43_200, 86_399]))
    return {
        "started_at": start.isoformat(),
        "duration_seconds": dice.randrange(7200),
        "exercises": some_exercises(dice, EXERCISES),
    }


def random_history(api, dice):
    for _ in range(dice.randrange(1, 9)):
        stored = api.post("/workouts", random_workout(dice)).json()
        if dice.random() < 0.2:
            api.put(f"/workouts/{stored['id']}", random_workout(dice))
        elif dice.random() < 0.1:
            api.delete(f"/workouts/{stored['id']}")


@pytest.mark.parametrize("block", range(8))
def test_statistics_agree_with_a_naive_computation(db, block):
    for seed in range(block * 10, block * 10 + 10):
        dice = random.Random(seed)
        api = client_of(AccountFactory())
        random_history(api, dice)
        workouts = items_of(api, "/workouts", "workouts")
        assert_totals_agree(api, workouts, dice)
        page = api.get("/stats/records", limit=100).json()
        assert {row["exercise_id"]: row for row in page["records"]} == naive_records(workouts), seed
        dates = [row["date"] for row in page["records"]]
        assert dates == sorted(dates, reverse=True)
        for exercise_id in EXERCISES:
            sessions = api.get(f"/exercises/{exercise_id}/history").json()["sessions"]
            assert [tuple(session.values()) for session in sessions] == naive_history(workouts, exercise_id)


def assert_totals_agree(api, workouts, dice):
    for _ in range(4):
        since = datetime.datetime(2026, 2, 26, tzinfo=datetime.UTC) + dice.random() * 7 * DAY
        until = since + dice.random() * 14 * DAY
        found = api.get("/stats/training", since=since.isoformat(), until=until.isoformat()).json()
        assert (moment(found.pop("since")), moment(found.pop("until"))) == (since, until)
        assert found == naive_totals(workouts, since, until)


def test_the_default_window_is_the_last_90_days(api, log_workout, time_machine):
    time_machine.move_to("2026-03-31T12:00:00Z", tick=False)
    log_workout(started_at="2025-12-31T11:59:59Z")
    log_workout(started_at="2025-12-31T12:00:00Z")
    log_workout(started_at="2026-03-31T11:59:59Z")
    stats = api.get("/stats/training").json()
    assert (stats["since"], stats["until"]) == ("2025-12-31T12:00:00Z", "2026-03-31T12:00:00Z")
    assert stats["sessions"] == 2


def test_until_alone_means_the_90_days_before_it(api):
    stats = api.get("/stats/training", until="2026-03-31T12:00:00Z").json()
    assert stats["since"] == "2025-12-31T12:00:00Z"


@pytest.mark.parametrize(
    ("now", "streak"),
    [
        ("2026-03-04T00:00:00Z", 2),
        ("2026-03-04T23:59:59Z", 2),
        ("2026-03-05T00:00:00Z", 2),
        ("2026-03-05T00:00:01Z", 0),
    ],
)
def test_a_streak_lasts_until_a_whole_utc_day_is_missed(api, log_workout, time_machine, now, streak):
    log_workout(started_at="2026-03-02T23:59:59Z")
    log_workout(started_at="2026-03-03T00:00:00Z")
    time_machine.move_to(now, tick=False)
    assert api.get("/stats/training").json()["streak_days"] == streak


def test_a_streak_may_reach_back_before_the_window(api, log_workout):
    for day in range(1, 6):
        log_workout(started_at=f"2026-03-0{day}T10:00:00Z")
    window = {"since": "2026-03-05T00:00:00Z", "until": "2026-03-06T00:00:00Z"}
    assert api.get("/stats/training", **window).json()["streak_days"] == 5


@pytest.mark.parametrize(
    "window",
    [
        {"until": "0001-01-01T00:00:00Z"},
        {"until": "0001-01-02T00:00:00Z"},
        {"since": "0001-01-01T00:00:00Z"},
        {"until": "9999-12-31T23:59:59Z"},
        {"since": "9999-12-31T23:59:59Z"},
    ],
)
@pytest.mark.parametrize("path", ["/stats/training", "/stats/body"])
def test_windows_at_the_ends_of_time_are_accepted(api, log_workout, window, path):
    log_workout(started_at="0001-01-01T00:00:00Z")
    log_workout(started_at="9999-12-31T23:59:59Z")
    assert api.get(path, **window).status_code == 200


def test_an_empty_account_has_empty_statistics(api):
    stats = api.get("/stats/training").json()
    assert (stats["sessions"], stats["volume_kg"], stats["by_muscle_group"], stats["streak_days"]) == (
        0,
        0,
        [],
        0,
    )
    assert api.get("/stats/records").json() == {"records": [], "next_cursor": None}


def test_pages_of_personal_records_have_no_gap_or_repeat(api, log_workout):
    for day, exercise_id in enumerate(EXERCISES, start=1):
        log_workout(a_set(50, 5), exercise_id=exercise_id, started_at=f"2026-03-0{day}T10:00:00Z")
    first = api.get("/stats/records", limit=3).json()
    second = api.get("/stats/records", limit=3, cursor=first["next_cursor"]).json()
    found = [record["exercise_id"] for record in first["records"] + second["records"]]
    assert found == EXERCISES[::-1]


@pytest.mark.parametrize(("path", "expected"), [("/stats/training", 5), ("/stats/records", 2)])
def test_statistics_take_a_fixed_number_of_statements(api, log_workout, time_machine, path, expected):
    time_machine.move_to("2026-03-04T10:00:00Z", tick=False)
    for day in range(1, 5):
        log_workout(a_set(), started_at=f"2026-03-0{day}T09:00:00Z")
    with statements() as run:
        api.get(path)
    assert len(run) == expected, run
