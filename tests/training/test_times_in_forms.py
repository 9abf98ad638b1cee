"""Sets without repetitions in the forms of a workout: a plank has seconds, a run minutes and a distance."""

import pytest
from django.urls import reverse

from tests.conftest import a_set
from tests.html import html
from tests.training.test_web import a_form, fields_in, rows_of

PLANK, TREADMILL = "plank", "treadmill-running"


def timed(*sets, exercise_id=PLANK, measure="time", **fields):
    """A form with one exercise whose sets have times."""
    rows = rows_of([{"measure": measure, **one} for one in sets], exercise_id=exercise_id)
    return {**a_form({}), **rows, **fields}


def stored(account):
    return [
        (entry.exercise_id, entry.notes, entry.completed_sets)
        for entry in account.workouts.get().exercises.order_by("position")
    ]


@pytest.mark.parametrize(
    ("exercise_id", "labels"),
    [
        (PLANK, ["Seconds", "Weight in kg"]),
        (TREADMILL, ["Minutes", "Distance in km", "Weight in kg"]),
        ("barbell-bench-press", ["Weight in kg", "Repetitions", "RPE"]),
        ("machine-assisted-pull-up", ["Help in kg", "Repetitions", "RPE"]),
    ],
)
def test_a_set_has_the_fields_of_its_exercise(page, exercise_id, labels):
    text = html(page.get(reverse("workout-entry", args=[exercise_id])))
    row = text.partition('<div class="set">')[2].partition("</button>")[0]
    places = [row.find(f'aria-label="{label}"') for label in labels]
    assert -1 not in places
    assert places == sorted(places)
    assert row.count('class="input"') == len(labels)


@pytest.mark.parametrize(
    ("form", "notes"),
    [
        (timed({"time": "90"}), "90 s"),
        (timed({"time": "1:30"}, {"time": "60", "weight": "10"}), "Set 1: 90 s\nSet 2: 60 s, 10 kg"),
        (timed({"time": "90"}, {"time": ""}, **{"e0-notes": "Shaky."}), "Shaky.\n90 s"),
        (timed({"time": "90"}, {"time": "45", "completed": ""}), "90 s\nNot done: 45 s"),
        (
            timed({"time": "30", "distance": "5.2"}, exercise_id=TREADMILL, measure="distance"),
            "1800 s, 5.2 km",
        ),
        (timed({"time": "32:30"}, exercise_id=TREADMILL, measure="distance"), "1950 s"),
        (timed({"time": "1:02:05"}, exercise_id=TREADMILL, measure="distance"), "3725 s"),
        (timed({"distance": "5"}, exercise_id=TREADMILL, measure="distance"), "5 km"),
    ],
)
def test_times_and_distances_are_saved(page, account, form, notes):
    assert page.post(reverse("log-workout"), form).status_code == 302
    assert stored(account) == [(form["e0-exercise_id"], notes, 0)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"time": "long"}, "Enter seconds, or minutes as 1:30."),
        ({"time": "", "weight": "10"}, "Enter seconds, or minutes as 1:30."),
        ({"time": "604801"}, "Enter seconds, or minutes as 1:30."),
        ({"time": "x", "measure": "distance"}, "Enter minutes, as 32 or 32:30."),
        ({"distance": "10001", "measure": "distance"}, "Enter a distance of at most 10,000 km."),
        ({"distance": "far", "measure": "distance"}, "Enter a distance of at most 10,000 km."),
        ({"time": "60", "weight": "2001"}, "Enter a weight of at most 2,000 kg, or nothing."),
        ({"time": "60", "weight": "heavy"}, "Enter a weight of at most 2,000 kg, or nothing."),
    ],
)
def test_what_is_no_time_is_refused_beside_its_field(page, account, row, message):
    text = html(page.post(reverse("log-workout"), timed(row)))
    assert message in text
    assert "Nothing is saved yet" in text
    assert 'aria-invalid="true" aria-describedby="e0s0-error"' in text
    assert not account.workouts.exists()


