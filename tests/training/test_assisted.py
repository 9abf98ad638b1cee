"""Lifts whose weight is help, of which less is better on screens; and lifts that are measured by time."""

import datetime
import re

import pytest
from django.utils import timezone

from tests.conftest import a_set, client_of, freshly_signed_in
from tests.html import plain, text
from tests.training.test_merged_exercises import merge
from tests.training.test_progress_page import lifts_of
from tests.training.test_render_again import assert_rows_follow_documents, rename
from training.models import Exercise, workout_corrections

PULL_UP, CHIN_UP = "machine-assisted-pull-up", "machine-assisted-chin-up"
LEAST_HELP = ("least_help_kg", "least_help_reps")
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


def log(account, kg, days, *sets, exercise_id=PULL_UP, **fields):
    at = timezone.now() - datetime.timedelta(days=days)
    exercises = [{"exercise_id": exercise_id, "sets": [*sets] or [a_set(kg, 8)]}]
    body = {"started_at": at.isoformat(), "duration_seconds": 600, "exercises": exercises, **fields}
    return client_of(account).post("/workouts", body).json()


def test_the_catalogue_names_them(db):
    assert {one.pk for one in Exercise.objects.all() if one.is_assisted} == ASSISTED


def test_progress_goes_up_with_less_help(page, workouts):
    response = page.get("/progress")
    (lift,) = lifts_of(response)
    assert (lift.value, lift.change.text, str(lift.record.workout_id)) == (
        10,
        "\N{MINUS SIGN}75 % help",
        workouts[-1],
    )
    assert "with 75 % less help than 90 days ago" in response.context["headline"]
    assert "10 kg \N{MINUS SIGN}75 % help" in words(response)


def test_more_help_is_no_progress(page, account, workouts):
    log(account, 50, 1)
    log(account, 60, 0)
    (lift,) = lifts_of(page.get("/progress"))
    assert lift.value == 10


def test_each_session_with_less_help_is_a_record(page, account, workouts):
    shown = page.get(f"/exercises/{PULL_UP}")
    assert [one["has_record"] for one in shown.context["sessions"]] == [True] * 4
    assert "Least help 10 kg × 8" in words(shown)
    assert "1RM" not in words(shown)
    worse = log(account, 30, 1)
    records = {str(one.pk): one.has_record for one in page.get("/workouts").context["workouts"]}
    assert records == {worse["id"]: False, workouts[-1]: True}


def test_screens_call_its_weight_help(page, account, workouts):
    newest = workouts[-1]
    workout = words(page.get(f"/workouts/{newest}"))
    assert "Set Last time Help Reps" in workout
    assert "volume" not in workout
    form = page.get(f"/workouts/new?exercise={PULL_UP}")
    assert "Set kg help Reps" in words(form)
    assert 'aria-label="Help in kg"' in form.content.decode()


@pytest.fixture(params=["stored", "not stored"])
def mixed(request, account):
    """A session with 20 kg of help, and one with 40 kg and then 10, a warm-up and a set that was not done.

    The least help is stored, or was not by a process of the version before.
    """
    sets = [
        a_set(5, 5, type="warmup"),
        a_set(40, 8),
        a_set(10, 5),
        a_set(10, 4),
        a_set(0, 1, completed=False),
    ]
    logged = [log(account, 20, 5), log(account, None, 1, *sets)]
    if request.param == "not stored":
        account.workout_exercises.update(least_help_kg=None, least_help_reps=None)
    return logged


def test_the_set_with_least_help_of_a_session_counts_everywhere(page, mixed):
    shown = page.get(f"/exercises/{PULL_UP}")
    assert "Least help 10 kg × 5" in words(shown)
    (series,) = shown.context["chart"].series
    assert [value for _, value in series.points] == [20, 10]
    assert [one["has_record"] for one in shown.context["sessions"]] == [True, True]
    finished = words(page.get(f"/train/finished/{mixed[1]['id']}"))
    assert "1 new record" in finished
    assert "10 kg help × 5 beats 20 kg help × 8" in finished
    workout = page.get(f"/workouts/{mixed[1]['id']}")
    assert "\N{MINUS SIGN}10 kg help in the best set" in words(workout)
    (entry,) = workout.context["entries"]
    assert [bool(one.get("is_record")) for one in entry["sets"]] == [False, False, True, False, False]
    context = page.get(f"/train/exercises/{PULL_UP}").json()
    assert (context["best"]["weight_kg"], context["best"]["reps"]) == (10, 5)
    for address in ("/", "/progress/records"):
        assert "10 kg help × 5" in words(page.get(address))
    (lift,) = lifts_of(page.get("/progress"))
    assert (lift.value, lift.line[-1][1]) == (10, 10)
    assert "Best 10 kg help × 5" in words(page.get("/exercises"))
    records = {str(one.pk): one.has_record for one in page.get("/workouts").context["workouts"]}
    assert records == {one["id"]: True for one in mixed}
    assert "best set 10 kg help × 5" in words(page.get(f"/workouts/new?exercise={PULL_UP}"))


