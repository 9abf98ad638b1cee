"""Two exercises become one: in workouts, routines, plans and statistics, and under either id."""

import datetime
import json
import random

import pytest
import time_machine
from django.core.management import call_command
from django.urls import reverse

from tests.conftest import a_set, a_workout, client_of, statements
from tests.factories import AccountFactory
from tests.html import text
from tests.mcp_endpoint.conftest import ToolClient
from tests.site.test_admin import exercise_form
from tests.training.random_workouts import some_exercises
from tests.training.test_render_again import (
    NOTHING_TO_DO,
    assert_rows_follow_documents,
    plan_of,
    render_records,
    routine_of,
    workout_of,
)
from training.models import CatalogueChange, Exercise, Routine, Workout
from training.models.catalogue_change import HELD_FOR
from training.models.catalogue_refresh import FOLLOW, LOOK_AGAIN_AFTER, refresh_from_catalogue

pytestmark = pytest.mark.each_database

OLD, KEPT, OTHER, PLANK = "machine-chest-press", "barbell-bench-press", "dumbbell-bench-press", "plank"


def merge(given_up=OLD, kept=KEPT):
    """Merges two exercises, and carries out what the worker would."""
    merge_only(given_up, kept)
    refresh_from_catalogue()


def merge_only(given_up=OLD, kept=KEPT):
    return Exercise.objects.get(pk=given_up).merge_into(Exercise.objects.get(pk=kept))


def address(exercise_id=OLD):
    return reverse("admin:training_exercise_merge", args=[exercise_id])


def ids_of(workout):
    return [entry["exercise_id"] for entry in workout["exercises"]]


def some_workouts(seed):
    """Bodies of workouts, of which many have both exercises, or one of them twice."""
    dice = random.Random(seed)
    for day in range(1, 13):
        exercises = some_exercises(dice, [OLD, KEPT, PLANK, "barbell-back-squat"])
        for entry in exercises:
            entry |= {"notes": dice.choice(["", "Slow."]), "superset_id": dice.choice([None, "a"])}
        yield a_workout(started_at=f"2026-03-{day:02}T10:00:00Z", exercises=exercises)


def as_kept(body):
    return json.loads(json.dumps(body).replace(f'"{OLD}"', f'"{KEPT}"'))


def without(value, *names):
    """A JSON value without these names, at any depth."""
    if isinstance(value, dict):
        return {name: without(item, *names) for name, item in value.items() if name not in names}
    return [without(item, *names) for item in value] if isinstance(value, list) else value


def everything(client):
    """What an account reads, but for ids and times that differ for each record."""
    year = {"since": "2026-01-01T00:00:00Z", "until": "2027-01-01T00:00:00Z"}
    read = [
        client.get(path, **query).json()
        for path, query in [
            ("/workouts", {"limit": 100}),
            ("/routines", {}),
            ("/plans", {}),
            (f"/exercises/{KEPT}/history", {"limit": 100}),
            (f"/exercises/{PLANK}/history", {"limit": 100}),
            ("/stats/records", {"limit": 100}),
            ("/stats/training", year),
        ]
    ]
    return without(read, "id", "workout_id", "plan_id", "created_at", "updated_at", "next_cursor")


@pytest.mark.parametrize("seed", range(6))
def test_after_a_merge_all_is_as_if_it_had_been_logged_so(api, stranger_api, account, stranger, seed):
    for body in some_workouts(seed):
        assert api.post("/workouts", body).status_code == 201
        assert stranger_api.post("/workouts", as_kept(body)).status_code == 201
    for client, change in ((api, lambda body: body), (stranger_api, as_kept)):
        client.post("/routines", change(routine_of(OLD, PLANK, KEPT)))
        client.post("/plans", change(plan_of(KEPT, OLD)))
    merge()
    assert everything(api) == everything(stranger_api)
    for one in (account, stranger):
        one.state.refresh_from_db()
    assert account.state.stored_bytes == stranger.state.stored_bytes
    assert account.state.workout_count == stranger.state.workout_count == 12
    assert_rows_follow_documents()
    assert render_records() == NOTHING_TO_DO


def test_an_account_without_room_follows_too(api, settings):
    settings.ACCOUNT_STORAGE_MB = 1
    body = workout_of(OLD, KEPT)
    body["exercises"][0]["sets"] = body["exercises"][1]["sets"] = [a_set(100 + n / 7) for n in range(100)]
    while (answer := api.post("/workouts", body)).status_code == 201:
        workout = answer.json()
    merge()
    assert ids_of(api.get(f"/workouts/{workout['id']}").json()) == [KEPT, KEPT]
    assert render_records() == NOTHING_TO_DO