@pytest.mark.parametrize("units", ["kg", "lb"])
def test_saving_unchanged_keeps_the_exact_times(page, account, api, log_workout, units):
    account.units = units
    account.save()
    notes = "Set 1: 1800 s, 3.21 mi\nSteep.\nSet 3: 45 s, 10.123 kg"
    entries = [
        {"exercise_id": PLANK, "notes": "Shaky.\nSet 1: 90 s\nSet 2: 3725 s", "sets": [a_set(0, 1)]},
        {"exercise_id": TREADMILL, "notes": notes, "sets": []},
    ]
    workout = log_workout(exercises=entries, duration_seconds=3239)
    address = reverse("edit-workout", args=[workout["id"]])
    fields = fields_in(html(page.get(address)))
    assert fields["duration"] == ["53:59"]
    assert (fields["e0t1-time"], fields["e1t0-time"]) == (["3725"], ["30"])
    assert (fields["e0-notes"], fields["e1-notes"]) == ("Shaky.", "Steep.")
    page.post(address, fields)
    assert api.get(f"/workouts/{workout['id']}").json() == workout
    page.post(address, {**fields, "title": "Again"})
    assert [one["notes"] for one in api.get(f"/workouts/{workout['id']}").json()["exercises"]] == [
        entries[0]["notes"],
        notes,
    ]


def test_a_time_is_changed_added_and_removed(page, account, log_workout):
    entry = {"exercise_id": PLANK, "notes": "Shaky.\nSet 1: 90 s\nSet 2: 60 s", "sets": []}
    address = reverse("edit-workout", args=[log_workout(exercises=[entry])["id"]])
    fields = fields_in(html(page.get(address)))
    page.post(address, {**fields, "e0t1-time": "75"})
    assert stored(account) == [(PLANK, "Shaky.\nSet 1: 90 s\nSet 2: 75 s", 0)]
    rows = reverse("workout-rows", args=[account.workouts.get().pk])
    added = fields_in(html(page.post(rows, {**fields, "add-set": "e0"})))
    assert len(added["e0-sets"]) == 3
    fewer = fields_in(html(page.post(rows, {**fields, "drop-set": "e0t0"})))
    page.post(address, fewer)
    assert stored(account) == [(PLANK, "Shaky.\n60 s", 0)]


def test_a_routine_suggests_the_times_of_last_time(page, account, log_workout):
    log_workout(exercises=[{"exercise_id": PLANK, "notes": "Set 1: 90 s\nSet 2: 60 s", "sets": []}])
    planned = {"exercise_id": PLANK, "name": "Plank", "muscle_group": "Core", "equipment": "Bodyweight"}
    target = {"sets": 3, "reps": 1, "weight_kg": 0, "note": ""}
    routine = account.routines.create(name="Core", exercises=[{**planned, **target}])
    fields = fields_in(html(page.get(f"{reverse('log-workout')}?routine={routine.pk}")))
    assert [fields[f"e0s{at}-suggested_time"] for at in range(3)] == [["90"], ["60"], ["60"]]
    account.workouts.all().delete()
    page.post(reverse("log-workout"), {**fields, "e0s0-completed": "yes", "e0s1-time": "70"})
    assert stored(account) == [(PLANK, "Set 1: 90 s\nSet 2: 70 s", 0)]


def test_a_planned_plank_without_a_time_is_ticked_as_one_repetition(page, account):
    planned = {"exercise_id": PLANK, "name": "Plank", "muscle_group": "Core", "equipment": "Bodyweight"}
    target = {"sets": 1, "reps": 1, "weight_kg": 0, "note": ""}
    routine = account.routines.create(name="Core", exercises=[{**planned, **target}])
    fields = fields_in(html(page.get(f"{reverse('log-workout')}?routine={routine.pk}")))
    page.post(reverse("log-workout"), {**fields, "e0s0-completed": "yes"})
    assert stored(account) == [(PLANK, "", 1)]


def test_before_anything_is_typed_what_was_done_last_is_offered(page, log_workout):
    log_workout(a_set(100, 5), started_at="2026-11-01T10:00:00Z")
    entry = {"exercise_id": PLANK, "notes": "90 s", "sets": []}
    log_workout(exercises=[entry], started_at="2026-11-03T10:00:00Z")
    text = html(page.get(reverse("exercise-suggestions"), {"q": " "}))
    assert 'data-exercise="plank"' in text
    assert text.index('data-exercise="plank"') < text.index('data-exercise="barbell-bench-press"')
    assert text.count("data-exercise=") == 2


def test_before_the_first_workout_the_plainest_exercises_are_offered(page):
    assert html(page.get(reverse("exercise-suggestions"))).count("data-exercise=") == 8
