"""What is derived (documents, muscle groups, names in routines and plans) agrees with its source."""

import json
import random
from io import StringIO

import pytest
import time_machine
from django.core.management import call_command

from accounts.models import Account
from tests.conftest import a_set, a_workout, statements
from tests.training.random_workouts import some_exercises
from tests.training.test_plans import a_day, a_plan
from training import catalogue
from training.models import Exercise, Plan, Routine, Workout
from training.models.catalogue_refresh import FOLLOW, refresh_from_catalogue
from training.models.workout_corrections import render_batch
from training.models.workout_values import exercise_columns

BENCH, SQUAT, PLANK = "barbell-bench-press", "barbell-back-squat", "plank"


def planned(exercise_id):
    return {"exercise_id": exercise_id, "sets": 3, "reps": 8, "weight_kg": 60}


def routine_of(*exercise_ids):
    return {"name": "Routine", "exercises": [planned(each) for each in exercise_ids]}


def plan_of(*exercise_ids):
    """A plan with these exercises on Monday and again on Thursday."""
    training = [planned(each) for each in exercise_ids]
    return a_plan(days=[a_day(day, *(training if day in (1, 4) else [])) for day in range(1, 8)])


def workout_of(*exercise_ids, **fields):
    exercises = [{"exercise_id": each, "sets": [a_set(), a_set(60)]} for each in exercise_ids]
    return a_workout(**fields) | {"exercises": exercises}


def render_records():
    output = StringIO()
    call_command("render_records", stdout=output)
    return output.getvalue().splitlines()


NOTHING_TO_DO = ["workouts: 0 changed", "routines: 0 changed", "plans: 0 changed", "accounts: 0 changed"]


def rename(exercise_id, **fields):
    """Changes an exercise, and carries out what the worker would."""
    change(exercise_id, **fields)
    refresh_from_catalogue()


def change(exercise_id, **fields):
    exercise = Exercise.objects.get(pk=exercise_id)
    for name, value in fields.items():
        setattr(exercise, name, value)
    exercise.save()


def assert_rows_follow_documents():
    """Every row holds what storing its workout's document again would put there."""
    exercises = Exercise.objects.in_bulk()
    for workout in Workout.objects.all():
        entries = json.loads(workout.document)["exercises"]
        for entry in entries:
            entry["exercise"] = exercises[entry["exercise_id"]]
        stored = sorted(workout.exercises.all(), key=lambda row: row.position)
        for row, expected in zip(stored, exercise_columns(entries), strict=True):
            assert {name: getattr(row, name) for name in expected} == expected


def test_a_rename_is_a_change_for_clients_that_sync(api, log_workout):
    first, second = log_workout(a_set()), log_workout(a_set())
    since = api.get("/workouts/events").json()["events"][-1]["at"]
    rename(BENCH, name="Bench Press")
    events = api.get("/workouts/events", since=since).json()["events"]
    assert {event["workout"]["id"] for event in events} == {first["id"], second["id"]}
    assert [event["kind"] for event in events] == ["updated", "updated"]
    assert since < events[0]["at"] < events[1]["at"]
    assert all(event["workout"]["updated_at"] == event["at"] for event in events)


def test_a_renamed_exercise_is_renamed_in_routines_and_plans(api):
    routine = api.post("/routines", routine_of(SQUAT, BENCH)).json()
    plan = api.post("/plans", plan_of(BENCH)).json()
    rename(BENCH, name="Bench Press", equipment="Machine", muscle_group="Arms")
    renamed = {"name": "Bench Press", "equipment": "Machine", "muscle_group": "Arms"}
    now = api.get(f"/routines/{routine['id']}").json()
    assert now["exercises"] == [routine["exercises"][0], {**routine["exercises"][1], **renamed}]
    now = api.get(f"/plans/{plan['id']}").json()
    for day in (0, 3):
        assert renamed.items() <= now["days"][day]["exercises"][0].items()
    assert (now["history"], now["updated_at"]) == ([], None)


LOOKS_LIKE_AN_EXERCISE = f'"exercise_id":"{BENCH}","name":"Old","muscle_group":"Chest","updated_at":"'