@pytest.fixture
def merged(api):
    api.post("/workouts", workout_of(OLD))
    merge()


def test_the_old_id_reads_the_kept_exercise(api, page, merged):
    assert api.get(f"/exercises/{OLD}").json() == api.get(f"/exercises/{KEPT}").json()
    assert api.get(f"/exercises/{OLD}").json()["id"] == KEPT
    by_old, by_kept = (api.get(f"/exercises/{each}/history").json() for each in (OLD, KEPT))
    assert by_old == by_kept
    assert by_old["exercise"] == {"id": KEPT, "name": "Barbell Bench Press"}
    assert len(by_old["sessions"]) == 1
    shown = text(page.get(reverse("exercise", args=[OLD])))
    assert "Barbell Bench Press" in shown
    assert "<dd>1</dd>" in shown  # session


def test_the_old_id_without_a_session_reads_the_kept_exercise(stranger_api, merged):
    history = stranger_api.get(f"/exercises/{OLD}/history").json()
    assert history["exercise"] == {"id": KEPT, "name": "Barbell Bench Press"}
    assert history["sessions"] == []


def test_the_old_id_is_stored_as_the_kept_one(api, merged):
    workout = api.post("/workouts", workout_of(OLD, KEPT, PLANK)).json()
    assert ids_of(workout) == [KEPT, KEPT, PLANK]
    assert workout["exercises"][0]["name"] == "Barbell Bench Press"
    assert ids_of(api.put(f"/workouts/{workout['id']}", workout_of(OLD)).json()) == [KEPT]
    routine = api.post("/routines", routine_of(OLD)).json()
    assert ids_of(routine) == [KEPT]
    assert ids_of(api.put(f"/routines/{routine['id']}", routine_of(PLANK, OLD)).json()) == [PLANK, KEPT]
    plan = api.post("/plans", plan_of(OLD)).json()
    assert ids_of(plan["days"][0]) == [KEPT]
    assert ids_of(api.put(f"/plans/{plan['id']}", plan_of(OLD)).json()["days"][3]) == [KEPT]
    assert_rows_follow_documents()
    assert refresh_from_catalogue() == 0


def test_the_old_id_and_a_plan_in_one_body(api, merged):
    plan = api.post("/plans", plan_of(PLANK)).json()
    workout = api.post("/workouts", workout_of(OLD, plan_id=plan["id"])).json()
    assert (ids_of(workout), workout["plan_name"]) == ([KEPT], plan["name"])


@pytest.mark.parametrize("method", ["post", "put"])
def test_the_old_id_takes_no_statement_more(api, merged, method):
    path = f"/workouts/{api.get('/workouts').json()['workouts'][0]['id']}" if method == "put" else "/workouts"
    counts = set()
    for exercise_id in (KEPT, OLD):
        with statements() as run:
            getattr(api, method)(path, workout_of(exercise_id))
        counts.add(len(run))
    assert len(counts) == 1


def test_a_record_with_the_old_id_is_compared_with_the_kept_one(api, merged):
    body = workout_of(OLD, started_at="2026-03-05T10:00:00Z")
    body["exercises"][0]["sets"] = [a_set(110, 5)]
    notices = ToolClient(api.key).notices("log_workout", **body)
    assert "New record: Barbell Bench Press 110 kg × 5." in notices


def test_forms_take_the_old_id(page, merged):
    for name in ("workout-entry", "planned-entry"):
        shown = text(page.get(reverse(name, args=[OLD])))
        assert f'value="{KEPT}"' in shown


def test_searches_find_the_kept_exercise_by_the_old_names(api, merged):
    found = [one["id"] for one in api.get("/exercises", q="machine chest press").json()["exercises"]]
    assert found[0] == KEPT
    assert OLD not in found


def test_merging_twice_is_once(api):
    workout = api.post("/workouts", workout_of(OLD)).json()
    merge()
    aliases = Exercise.objects.get(pk=KEPT).aliases
    now = api.get(f"/workouts/{workout['id']}").json()
    assert merge_only() is False
    refresh_from_catalogue()
    assert api.get(f"/workouts/{workout['id']}").json() == now
    assert Exercise.objects.get(pk=KEPT).aliases == aliases


