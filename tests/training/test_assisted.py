"""Lifts whose weight is help, of which less is better on screens; and lifts that are measured by time."""

import datetime

import pytest
from django.utils import timezone

from tests.conftest import a_set, client_of, freshly_signed_in
from tests.html import plain, text
from training.models import Exercise

PULL_UP = "machine-assisted-pull-up"
HELP = [(80, 40), (50, 30), (40, 20), (3, 10)]  # (days ago, kg)
ASSISTED = {
    *(
        "assisted-pistol-squat",
        "band-assisted-pull-up",
        "machine-assisted-chest-dip",
        "machine-assisted-chin-up",
    ),
    *("machine-assisted-pull-up", "machine-assisted-triceps-dip"),
}


def words(response):
    return plain(text(response))


@pytest.fixture
def workouts(account):
    """The ids of workouts with less and less help, oldest first."""
    return [log(account, kg, days)["id"] for days, kg in HELP]


def log(account, kg, days, **fields):
    at = timezone.now() - datetime.timedelta(days=days)
    exercises = [{"exercise_id": PULL_UP, "sets": [a_set(kg, 8)]}]
    body = {"started_at": at.isoformat(), "duration_seconds": 600, "exercises": exercises, **fields}
    return client_of(account).post("/workouts", body).json()


def test_the_catalogue_names_them(db):
    assert {one.pk for one in Exercise.objects.all() if one.is_assisted} == ASSISTED


def test_progress_goes_up_with_less_help(page, workouts):
    response = page.get("/progress")
    (lift,) = response.context["lifts"]
    assert (lift.value, lift.change.text, str(lift.record.workout_id)) == (10, "-75 % help", workouts[-1])
    assert "with 75 % less help than 90 days ago" in response.context["headline"]
    assert "10 kg -75 % help" in words(response)


def test_more_help_is_no_progress(page, account, workouts):
    log(account, 50, 1)
    log(account, 60, 0)
    (lift,) = page.get("/progress").context["lifts"]
    assert lift.value == 10


@pytest.mark.parametrize("address", ["/", "/progress/records"])
def test_the_record_is_the_one_with_least_help(page, workouts, address):
    (record,) = page.get(address).context["records"]
    assert (record["weight_kg"], record["workout_id"]) == (10, workouts[-1])


def test_each_session_with_less_help_is_a_record(page, account, workouts):
    shown = page.get(f"/exercises/{PULL_UP}")
    assert [one["has_record"] for one in shown.context["sessions"]] == [True] * 4
    assert "Least help 10 kg × 8" in words(shown)
    assert "1RM" not in words(shown)
    worse = log(account, 30, 1)
    records = {str(one.pk): one.has_record for one in page.get("/workouts").context["workouts"]}
    assert records == {worse["id"]: False, workouts[-1]: True}


def test_a_workout_is_compared_with_its_last_time(page, account, workouts):
    assert "-10 kg help in the best set" in words(page.get(f"/workouts/{workouts[-1]}"))
    shown = words(page.get(f"/train/finished/{workouts[-1]}"))
    assert "1 new record" in shown


def test_train_shows_the_least_help(page, workouts):
    context = page.get(f"/train/exercises/{PULL_UP}").json()
    assert (context["is_assisted"], context["best"]) == (True, {"weight_kg": 10, "reps": 8})


def test_the_api_has_the_heaviest_set(api, workouts):
    (record,) = api.get("/stats/records").json()["records"]
    assert (record["weight_kg"], record["workout_id"]) == (40, workouts[0])


@pytest.mark.parametrize("units", ["kg", "lb"])
def test_times_are_shown_in_the_place_of_sets(account, units):
    account.units = units
    account.save()
    api = client_of(account)
    for day, notes in ((1, "Set 1: 90 s\nSet 2: 45 s"), (2, "75 s\nShaky.")):
        exercises = [
            {"exercise_id": "plank", "notes": notes, "sets": []},
            {"exercise_id": "treadmill-running", "notes": "1800 s, 5 km", "sets": []},
        ]
        body = {"started_at": f"2026-11-0{day}T10:00:00Z", "duration_seconds": 600, "exercises": exercises}
        workout = api.post("/workouts", body).json()["id"]
    page = freshly_signed_in(account)
    distance = "5 km" if units == "kg" else "3.11 mi"
    plank = words(page.get("/exercises/plank"))
    assert "Last time 1:15" in plank
    assert "1:30 · 45 s" in plank
    assert "1RM" not in plank
    assert f"30:00, {distance}" in words(page.get("/exercises/treadmill-running"))
    shown = words(page.get(f"/workouts/{workout}"))
    assert "Shaky." in shown
    assert "1 Nov 2026: 1:30 · 45 s" in shown
    assert "No sets" not in shown
    assert f"30:00, {distance}" in words(page.get(f"/train/finished/{workout}"))