def test_later_sessions_are_compared_with_the_least_help(page, account, mixed):
    later = log(account, 15, 0)
    records = {str(one.pk): one.has_record for one in page.get("/workouts").context["workouts"]}
    assert records[later["id"]] is False
    shown = words(page.get(f"/workouts/{later['id']}"))
    assert "4 sets" not in shown
    assert "3 sets, best 10 kg × 5" in shown
    assert "+5 kg help in the best set" in shown


def test_a_long_chart_has_the_session_with_least_help_of_each_time(page, account, mixed, monkeypatch):
    monkeypatch.setattr("training.stats.history.MAX_POINTS", 2)
    log(account, 30, 6)
    (series,) = page.get(f"/exercises/{PULL_UP}").context["chart"].series
    assert [value for _, value in series.points] == [10]


def test_the_api_has_the_heaviest_set_of_a_session(api, mixed):
    (record,) = api.get("/stats/records").json()["records"]
    assert (record["weight_kg"], record["reps"]) == (40, 8)


def stored_help(account):
    rows = account.workout_exercises.order_by("started_at", "workout_id", "position")
    return list(rows.values_list(*LEAST_HELP))


@pytest.fixture
def varied(account):
    """What is stored of the rows of three workouts, oldest first: of a session of several rows nothing."""
    both = [
        {"exercise_id": PULL_UP, "sets": [a_set(30, 5), a_set(30, 8), a_set(35, 9)]},
        {"exercise_id": CHIN_UP, "sets": [a_set(10, 5, type="warmup")]},
    ]
    log(account, None, 3, exercises=both)
    log(account, None, 2, exercises=[*both, {"exercise_id": PULL_UP, "sets": [a_set(5, 8)]}])
    log(account, 40, 1, exercise_id="pull-up")
    return [(30, 8), *[(None, None)] * 5]


def test_the_least_help_of_a_row_is_stored_with_it(account, varied):
    assert stored_help(account) == varied
    assert_rows_follow_documents()


def test_what_is_stored_is_shown_without_the_sets(page, account, workouts):
    account.workout_exercises.update(sets="[]")
    for address in ("/", "/progress/records", "/exercises"):
        assert "10 kg help × 8" in words(page.get(address)), address
    assert "Least help 10 kg × 8" in words(page.get(f"/exercises/{PULL_UP}"))
    records = {str(one.pk): one.has_record for one in page.get("/workouts").context["workouts"]}
    assert records == {workouts[-1]: True}
    (lift,) = lifts_of(page.get("/progress"))
    assert (lift.value, lift.change.text) == (10, "\N{MINUS SIGN}75 % help")


def test_an_edited_workout_has_the_least_help_of_its_new_sets(page, account, mixed):
    body = {key: mixed[1][key] for key in ("started_at", "duration_seconds")}
    exercises = [{"exercise_id": PULL_UP, "sets": [a_set(40, 8), a_set(30, 5)]}]
    path = f"/workouts/{mixed[1]['id']}"
    assert client_of(account).put(path, {**body, "exercises": exercises}).status_code == 200
    assert "Least help 20 kg × 8" in words(page.get(f"/exercises/{PULL_UP}"))
    assert stored_help(account)[1] == (30, 5)


@pytest.mark.parametrize("not_written", [(), LEAST_HELP], ids=["now", "by the version before"])
@pytest.mark.parametrize("help_kg", [(30, 10), (10, 30)])
def test_a_merge_in_a_workout_joins_the_least_help(page, account, monkeypatch, not_written, help_kg):
    columns = [one for one in workout_corrections.DERIVED if one not in not_written]
    monkeypatch.setattr(workout_corrections, "DERIVED", tuple(columns))
    pairs = zip((PULL_UP, CHIN_UP), help_kg, strict=True)
    both = [{"exercise_id": exercise_id, "sets": [a_set(kg, 6)]} for exercise_id, kg in pairs]
    log(account, 20, 5)
    log(account, None, 1, exercises=both)
    merge(CHIN_UP, PULL_UP)
    assert "Least help 10 kg × 6" in words(page.get(f"/exercises/{PULL_UP}"))
    assert "10 kg help × 6" in words(page.get("/progress/records"))
    (lift,) = lifts_of(page.get("/progress"))
    assert lift.value == 10