@pytest.mark.parametrize("is_carried_out", [True, False])
def test_a_kept_exercise_is_merged_into_a_third(api, is_carried_out):
    workout = api.post("/workouts", workout_of(OLD, KEPT, OTHER)).json()
    routine = api.post("/routines", routine_of(OLD, KEPT)).json()
    merge_only(OLD, KEPT)
    if is_carried_out:
        refresh_from_catalogue()
    merge(KEPT, OTHER)
    assert ids_of(api.get(f"/workouts/{workout['id']}").json()) == [OTHER] * 3
    assert ids_of(api.get(f"/routines/{routine['id']}").json()) == [OTHER] * 2
    for exercise_id in (OLD, KEPT):
        assert api.get(f"/exercises/{exercise_id}").json()["id"] == OTHER
        assert ids_of(api.post("/workouts", workout_of(exercise_id)).json()) == [OTHER]
    assert api.get("/exercises", q="machine chest press").json()["exercises"][0]["id"] == OTHER
    assert_rows_follow_documents()


def test_the_shipped_catalogue_leaves_a_merge_alone(api, merged):
    call_command("load_catalogue", verbosity=0)
    assert api.get(f"/exercises/{OLD}").json()["id"] == KEPT
    assert api.get("/exercises", q="machine chest press").json()["exercises"][0]["id"] == KEPT


@pytest.mark.parametrize("model", [Workout, Routine])
def test_where_a_process_is_killed_another_one_continues(api, stranger_api, monkeypatch, model):
    """The first process is killed in its second batch."""
    monkeypatch.setattr("training.models.batches.ROWS_AT_ONCE", 2)
    for client in (api, stranger_api):
        for _ in range(3):
            client.post("/workouts", workout_of(OLD, KEPT))
            client.post("/routines", routine_of(OLD))
    merge_only()

    def killed(account, batch, follow=FOLLOW[model], done=[]):  # noqa: B006
        changed = follow(account, batch)
        if done:
            raise KeyboardInterrupt
        done.append(account)
        return changed

    with time_machine.travel(datetime.timedelta(0)) as clock:
        with monkeypatch.context() as patch:
            patch.setitem(FOLLOW, model, killed)
            with pytest.raises(KeyboardInterrupt):
                refresh_from_catalogue()
        clock.shift(HELD_FOR)
        assert refresh_from_catalogue() == {Workout: 4 + 6, Routine: 4}[model]
    for client in (api, stranger_api):
        for workout in client.get("/workouts").json()["workouts"]:
            assert ids_of(workout) == [KEPT, KEPT]
        for routine in client.get("/routines").json()["routines"]:
            assert ids_of(routine) == [KEPT]
    assert_rows_follow_documents()
    assert render_records() == NOTHING_TO_DO


@pytest.mark.parametrize("seconds", LOOK_AGAIN_AFTER)
def test_a_write_that_began_before_the_merge_follows_too(api, seconds):
    """It has read the old exercise, and stores it when the others have followed already."""
    with time_machine.travel("2026-03-02T12:00:00Z", tick=False) as clock:
        merge_only()
        assert refresh_from_catalogue() == 0
        Exercise.objects.filter(pk=OLD).update(merged_into=None)
        workout = api.post("/workouts", workout_of(OLD, KEPT)).json()
        routine = api.post("/routines", routine_of(OLD)).json()
        Exercise.objects.filter(pk=OLD).update(merged_into=KEPT)
        assert ids_of(workout) == [OLD, KEPT]
        clock.shift(seconds)
        assert refresh_from_catalogue() == 2
        clock.shift(60)
        refresh_from_catalogue()
    assert ids_of(api.get(f"/workouts/{workout['id']}").json()) == [KEPT, KEPT]
    assert ids_of(api.get(f"/routines/{routine['id']}").json()) == [KEPT]
    assert not CatalogueChange.objects.exists()


def test_render_records_moves_what_was_stored_under_the_old_id(api):
    workout = api.post("/workouts", workout_of(OLD, KEPT)).json()
    api.post("/routines", routine_of(OLD))
    merge_only()
    CatalogueChange.objects.all().delete()
    changed = ["workouts: 1 changed", "routines: 1 changed", "plans: 0 changed", "accounts: 0 changed"]
    assert render_records() == changed
    assert ids_of(api.get(f"/workouts/{workout['id']}").json()) == [KEPT, KEPT]
    assert_rows_follow_documents()


def test_workouts_without_the_exercise_are_not_stored_again(api):
    api.post("/workouts", workout_of(OLD))
    for _ in range(5):
        api.post("/workouts", workout_of(KEPT))
    merge_only()
    with statements() as run:
        assert refresh_from_catalogue() == 1
    stored = [sql for sql in run if 'UPDATE "training_workout' in sql]
    assert [sql.split('"')[1] for sql in stored] == ["training_workoutexercise", "training_workout"]
    assert not [sql for sql in stored if "), (" in sql]  # each for one row