@pytest.mark.parametrize("name", ['The "Bench", \\ Press', r"\1 \g<0>", "Дожим 💪", LOOKS_LIKE_AN_EXERCISE])
def test_a_rename_leaves_texts_that_look_like_an_exercise_alone(api, name):
    text = LOOKS_LIKE_AN_EXERCISE
    body = workout_of(BENCH, SQUAT, BENCH, title=text, notes=f"{text}\n{text}", plan_name=text)
    for entry in body["exercises"]:
        entry |= {"notes": text, "superset_id": text}
    shown = api.post("/workouts", body).json()
    for new in (name, "Bench Press", name):
        rename(BENCH, name=new, muscle_group="Legs")
        now = api.get(f"/workouts/{shown['id']}").json()
        renamed = {"name": new, "muscle_group": "Legs"}
        entries = [{**one, **(renamed if one["exercise_id"] == BENCH else {})} for one in shown["exercises"]]
        assert now == {**shown, "exercises": entries, "updated_at": now["updated_at"]}
        assert now["updated_at"] > shown["updated_at"]
        assert render_records() == NOTHING_TO_DO
    assert_rows_follow_documents()


def test_a_new_version_of_the_catalogue_renames_too(api, log_workout):
    shown = log_workout(a_set())
    entries = [entry for entry in catalogue.entries() if entry["id"] == BENCH]
    Exercise.objects.merge([{**entries[0], "name": "Bench Press"}])
    refresh_from_catalogue()
    now = api.get(f"/workouts/{shown['id']}").json()
    assert now["exercises"][0]["name"] == "Bench Press"
    assert render_records() == NOTHING_TO_DO


@pytest.mark.parametrize("fields", [{"instructions": "Press."}, {"level": "expert", "edited": True}])
def test_what_no_document_repeats_changes_no_document(api, log_workout, fields):
    shown = log_workout(a_set())
    rename(BENCH, **fields)
    assert api.get(f"/workouts/{shown['id']}").json() == shown


def test_render_records_corrects_what_is_stale(api):
    shown = api.post("/workouts", workout_of(BENCH, SQUAT)).json()
    api.post("/routines", routine_of(BENCH))
    api.post("/plans", plan_of(BENCH))
    Exercise.objects.filter(pk=BENCH).update(name="Bench Press", muscle_group="Legs")
    changed = ["workouts: 1 changed", "routines: 1 changed", "plans: 1 changed", "accounts: 0 changed"]
    assert render_records() == changed
    now = api.get(f"/workouts/{shown['id']}").json()
    assert now["exercises"][0]["name"] == "Bench Press"
    assert now["updated_at"] > shown["updated_at"]
    assert_rows_follow_documents()
    assert render_records() == NOTHING_TO_DO


def test_more_workouts_than_one_batch_holds(account, api, monkeypatch):
    monkeypatch.setattr("training.models.batches.ROWS_AT_ONCE", 2)
    plan = api.post("/plans", plan_of(BENCH)).json()
    for _ in range(5):
        api.post("/workouts", workout_of(BENCH, plan_id=plan["id"]))
    rename(BENCH, name="Bench Press")
    api.delete(f"/plans/{plan['id']}")
    for workout in api.get("/workouts").json()["workouts"]:
        assert (workout["plan_id"], workout["exercises"][0]["name"]) == (None, "Bench Press")
    assert len(set(account.workouts.values_list("updated_at", flat=True))) == 5


def names(api):
    return [workout["exercises"][0]["name"] for workout in api.get("/workouts").json()["workouts"]]


def test_a_rename_returns_before_the_workouts_follow(api, log_workout):
    log_workout(a_set())
    change(BENCH, name="Bench Press")
    assert names(api) == ["Barbell Bench Press"]
    assert refresh_from_catalogue() == 1
    assert names(api) == ["Bench Press"]


def test_two_processes_do_not_do_the_same(api, log_workout, monkeypatch):
    log_workout(a_set())
    change(BENCH, name="Bench Press")
    elsewhere = []

    def follow(account, ids):
        elsewhere.append(refresh_from_catalogue())
        return render_batch(account, ids)

    monkeypatch.setitem(FOLLOW, Workout, follow)
    assert refresh_from_catalogue() == 1
    assert elsewhere == [0]