def test_a_merge_moves_the_least_help(page, account, mixed):
    log(account, 15, 3, exercise_id="pull-up")
    for given_up, kept in (("pull-up", PULL_UP), (PULL_UP, CHIN_UP)):
        merge(given_up, kept)
        assert "Least help 10 kg × 5" in words(page.get(f"/exercises/{kept}"))
    merge(CHIN_UP, "chin-up")
    assert "Heaviest set 40 kg × 8" in words(page.get("/exercises/chin-up"))


@pytest.mark.parametrize("exercise_id", [PULL_UP, "pull-up"])
def test_staff_decide_whether_help_counts_and_what_is_stored_follows(page, account, exercise_id):
    log(account, None, 2, a_set(40, 8), a_set(10, 5), exercise_id=exercise_id)
    shown = {True: "Least help 10 kg × 5", False: "Heaviest set 40 kg × 8"}
    for is_assisted in (True, False, True):
        rename(exercise_id, is_assisted=is_assisted)
        assert shown[is_assisted] in words(page.get(f"/exercises/{exercise_id}"))
        best = "10 kg help × 5" if is_assisted else "40 kg × 8"
        for address in ("/", "/progress/records"):
            assert best in words(page.get(address))
        assert stored_help(account) == [(10, 5) if is_assisted else (None, None)]
    log(account, None, 1, a_set(30, 8), a_set(20, 5), exercise_id=exercise_id)
    for is_assisted in (False, True):
        rename(exercise_id, is_assisted=is_assisted)
        assert shown[is_assisted] in words(page.get(f"/exercises/{exercise_id}"))
        assert_rows_follow_documents()


def test_a_name_decides_nothing(page, account, workouts):
    rename(PULL_UP, name="Klimmzug mit Hilfe")
    assert "Least help 10 kg × 8" in words(page.get(f"/exercises/{PULL_UP}"))
    rename("pull-up", name="Unassisted Pull-Up")
    log(account, None, 2, a_set(40, 8), a_set(10, 5), exercise_id="pull-up")
    assert "Heaviest set 40 kg × 8" in words(page.get("/exercises/pull-up"))


def test_what_a_merge_moves_is_made_again(account):
    log(account, None, 2, a_set(40, 8), a_set(10, 5), exercise_id="pull-up")
    merge("pull-up", PULL_UP)
    assert stored_help(account) == [(10, 5)]
    merge(PULL_UP, "chin-up")
    assert stored_help(account) == [(None, None)]


def test_no_answer_of_the_api_says_it(api):
    assert "is_assisted" not in api.get("/openapi.json").content.decode()
    assert "is_assisted" not in api.get(f"/exercises/{PULL_UP}").content.decode()


def test_what_was_just_held_is_shown_as_sets_and_not_as_repetitions(page, account):
    log(account, None, 1, *[a_set(0, 1)] * 3, exercise_id="plank")
    newest = log(account, None, 0, *[a_set(0, 1)] * 3, exercise_id="plank")["id"]
    workout, finished = (words(page.get(f"{path}/{newest}")) for path in ("/workouts", "/train/finished"))
    assert "Last time , 17 Nov 2026: 3 sets 3 sets" in workout
    assert "Plank 3 sets last time 3 sets" in finished
    assert "Body weight" not in workout + finished


def test_the_least_help_is_no_attempt(page, account):
    log(account, None, 1, a_set(0, 0), a_set(20, 8))
    assert "Least help 20 kg × 8" in words(page.get(f"/exercises/{PULL_UP}"))


def test_the_board_has_no_one_rep_maximum_of_help(page, workouts):
    board = words(page.get("/progress/records"))
    assert "10 kg help × 8 –" in board
    assert "the heaviest, or of assisted ones that with least help" in board


def test_help_of_a_band_is_counted_in_reps(page, account):
    for days, reps in ((40, 5), (20, 8), (1, 12)):
        log(account, None, days, a_set(0, reps), exercise_id="band-assisted-pull-up")
    progress = page.get("/progress")
    assert "12 reps" in words(progress)
    assert " 0 kg" not in words(progress)
    shown = page.get("/exercises/band-assisted-pull-up")
    (series,) = shown.context["chart"].series
    assert (series.name, [value for _, value in series.points]) == ("Most reps in a set", [5, 8, 12])
    assert "Most reps in a set 12" in words(shown)