def test_staff_merge_two_exercises(admin_page, api, stranger_api):
    for client in (api, stranger_api, client_of(AccountFactory())):
        client.post("/workouts", workout_of(OLD, KEPT))
    api.post("/workouts", workout_of(OLD))
    api.post("/workouts", workout_of(KEPT))
    api.post("/routines", routine_of(OLD))
    api.post("/plans", plan_of(OLD))
    changed = reverse("admin:training_exercise_change", args=[OLD])
    assert address() in text(admin_page.get(changed))
    assert "Exercise to keep" in text(admin_page.get(address()))
    preview = text(admin_page.get(address(), {"kept": KEPT}))
    for line in (
        "Workouts that change: 4",
        "Routines that change: 1",
        "Plans that change: 1",
        "Accounts that these belong to: 3",
        "cannot be undone",
        "backup",
    ):
        assert line in preview
    assert api.get(f"/exercises/{OLD}").json()["id"] == OLD
    done = admin_page.post(address(), {"kept": KEPT}, follow=True)
    assert done.redirect_chain == [(reverse("admin:training_exercise_change", args=[KEPT]), 302)]
    assert "is merged into Barbell Bench Press" in text(done)
    assert refresh_from_catalogue() == 6
    again = admin_page.post(address(), {"kept": KEPT}, follow=True)
    assert "is merged into Barbell Bench Press" in text(again)
    assert CatalogueChange.objects.count() == 1
    listed = admin_page.get(reverse("admin:training_exercise_changelist"), {"state": "merged"})
    assert "merged into Barbell Bench Press" in text(listed)
    assert admin_page.post(changed, {"name": "Another"}).status_code == 403


def test_an_edit_that_began_before_the_merge_does_not_undo_it(admin_page, monkeypatch):
    save = Exercise.save

    def save_after_the_merge(exercise, **options):
        monkeypatch.undo()
        merge_only()
        save(exercise, **options)

    monkeypatch.setattr(Exercise, "save", save_after_the_merge)
    given_up = Exercise.objects.get(pk=OLD)
    form = exercise_form(name=given_up.name, instructions="Sit.")
    edited = admin_page.post(reverse("admin:training_exercise_change", args=[OLD]), form)
    assert edited.status_code == 302
    given_up.refresh_from_db()
    assert (given_up.instructions, given_up.merged_into_id) == ("Sit.", KEPT)


def error_of(admin_page, given_up, kept):
    previewed = admin_page.get(address(given_up), {"kept": kept})
    posted = admin_page.post(address(given_up), {"kept": kept})
    (error,) = posted.context["form"].errors["kept"]
    assert previewed.context["form"].errors["kept"] == [error]
    assert error in text(posted)
    return error


@pytest.mark.parametrize(
    ("given_up", "kept", "error"),
    [
        (KEPT, KEPT, "An exercise cannot be merged into itself."),
        (KEPT, OLD, "Machine Chest Press was merged into Barbell Bench Press already; choose that one."),
        (PLANK, OLD, "Machine Chest Press was merged into Barbell Bench Press already; choose that one."),
        (OLD, PLANK, "Machine Chest Press was merged into Barbell Bench Press already; choose that one."),
        (PLANK, "chin-up", "Chin-Up is retired; take it back first, or choose another."),
        (PLANK, "none", "Select a valid choice. That choice is not one of the available choices."),
    ],
)
def test_what_cannot_be_merged_is_refused(admin_page, merged, given_up, kept, error):
    Exercise.objects.filter(pk="chin-up").update(retired_at="2026-01-01T00:00:00Z")
    assert error_of(admin_page, given_up, kept) == error


def test_the_picker_offers_no_retired_exercise(admin_page, merged):
    query = {
        "app_label": "training",
        "model_name": "exercise",
        "field_name": "merged_into",
        "term": "chest press",
    }
    found = admin_page.get(reverse("admin:autocomplete"), query).json()["results"]
    assert found
    assert OLD not in [one["id"] for one in found]


def test_an_exercise_that_does_not_exist_is_not_merged(admin_page):
    assert admin_page.get(address("none")).status_code == 404


def test_only_who_may_change_exercises_may_merge_them(page, account):
    account.is_staff = True
    account.save()
    for call in (page.get, page.post):
        assert call(address(), {"kept": KEPT}).status_code == 403
    assert Exercise.objects.get(pk=OLD).merged_into is None


def test_the_name_of_a_merged_exercise_is_free_for_the_kept_one(admin_page, api, merged):
    exercise = Exercise.objects.get(pk=KEPT)
    exercise.name = "Machine Chest Press"
    exercise.save()
    assert api.get(f"/exercises/{OLD}").json()["name"] == "Machine Chest Press"
