"""Own exercises in imports: made of unknown names, brought by archives, and taken back."""

import hashlib
import io
import json

import pytest
from django.urls import reverse

from tests.conftest import a_set, a_workout, client_of, freshly_signed_in
from tests.html import text
from tests.imports.accounts import archive_of, exported, planned, week
from tests.imports.steps import imported as stored
from tests.imports.steps import read
from tests.imports.test_archive import as_file
from tests.imports.test_import_pages import posted, uploaded
from training.models import Exercise, ExerciseHabit, ExerciseName
from training.models.exercise_habit import Habit
from training.models.own_exercise import MAX_OWN, make, merge

HEAD = (
    "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes,RPE"
)
NAMES = ("Zzz Leg Thing", "Qqq Cable Curl")
FIELDS = {"muscle_group": "Legs", "equipment": "Machine"}
ANSWERS = {"unit": "kg", "time_zone": "UTC"}


def strong(*names):
    rows = [f'2026-03-02 10:00:00,"Gym",1h,"{name}",1,50.0,8.0,0,0.0,"","",' for name in names]
    return "\n".join([HEAD, *rows, ""]).encode()


def field(name):
    return f"name-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def previewed(page, *names):
    return uploaded(page, "strong.csv", strong(*names))


def answer(page, run, **answers):
    return posted(page, reverse("import", args=[run.pk]), {**ANSWERS, **answers})


def owned(account):
    return {one.name: one.shown for one in Exercise.objects.owned_by(account)}


def logged(api):
    return [entry["name"] for one in api.get("/workouts").json()["workouts"] for entry in one["exercises"]]


def help_of(*names):
    """A file with 20 kg of help for each exercise, and 20 kg on the bar in another set."""
    head = "title,start_time,end_time,exercise_title,set_index,set_type,weight_kg,reps"
    rows = [
        f'"Gym","2026-03-02 10:00","2026-03-02 11:00","{name}",{number},normal,{kg},8'
        for name in names
        for number, kg in enumerate((-20, 20))
    ]
    return "\n".join([head, *rows, ""]).encode()


def weights(account):
    rows = account.workout_exercises.order_by("workout", "position")
    return [[one["weight_kg"] for one in json.loads(row.sets)] for row in rows]


def test_help_is_the_weight_of_an_assisted_exercise_alone_and_there_the_next_time(account):
    names = ("Pull Up (Assisted)", "Pull Up")
    run = stored(account, io.BytesIO(help_of(*names)))
    assert weights(account) == [[20, 20], [0, 20]]
    assert len(run.stored) == 1
    assert len(read(account, io.BytesIO(help_of(*names))).there) == 1


def test_an_unknown_name_that_says_assisted_becomes_an_assisted_exercise(page, account):
    names = ("Zzz Assisted Thing", "Zzz Unassisted Thing")
    answer(page, previewed(page, *names), own_all="yes")
    flags = {one.name: one.is_assisted for one in Exercise.objects.owned_by(account)}
    assert flags == dict(zip(names, (True, False), strict=True))


def test_an_archive_says_which_exercises_are_assisted(account, stranger):
    made = [
        make(account, name, "Back", "Machine", is_assisted)
        for name, is_assisted in {"Assisted Row Zzz": False, "Klimmzug mit Hilfe": True}.items()
    ]
    stored(stranger, as_file(exported(freshly_signed_in(account))))
    flags = {one.name: one.is_assisted for one in Exercise.objects.owned_by(stranger)}
    assert flags == {one.name: one.is_assisted for one in made}


def test_a_name_becomes_an_own_exercise_and_goes_with_the_undo(page, api, account):
    run = previewed(page, *NAMES)
    shown = page.get(reverse("import", args=[run.pk])).content.decode()
    assert "Make it an exercise of your own" in shown
    assert f'name="{field(NAMES[0])}-equipment"' in shown
    chosen = {field(NAMES[0]): "own", f"{field(NAMES[0])}-equipment": "Cable"}
    answer(page, run, **chosen)
    assert owned(account)[NAMES[0]] == {"name": NAMES[0], "muscle_group": "Legs", "equipment": "Cable"}
    answer(page, run, **{"import": "yes"})
    assert logged(api) == [NAMES[0]]
    assert "1 own exercise" in text(page.get(reverse("import", args=[run.pk])))
    posted(page, reverse("undo-import", args=[run.pk]))
    assert (owned(account), logged(api)) == ({}, [])
    assert not ExerciseName.objects.filter(account=account).exists()