def test_without_help_at_last_is_the_least_help(page, account):
    log(account, 20, 40)
    log(account, None, 1, a_set(0, 3))
    assert "Body weight" in words(page.get("/progress"))
    shown = words(page.get(f"/exercises/{PULL_UP}"))
    assert "Least help Body weight × 3" in shown
    assert "20 kg × 8" in shown


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
    distance = "5 km" if units == "kg" else "3.107 mi"
    plank = words(page.get("/exercises/plank"))
    assert re.search(r"Last time \d+ Nov 1:15", plank)
    assert "1:30 · 0:45" in plank
    assert "1RM" not in plank
    assert f"30:00, {distance}" in words(page.get("/exercises/treadmill-running"))
    shown = words(page.get(f"/workouts/{workout}"))
    assert "Shaky." in shown
    assert "1 Nov 2026: 1:30 · 0:45" in shown
    assert "No sets" not in shown
    assert f"30:00, {distance}" in words(page.get(f"/train/finished/{workout}"))


def test_what_is_held_is_measured_by_its_longest_time(page, account):
    for days, notes in ((80, "60 s"), (40, ""), (1, "Set 1: 75 s\nSet 2: 90 s")):
        at = timezone.now() - datetime.timedelta(days=days)
        exercises = [{"exercise_id": "plank", "notes": notes, "sets": [a_set(0, 1)]}]
        body = {"started_at": at.isoformat(), "duration_seconds": 600, "exercises": exercises}
        assert client_of(account).post("/workouts", body).status_code == 201
    for measure in ("e1rm", "heaviest", "volume", "reps"):
        response = page.get("/progress", {"measure": measure})
        (lift,) = lifts_of(response)
        assert (lift.value, lift.change.text) == (90, "+50 %")
        assert "1:30" in words(response)
        assert "1 rep" not in words(response)
    shown = page.get("/exercises/plank")
    assert "Longest 1:30" in words(shown)
    assert "1 rep" not in words(shown)
    (series,) = shown.context["chart"].series
    assert [value for _, value in series.points] == [60, 90]


def test_what_is_held_keeps_its_times_while_workouts_follow_a_change_of_its_group(page, account):
    at = timezone.now().isoformat()
    exercises = [{"exercise_id": "plank", "notes": "90 s", "sets": [a_set(0, 1)]}]
    body = {"started_at": at, "duration_seconds": 600, "exercises": exercises}
    assert client_of(account).post("/workouts", body).status_code == 201
    Exercise.objects.filter(pk="plank").update(muscle_group="Legs")
    (lift,) = lifts_of(page.get("/progress"))
    assert (lift.measure, lift.value) == ("time", 90)


def test_one_repetition_of_what_is_held_is_no_figure(page, account):
    log(account, None, 1, a_set(0, 1), exercise_id="plank")
    (lift,) = lifts_of(page.get("/progress"))
    assert (lift.value, lift.record) == (None, None)
    for address in ("/", "/progress", "/progress/records", "/exercises", "/exercises/plank"):
        assert "1 rep" not in words(page.get(address))
    assert "Longest –" in words(page.get("/exercises/plank"))


def test_repetitions_of_cardio_are_counted_where_it_has_no_times(page, account):
    log(account, None, 1, a_set(0, 20), exercise_id="burpee")
    assert "20 reps" in words(page.get("/progress"))
    assert "Most reps in a set 20" in words(page.get("/exercises/burpee"))


def test_a_distance_comes_before_a_time(page, account):
    exercises = [{"exercise_id": "treadmill-running", "notes": "1800 s, 5 km", "sets": []}]
    at = timezone.now().isoformat()
    client_of(account).post("/workouts", {"started_at": at, "duration_seconds": 1, "exercises": exercises})
    assert "5 km" in words(page.get("/progress"))
    shown = page.get("/exercises/treadmill-running")
    assert "Longest 30:00, 5 km" in words(shown)
    assert (shown.context["chart"].unit, shown.context["chart"].title) == ("km", "Distance")


def test_a_chart_says_one_rep(page, account):
    log(account, None, 1, a_set(0, 1), exercise_id="pull-up")
    shown = words(page.get("/exercises/pull-up"))
    assert "1 rep" in shown
    assert "1 reps" not in shown
