import pytest

from tests.conftest import a_set, problems, statements
from tests.pages import items_of


def test_an_exercise_has_all_its_fields(api):
    exercise = api.get("/exercises/barbell-bench-press").json()
    assert exercise["name"] == "Barbell Bench Press"
    assert exercise.keys() == {
        "id",
        "name",
        "muscle_group",
        "equipment",
        "instructions",
        "images",
        "level",
        "mechanic",
        "force",
        "category",
        "secondary_muscles",
        "retired_at",
    }
    assert exercise["retired_at"] is None


def test_an_unknown_filter_value_lists_the_allowed_ones(api):
    message = problems(api.get("/exercises", muscle_group="legs"))["query.muscle_group"]
    assert "Chest, Back, Legs" in message


def test_all_pages_together_are_the_catalogue(api):
    seen = [exercise["id"] for exercise in items_of(api, "/exercises", "exercises")]
    assert len(seen) == len(set(seen)) >= 300


@pytest.mark.parametrize("path", ["/exercises/none", "/exercises/none/history", "/exercises/%00/history"])
def test_an_exercise_that_is_not_in_the_catalogue_is_not_found(api, path):
    assert api.get(path).status_code == 404


def history(api, exercise_id="barbell-bench-press", **query):
    return api.get(f"/exercises/{exercise_id}/history", **query).json()


def test_history_has_a_session_for_each_workout_with_its_best_set(api, log_workout):
    log_workout(a_set(100, 5), a_set(140, 1, type="warmup"), started_at="2026-03-01T10:00:00Z")
    newest = log_workout(a_set(90, 5), a_set(90, 8), a_set(95, 5, completed=False))
    response = history(api)
    assert response["exercise"] == {"id": "barbell-bench-press", "name": "Barbell Bench Press"}
    assert [session["best_set"] for session in response["sessions"]] == [
        {"weight_kg": 90, "reps": 8, "estimated_1rm_kg": 114.0},
        {"weight_kg": 100, "reps": 5, "estimated_1rm_kg": 116.7},
    ]
    assert response["sessions"][0]["workout_id"] == newest["id"]
    assert response["sessions"][0]["sets"] == newest["exercises"][0]["sets"]


def test_history_without_sessions_still_names_the_exercise(api):
    assert history(api, "plank") == {
        "exercise": {"id": "plank", "name": "Plank"},
        "sessions": [],
        "next_cursor": None,
    }


def test_history_pages_and_windows(api, log_workout):
    for day in range(1, 6):
        log_workout(a_set(100 + day, 5), started_at=f"2026-03-0{day}T10:00:00Z")
    window = {"since": "2026-03-02T10:00:00Z", "until": "2026-03-05T10:00:00Z"}
    first = history(api, limit=2, **window)
    second = history(api, limit=2, cursor=first["next_cursor"], **window)
    best = [session["best_set"]["weight_kg"] for session in first["sessions"] + second["sessions"]]
    assert best == [104, 103, 102]
    assert second["next_cursor"] is None


def test_a_cursor_belongs_to_one_exercise(api, log_workout):
    for exercise_id in ("plank", "chin-up"):
        for day in (1, 2):
            log_workout(a_set(), exercise_id=exercise_id, started_at=f"2026-03-0{day}T10:00:00Z")
    of_plank = history(api, "plank", limit=1)["next_cursor"]
    assert api.get("/exercises/plank/history", cursor=of_plank).status_code == 200
    assert problems(api.get("/exercises/chin-up/history", cursor=of_plank)).keys() == {"query.cursor"}


def test_an_unknown_exercise_is_reported_before_a_wrong_query(api):
    assert api.get("/exercises/none/history", limit=0).status_code == 404
    assert api.get("/exercises/plank/history", limit=0).status_code == 400


@pytest.mark.parametrize("path", ["", "?q=press&limit=100", "/barbell-bench-press"])
def test_the_catalogue_takes_one_statement_besides_the_key(api, path):
    api.get("/me")
    with statements() as run:
        assert api.get(f"/exercises{path}").status_code == 200
    assert len(run) == 2, run