def test_one_button_makes_all_of_them(page, api, account):
    run = previewed(page, *NAMES, "Yoga Zzz")
    answer(page, run, own_all="yes", **{field("Yoga Zzz"): "leave_out"})
    groups = {name: (one["muscle_group"], one["equipment"]) for name, one in owned(account).items()}
    assert groups == {NAMES[0]: ("Legs", "Machine"), NAMES[1]: ("Arms", "Cable")}
    answer(page, run, **{"import": "yes"})
    assert logged(api) == [*NAMES]
    again = previewed(page, *NAMES)
    assert again.report["unknown_names"] == []


def test_what_something_else_uses_stays_when_the_import_is_undone(page, api, account):
    run = previewed(page, *NAMES)
    answer(page, run, own_all="yes")
    answer(page, run, **{"import": "yes"})
    (used,) = Exercise.objects.owned_by(account).filter(name=NAMES[0])
    assert api.post("/routines", {"name": "A", "exercises": [planned(used.pk)]}).status_code == 201
    posted(page, reverse("undo-import", args=[run.pk]))
    assert (list(owned(account)), logged(api)) == ([NAMES[0]], [])
    posted(page, reverse("undo-import", args=[run.pk]), {"changed_too": "yes"})
    assert list(owned(account)) == [NAMES[0]]


def test_a_preview_that_is_left_has_nothing_to_undo(page, account):
    run = previewed(page, NAMES[0])
    answer(page, run, own_all="yes")
    assert reverse("undo-import", args=[run.pk]) not in page.get(reverse("data")).content.decode()


def test_a_name_that_is_taken_meanwhile_means_the_exercise_that_has_it(page, api, account):
    run = previewed(page, NAMES[0])
    exercise = make(account, NAMES[0], "Back", "Band")
    answer(page, run, own_all="yes")
    answer(page, run, **{"import": "yes"})
    assert account.workout_exercises.get().exercise_id == exercise.pk
    posted(page, reverse("undo-import", args=[run.pk]))
    assert list(owned(account)) == [NAMES[0]]


def test_a_name_without_letters_is_made_none(page, account):
    run = previewed(page, "???")
    assert answer(page, run, **{field("???"): "own"}).status_code == 302
    assert owned(account) == {}


def test_names_of_several_lines_have_one(page, account, api):
    run = previewed(page, "Zzz\nLeg  Thing")
    answer(page, run, own_all="yes")
    answer(page, run, **{"import": "yes"})
    assert list(owned(account)) == logged(api) == [NAMES[0]]


@pytest.mark.parametrize(
    ("name", "equipment", "theirs"),
    [
        ("Zzz Leg Thing", "Machine", "ab-wheel-rollout"),
        ("Zzz Leg Thing", "Machine", "zercher-squat"),
        ("Zzz Thing (Barbell)", "Barbell", None),
        ("Zzz Thing (Barbell)", "Machine", None),
    ],
)
def test_an_export_means_the_own_exercise(page, account, name, equipment, theirs):
    """Also where the catalogue has got one of that name since."""
    exercise = make(account, name, "Legs", equipment)
    Exercise.objects.filter(pk=theirs).update(name=name, equipment=equipment)
    client_of(account).post("/workouts", a_workout(a_set(), exercise_id=exercise.pk))
    exported = page.get(reverse("export-strong")).getvalue()
    account.workouts.get().delete()
    run = uploaded(page, "strong.csv", exported)
    assert run.report["unknown_names"] == []
    answer(page, run)
    answer(page, run, **{"import": "yes"})
    assert account.workout_exercises.get().exercise_id == exercise.pk


def test_more_than_there_is_room_for_are_refused(page, account):
    Exercise.objects.bulk_create(
        Exercise(name=f"Thing {number}", **FIELDS, id=f"own-{number}", owner=account)
        for number in range(MAX_OWN - 1)
    )
    run = previewed(page, *NAMES)
    assert f"You have {MAX_OWN} exercises of your own" in text(answer(page, run, own_all="yes"))
    assert len(owned(account)) == MAX_OWN - 1