def test_a_change_stored_by_a_clock_that_ran_ahead_is_not_left_for_later(api, log_workout):
    log_workout(a_set())
    with time_machine.travel("2036-03-02T12:00:00Z"):
        change(BENCH, name="Bench Press")
    refresh_from_catalogue()
    assert names(api) == ["Bench Press"]


def test_other_equipment_touches_no_workout(api, log_workout):
    shown = log_workout(a_set())
    routine = api.post("/routines", routine_of(BENCH)).json()
    change(BENCH, equipment="Machine")
    with statements() as run:
        assert refresh_from_catalogue() == 1
    assert not [sql for sql in run if "training_workout" in sql]
    assert api.get(f"/workouts/{shown['id']}").json() == shown
    now = api.get(f"/routines/{routine['id']}").json()
    assert now["exercises"][0]["equipment"] == "Machine"


def test_an_account_that_is_deleted_meanwhile_keeps_nobody_from_following(
    api, stranger, stranger_api, monkeypatch
):
    for client in (api, stranger_api):
        client.post("/workouts", workout_of(BENCH))
    change(BENCH, name="Bench Press")
    stamp = Account.stamp

    def stamp_after_the_deletion(account, *count):
        if account.pk == stranger.pk:
            Account.objects.filter(pk=stranger.pk).delete()
        return stamp(account, *count)

    monkeypatch.setattr(Account, "stamp", stamp_after_the_deletion)
    assert refresh_from_catalogue() == 1
    assert names(api) == ["Bench Press"]


LIFTS = (BENCH, SQUAT, PLANK, "chin-up", "barbell-deadlift")


class Lifter:
    """Does anything that a client or the staff may do, in an order that its seed gives."""

    def __init__(self, api, seed):
        self.api = api
        self.random = random.Random(seed)

    def act(self):
        acts = [self.log] * 4 + [self.replace, self.delete, self.plan, self.drop, self.rename]
        self.random.choice(acts)()

    def some_ids(self):
        return self.random.choices(LIFTS, k=3)

    def some_plan(self):
        ids = [str(plan_id) for plan_id in Plan.objects.values_list("pk", flat=True)]
        return self.random.choice([None, *ids])

    def some_workout(self):
        return a_workout(plan_id=self.some_plan(), exercises=some_exercises(self.random, LIFTS))

    def log(self):
        assert self.api.post("/workouts", self.some_workout()).status_code == 201

    def path_of_some(self, model, collection):
        ids = list(model.objects.order_by("pk").values_list("pk", flat=True))
        return f"/{collection}/{self.random.choice(ids)}" if ids else None

    def replace(self):
        if path := self.path_of_some(Workout, "workouts"):
            assert self.api.put(path, self.some_workout()).status_code == 200

    def delete(self):
        if path := self.path_of_some(Workout, "workouts"):
            assert self.api.delete(path).status_code == 204

    def plan(self):
        assert self.api.post("/plans", plan_of(*self.some_ids())).status_code == 201
        assert self.api.post("/routines", routine_of(*self.some_ids())).status_code == 201

    def drop(self):
        if path := self.path_of_some(Plan, "plans"):
            assert self.api.delete(path).status_code == 204

    def rename(self):
        exercise_id = self.random.choice(self.some_ids())
        muscle_group = self.random.choice(["Chest", "Legs", "Core"])
        rename(exercise_id, name=f"{exercise_id} {self.random.random()}", muscle_group=muscle_group)


@pytest.mark.parametrize("seed", range(5))
def test_documents_and_rows_agree_after_any_sequence_of_writes(api, seed):
    lifter = Lifter(api, seed)
    for _ in range(40):
        lifter.act()
    before = list(Workout.objects.order_by("pk").values())
    assert before
    assert_rows_follow_documents()
    assert render_records() == NOTHING_TO_DO
    assert list(Workout.objects.order_by("pk").values()) == before
    assert Routine.objects.exists()
