"""Retired exercises: searches leave them out, whatever holds their id goes on."""

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from tests.conftest import a_set, a_workout, problems
from tests.html import text
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.test_render_again import plan_of, routine_of
from training.models import Exercise

BENCH = "barbell-bench-press"
LIST = reverse("admin:training_exercise_changelist")


def act(admin_page, action, *exercise_ids, **fields):
    return admin_page.post(LIST, {"action": action, "_selected_action": exercise_ids, **fields}, follow=True)


@pytest.fixture
def retired(admin_page):
    act(admin_page, "retire", BENCH, confirmed="Retire")


def test_staff_are_asked_before_an_exercise_is_retired(admin_page, api):
    asked = act(admin_page, "retire", BENCH)
    assert "no longer find these exercises" in text(asked)
    assert api.get(f"/exercises/{BENCH}").json()["retired_at"] is None
    done = act(admin_page, "retire", BENCH, confirmed="Retire")
    assert "Exercise retired: 1." in text(done)
    assert api.get(f"/exercises/{BENCH}").json()["retired_at"].endswith("Z")


def test_the_state_is_listed_and_filtered(admin_page, retired):
    def listed(**query):
        found = admin_page.get(LIST, query).context["cl"].queryset
        return BENCH in found.values_list("pk", flat=True)

    assert listed(state="retired")
    assert not listed(state="active")
    assert listed(q="flat bench press")  # staff find it, to take it back
    page = text(admin_page.get(reverse("admin:training_exercise_change", args=[BENCH])))
    assert "Retired at" in page


def test_an_exercise_is_taken_back(admin_page, api, retired):
    act(admin_page, "reinstate", BENCH, confirmed="Take back")
    assert api.get("/exercises", q="flat bench press").json()["exercises"][0]["id"] == BENCH
    assert api.get(f"/exercises/{BENCH}").json()["retired_at"] is None


def test_only_who_may_change_exercises_may_retire_them(page, account):
    account.is_staff = True
    account.save()
    assert page.post(LIST, {"action": "retire", "_selected_action": [BENCH]}).status_code == 403


def test_no_search_finds_it(api, page, retired):
    found = api.get("/exercises", q="flat bench press").json()["exercises"]
    assert BENCH not in [exercise["id"] for exercise in found]
    ids, query = [], {}
    while query is not None:
        listed = api.get("/exercises", limit=100, **query).json()
        ids += [exercise["id"] for exercise in listed["exercises"]]
        query = {"cursor": listed["next_cursor"]} if listed["next_cursor"] else None
    assert len(ids) > 700
    assert BENCH not in ids
    for name in ("exercises", "exercise-suggestions"):
        shown = page.get(reverse(name), {"q": "flat bench press"})
        assert "Barbell Bench Press<" not in text(shown)
    told = ToolClient(api.key).get("search_exercises", query="flat bench press")
    assert BENCH not in [exercise["id"] for exercise in told["exercises"]]


def test_a_search_finds_others_by_their_names_when_the_one_with_all_words_is_retired(api):
    Exercise.objects.filter(name="Push-Up").update(aliases=["Zebra Press"])
    for exercise in Exercise.objects.filter(name="Push-Up"):
        exercise.save()
    Exercise.objects.filter(pk=BENCH).update(name="Zebra Up Press", retired_at=timezone.now())
    Exercise.objects.get(pk=BENCH).save()
    assert [one["name"] for one in api.get("/exercises", q="zebra up").json()["exercises"]] == ["Push-Up"]


def test_no_suggestion_names_it(api, retired):
    body = a_workout(a_set(), exercise_id="barbel-bench-press")
    assert f" {BENCH}" not in problems(api.post("/workouts", body))["body.exercises[0].exercise_id"]


def test_its_id_goes_on(api, page, retired):
    """In workouts, routines and plans, new ones too: programs and imports hold ids."""
    workout = api.post("/workouts", a_workout(a_set())).json()
    assert workout["exercises"][0]["name"] == "Barbell Bench Press"
    assert api.put(f"/workouts/{workout['id']}", a_workout(a_set(90))).status_code == 200
    assert api.post("/routines", routine_of(BENCH)).status_code == 201
    assert api.post("/plans", plan_of(BENCH)).status_code == 201
    (session,) = api.get(f"/exercises/{BENCH}/history").json()["sessions"]
    assert session["best_set"]["weight_kg"] == 90
    assert api.get("/stats/records").json()["records"][0]["exercise_id"] == BENCH
    told = ToolClient(api.key).get("get_exercise_history", exercise_id=BENCH)
    assert len(told["sessions"]) == 1
    assert "Retired" in text(page.get(reverse("exercise", args=[BENCH])))


def test_a_new_version_of_the_catalogue_leaves_it_retired(api, retired):
    Exercise.objects.filter(pk=BENCH).update(level="expert")
    call_command("load_catalogue", verbosity=0)
    told = api.get(f"/exercises/{BENCH}").json()
    assert (told["level"], told["retired_at"] is None) == ("beginner", False)