@pytest.fixture
def own(account, api):
    """An own exercise that is in everything that an archive has of exercises."""
    exercise = make(account, "Zzz Leg Thing", **FIELDS)
    api.post("/workouts", a_workout(a_set(), exercise_id=exercise.pk))
    api.post("/routines", {"name": "A", "exercises": [planned(exercise.pk)]})
    plan = api.post("/plans", {"name": "B", "days": week(planned(exercise.pk))}).json()
    rule = {"weekday": 1, "position": 0, "exercise_id": exercise.pk, "kind": "linear", "increment_kg": 2.5}
    assert api.put(f"/plans/{plan['id']}/progression", {"rules": [rule]}).status_code == 200
    ExerciseName.objects.choose(account, "strong", {"Leg thing": exercise.pk})
    ExerciseHabit.objects.remember(account, {exercise.pk: Habit(rest_seconds=90)})
    account.exercise_pins.create(exercise=exercise)
    return exercise


def used_by(account):
    """The ids of exercises in all that an account has."""
    api = client_of(account)
    plan = api.get("/plans").json()["plans"][0]
    return {
        *(
            entry["exercise_id"]
            for one in api.get("/workouts").json()["workouts"]
            for entry in one["exercises"]
        ),
        *(entry["exercise_id"] for entry in api.get("/routines").json()["routines"][0]["exercises"]),
        plan["days"][0]["exercises"][0]["exercise_id"],
        api.get(f"/plans/{plan['id']}/progression").json()["rules"][0]["exercise_id"],
        *(rows.get().exercise_id for rows in (account.exercise_names, account.exercise_habits)),
        account.exercise_pins.get().exercise_id,
    }


def test_an_archive_makes_them_anew(page, account, own, newcomer):
    document = archive_of(page)
    shown = {"id": own.pk, "name": "Zzz Leg Thing", **FIELDS, "is_assisted": False, "measure": "reps"}
    assert document["own_exercises"] == [{**shown, "retired": False}]
    run = stored(newcomer, as_file(document))
    (made,) = Exercise.objects.owned_by(newcomer)
    assert made.pk != own.pk
    assert (run.refused, run.findings.count()) == ([], 0)
    assert used_by(newcomer) == {made.pk}
    assert used_by(account) == {own.pk}


def test_where_the_catalogue_has_the_name_that_one_is_meant(page, account, own, newcomer):
    document = archive_of(page)
    document["own_exercises"][0]["name"] = "barbell back squats"
    stored(newcomer, as_file(document))
    assert used_by(newcomer) == {"barbell-back-squat"}
    assert not Exercise.objects.owned_by(newcomer).exists()


@pytest.mark.parametrize("said", [{"measure": "time"}, {"measure": "distance"}, {"is_assisted": True}])
def test_an_archive_says_what_is_counted(page, account, newcomer, said):
    own = make(account, "Zzz Leg Thing", **FIELDS, **said)
    stored(newcomer, as_file(archive_of(page)))
    assert Exercise.objects.owned_by(newcomer).get().described == own.described


@pytest.mark.parametrize("kept", ["barbell-back-squat", None])
def test_a_merge_that_workouts_do_not_follow_yet_is_in_the_archive(page, account, own, newcomer, kept):
    merge(own, Exercise.objects.get(pk=kept) if kept else make(account, "Other Thing", **FIELDS))
    stored(newcomer, as_file(archive_of(page)))
    made = Exercise.objects.owned_by(newcomer).values_list("pk", "name")
    assert [name for _, name in made] == ([] if kept else ["Other Thing"])
    assert used_by(newcomer) == ({kept} if kept else {made[0][0]})


@pytest.mark.parametrize(
    "changes", [*({"name": ""}, {"name": "?!"}), *({"muscle_group": "Wings"}, {"equipment": None})]
)
def test_what_is_none_is_refused(page, own, newcomer, changes):
    document = archive_of(page)
    run = read(newcomer, as_file({**document, "own_exercises": [document["own_exercises"][0] | changes]}))
    assert [kind for kind, _ in run.refused].count("own_exercises") == 1
    assert not Exercise.objects.owned_by(newcomer).exists()


@pytest.mark.parametrize(
    "other",
    [{"name": "zzz leg things"}, {"equipment": "Band"}, {"name": "ZZZ LEG THING", "equipment": "Band"}],
)
def test_two_of_one_name_are_one_exercise(page, own, newcomer, other):
    document = archive_of(page)
    (first,) = document["own_exercises"]
    second = first | other | {"id": "own-other"}
    document["own_exercises"] = [first, second]
    document["routines"][0]["exercises"].append(planned("own-other"))
    run = stored(newcomer, as_file(document))
    (made,) = Exercise.objects.owned_by(newcomer)
    assert (made.shown, run.refused) == ({name: first[name] for name in made.shown}, [])
    assert used_by(newcomer) == {made.pk}
