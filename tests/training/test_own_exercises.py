"""Exercises of an account's own: made on screens, used like any other, and nobody else's."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Account
from fitness.site import account_data
from tests.conftest import a_set, a_workout, freshly_signed_in, statements
from tests.html import text
from tests.imports.accounts import planned, week
from tests.imports.steps import work
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.test_drafts import finish, read, start, tick
from training.models import CatalogueChange, Exercise
from training.models.catalogue_refresh import refresh_from_catalogue
from training.models.exercise import TIMED
from training.models.own_exercise import MAX_OWN, make

NAME = "Pendulum Thing"
FIELDS = {"name": NAME, "muscle_group": "Legs", "equipment": "Machine"}
BENCH, SQUAT = "barbell-bench-press", "barbell-back-squat"


@pytest.fixture
def own(account):
    return make(account, **FIELDS)


def owned(account):
    return list(Exercise.objects.owned_by(account).order_by("name").values_list("name", flat=True))


def new(page, **fields):
    return page.post(reverse("new-own-exercise"), {**FIELDS, **fields})


def make_by_script(page, **fields):
    body = {**FIELDS, **fields}
    return page.post(reverse("make-own-exercise"), body, content_type="application/json")


def test_the_form_makes_an_exercise_that_is_found_and_shown(page, api, account):
    response = new(page)
    (exercise,) = Exercise.objects.owned_by(account)
    assert re.fullmatch(r"own-[0-9a-f]{32}", exercise.pk)
    assert response.url == reverse("exercise", args=[exercise.pk])
    shown = text(page.get(response.url))
    assert NAME in shown
    assert "Nobody else sees it" in shown
    (found,) = api.get("/exercises", q="pendulum thing").json()["exercises"]
    assert found == api.get(f"/exercises/{exercise.pk}").json()
    assert {name: found[name] for name in FIELDS} == FIELDS
    assert found.keys() == api.get(f"/exercises/{BENCH}").json().keys()


def test_a_form_that_is_sent_twice_makes_one(page, account):
    assert new(page).url == new(page).url
    assert make_by_script(page).json() == make_by_script(page).json()
    assert owned(account) == [NAME]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Barbell Bench Press", "The catalogue has this exercise already: Barbell Bench Press"),
        ("barbell bench-presses", "The catalogue has this exercise already: Barbell Bench Press"),
        ("pendulum things", "You have an exercise of that name already: Pendulum Thing"),
        ("", "This field is required"),
        ("?!", "Use letters or digits"),
        ("x" * 201, "at most 200 characters"),
    ],
)
def test_a_name_that_is_refused(page, own, account, name, says):
    response = new(page, name=name)
    assert says in text(response)
    answer = make_by_script(page, name=name)
    assert (answer.status_code, says in answer.json()["message"]) == (400, True)
    assert owned(account) == [NAME]


def test_the_exercise_that_has_the_name_is_offered(page):
    taken = make_by_script(page, name="Barbell Bench Press").json()["taken"]
    assert taken == {"id": BENCH, "name": "Barbell Bench Press"}
    refused = new(page, name="Barbell Bench Press").content.decode()
    assert f'href="{reverse("exercise", args=[BENCH])}"' in refused


def test_an_account_has_a_bounded_number(page, account):
    Exercise.objects.bulk_create(
        Exercise(**{**FIELDS, "name": f"Thing {number}"}, id=f"own-{number}", owner=account)
        for number in range(MAX_OWN)
    )
    assert f"You have {MAX_OWN} exercises of your own" in text(new(page))
    assert make_by_script(page).status_code == 400
    assert len(owned(account)) == MAX_OWN


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"name": 3}'])
def test_a_body_that_is_none_of_a_form_is_refused(page, account, body):
    response = page.post(reverse("make-own-exercise"), body, content_type="application/json")
    assert (response.status_code, owned(account)) == (400, [])


@pytest.mark.parametrize(
    ("counts", "is_assisted", "measures", "fields"),
    [
        ("reps", False, ("reps",), ["weight", "reps", "rpe"]),
        ("help", True, ("reps",), ["weight", "reps", "rpe"]),
        ("time", False, ("time", "reps"), ["time", "weight"]),
        ("distance", False, ("distance", "reps"), ["time", "distance", "weight"]),
    ],
)
def test_an_exercise_is_measured_by_what_its_owner_counts(
    page, account, counts, is_assisted, measures, fields
):
    new(page, counts=counts)
    (exercise,) = Exercise.objects.owned_by(account)
    assert (exercise.is_assisted, exercise.measures) == (is_assisted, measures)
    assert (exercise in Exercise.objects.owned_by(account).filter(TIMED)) is exercise.is_timed
    assert new(page, counts=counts).url == reverse("exercise", args=[exercise.pk])  # the same
    row = page.get(reverse("workout-entry", args=[exercise.pk])).content.decode()
    assert re.findall(r'class="input" name="\w+-(\w+)"', row)[: len(fields)] == fields
    address = reverse("edit-own-exercise", args=[exercise.pk])
    assert f'value="{counts}" ' in re.search("<input[^>]*checked", page.get(address).content.decode())[0]
    page.post(address, FIELDS)
    exercise.refresh_from_db(from_queryset=Exercise.objects.of_everyone())
    assert (exercise.is_assisted, exercise.measures) == (False, ("reps",))


@pytest.mark.parametrize(
    ("name", "counts"),
    [("Assisted Thing", "help"), ("Unassisted Thing", "reps"), ("Copenhagen Planks", "time")],
)
def test_a_name_proposes_what_is_counted(page, name, counts):
    form = page.get(reverse("new-own-exercise"), {"name": name}).content.decode()
    assert f'value="{counts}" ' in re.search("<input[^>]*checked", form)[0]
    offer = page.get(reverse("exercise-suggestions"), {"q": f"{name} Zzz"}).content.decode()
    assert f'<option value="{counts}" selected>' in offer


@pytest.mark.parametrize(("name", "chosen"), [("Qqq Zzz", ["", ""]), ("Zzz Leg Band", ["Legs", "Band"])])
def test_nothing_is_chosen_that_a_name_does_not_say(page, account, name, chosen):
    form = page.get(reverse("new-own-exercise"), {"name": name}).content.decode()
    assert re.findall(r'<option value="([^"]*)" selected', form) == chosen
    refused = new(page, name="Kept", counts="time", muscle_group="").content.decode()
    assert "This field is required" in refused
    assert 'value="Kept"' in refused
    assert 'value="time" ' in re.search("<input[^>]*checked", refused)[0]
    assert '<option value="Machine" selected>' in refused
    assert owned(account) == []


def test_two_accounts_may_have_the_same_name(own, stranger):
    assert make(stranger, **FIELDS).pk != own.pk


def test_searches_that_find_nothing_offer_to_make_one(page):
    def offers(query):
        return "data-own" in page.get(reverse("exercise-suggestions"), {"q": query}).content.decode()

    assert (offers("Zercher zzz machine"), offers("bench press"), offers("")) == (True, False, False)
    shown = page.get(reverse("exercise-suggestions"), {"q": "Qqq <b>leg</b> zzz"}).content.decode()
    assert 'data-name="Qqq &lt;b&gt;leg&lt;/b&gt; zzz"' in shown
    assert '<option value="Legs" selected>' in shown
    assert "Make “Qqq zzz” an exercise of your own" in text(page.get(reverse("exercises"), {"q": "Qqq zzz"}))


@pytest.fixture
def trained(api, own):
    """An account that has done its own exercise, and plans it."""
    for day, weight in ((2, 100), (4, 110)):
        body = a_workout(a_set(weight), exercise_id=own.pk, started_at=f"2026-03-0{day}T10:00:00Z")
        assert api.post("/workouts", body).status_code == 201
    assert api.post("/routines", {"name": "A", "exercises": [planned(own.pk)]}).status_code == 201
    assert api.post("/plans", {"name": "B", "days": week(planned(own.pk))}).status_code == 201
    return own


def test_workouts_records_history_and_progress_have_it(api, page, trained):
    entry = api.get("/workouts").json()["workouts"][0]["exercises"][0]
    assert (entry["exercise_id"], entry["name"]) == (trained.pk, NAME)
    (record,) = api.get("/stats/records").json()["records"]
    assert (record["exercise_id"], record["weight_kg"]) == (trained.pk, 110)
    history = api.get(f"/exercises/{trained.pk}/history").json()
    assert history["exercise"] == {"id": trained.pk, "name": NAME}
    assert len(history["sessions"]) == 2
    for name in ("exercises", "progress", "records", "workouts", "home"):
        assert NAME in text(page.get(reverse(name))), name
    assert NAME in text(page.get(reverse("workouts"), {"q": "pendulum"}))
    assert page.post(reverse("pin-lift", args=[trained.pk])).status_code == 302
    assert NAME in text(page.get(reverse("progress")))


def test_the_tools_have_it(account, trained):
    tools = ToolClient(account.issue_key("tools", "read_write", "never")[0])
    (found,) = tools.get("search_exercises", query="pendulum thing")["exercises"]
    assert found["id"] == trained.pk
    assert tools.get("get_exercise_history", exercise_id=trained.pk)["exercise"]["name"] == NAME


def test_train_has_it(page, account, own):
    assert page.get(reverse("exercise-context", args=[own.pk])).json()["name"] == NAME
    start(page, exercise=own.pk)
    draft = read(page)
    assert draft["exercises"][own.pk]["name"] == NAME
    document = tick(draft["draft"]["document"], 0)
    document["exercises"][0]["sets"][0] |= {"weight_kg": 50, "reps": 5}
    assert finish(page, document).status_code == 200
    assert account.workout_exercises.get().exercise_id == own.pk


def test_rules_move_its_targets(api, trained):
    (plan,) = api.get("/plans").json()["plans"]
    rule = {"weekday": 1, "position": 0, "exercise_id": trained.pk, "kind": "linear", "increment_kg": 2.5}
    answer = api.put(f"/plans/{plan['id']}/progression", {"rules": [rule]})
    assert answer.status_code == 200, answer.content
    assert answer.json()["rules"][0]["exercise_id"] == trained.pk


def test_a_write_takes_no_statement_more_than_one_of_the_catalogue(api, own):
    def counted(exercise_id):
        body = a_workout(a_set(), exercise_id=exercise_id)
        api.post("/workouts", body)
        with statements() as executed:
            api.post("/workouts", body)
        return len(executed)

    assert counted(own.pk) == counted(BENCH)


def test_an_edit_is_followed(api, page, account, trained):
    edited = {"name": "Pendulum Squat (new)", "muscle_group": "Full body", "equipment": "Cable"}
    assert page.post(reverse("edit-own-exercise", args=[trained.pk]), edited).status_code == 302
    refresh_from_catalogue()
    shown = {"exercise_id": trained.pk, **edited}
    assert api.get("/routines").json()["routines"][0]["exercises"][0].items() >= shown.items()
    entry = api.get("/workouts").json()["workouts"][0]["exercises"][0]
    assert (entry["name"], entry["muscle_group"]) == (edited["name"], "Full body")
    address = reverse("edit-own-exercise", args=[trained.pk])
    assert page.post(address, edited).status_code == 302  # its own name is not taken
    taken = page.post(address, {**edited, "name": "Plank"})
    assert "The catalogue has this exercise already" in text(taken)


def test_one_that_nothing_uses_is_deleted_with_what_describes_it(page, account, own):
    account.exercise_pins.create(exercise=own)
    assert "Delete" in text(page.get(reverse("delete-own-exercise", args=[own.pk])))
    page.post(reverse("delete-own-exercise", args=[own.pk]))
    assert (owned(account), account.exercise_pins.count()) == ([], 0)
    assert page.get(reverse("exercise", args=[own.pk])).status_code == 404


@pytest.mark.parametrize("path", ["/workouts", "/routines", "/plans"])
def test_one_that_is_used_is_retired_instead(page, api, account, own, path):
    bodies = {
        "/workouts": a_workout(a_set(), exercise_id=own.pk),
        "/routines": {"name": "A", "exercises": [planned(own.pk)]},
        "/plans": {"name": "B", "days": week(planned(own.pk))},
    }
    assert api.post(path, bodies[path]).status_code == 201
    response = page.post(reverse("delete-own-exercise", args=[own.pk]), follow=True)
    assert "Retire it instead" in text(response)
    page.post(reverse("retire-own-exercise", args=[own.pk]))
    assert api.get("/exercises", q="pendulum thing").json()["exercises"] == []
    assert api.get(f"/exercises/{own.pk}").status_code == 200
    page.post(reverse("retire-own-exercise", args=[own.pk]), {"back": "yes"})
    assert len(api.get("/exercises", q="pendulum thing").json()["exercises"]) == 1


def test_its_owner_merges_it_into_the_catalogue_which_learns_nothing(page, api, account, trained):
    account.exercise_pins.create(exercise=trained)
    before = Exercise.objects.values().get(pk=SQUAT)
    shown = text(page.get(reverse("same-exercise", args=[trained.pk]), {"q": "barbell back squat"}))
    assert "Barbell Back Squat" in shown
    address = reverse("merge-own-exercise", args=[trained.pk, SQUAT])
    assert "Merge “\u2068Pendulum Thing\u2069”" in text(page.get(address))
    assert page.post(address).status_code == 302
    refresh_from_catalogue()
    assert Exercise.objects.values().get(pk=SQUAT) == before
    assert api.get("/workouts").json()["workouts"][0]["exercises"][0]["exercise_id"] == SQUAT
    assert api.get(f"/exercises/{trained.pk}").json()["id"] == SQUAT
    assert api.post("/workouts", a_workout(a_set(), exercise_id=trained.pk)).status_code == 201
    assert account.exercise_pins.get().exercise_id == SQUAT
    assert not CatalogueChange.objects.filter(not_before=None).exists()
    assert page.get(reverse("edit-own-exercise", args=[trained.pk])).status_code == 404


def test_the_shipped_catalogue_leaves_it_alone(own, account):
    before = Exercise.objects.of_everyone().values().get(pk=own.pk)
    Exercise.objects.of_everyone().filter(pk=own.pk).update(name="Plank")  # as a later catalogue may have it
    call_command("load_catalogue")
    after = Exercise.objects.of_everyone().values().get(pk=own.pk)
    folded = {"name_folded": "", "names_folded": ""}
    assert {**after, "name": NAME, **folded} == {**before, **folded}


def addresses_of(exercise_id):
    names = ("exercise", "workout-entry", "planned-entry", "exercise-context")
    return [reverse(name, args=[exercise_id]) for name in names]


def test_strangers_find_nothing_of_it(own, stranger, stranger_api):
    page = freshly_signed_in(stranger)
    assert {page.get(address).status_code for address in addresses_of(own.pk)} == {404}
    for name in ("edit", "delete", "retire", "offer"):
        assert page.post(reverse(f"{name}-own-exercise", args=[own.pk]), FIELDS).status_code == 404
    for name in ("pin-lift", "unpin-lift"):
        assert page.post(reverse(name, args=[own.pk])).status_code == 404
    theirs = make(stranger, "Their Thing", "Legs", "Machine")
    assert page.post(reverse("merge-own-exercise", args=[theirs.pk, own.pk])).status_code == 404
    assert page.get(reverse("same-exercise", args=[own.pk])).status_code == 404
    searches = reverse("exercises"), reverse("exercise-suggestions")
    shown = [page.get(address, {"q": "pendulum thing"}) for address in searches]
    assert not any(own.pk in one.content.decode() for one in shown)
    assert own.pk not in page.get(reverse("export")).getvalue().decode()
    assert Exercise.objects.owned_by(own.owner).get(pk=own.pk).retired_at is None


def test_what_somebody_else_has_made_changes_no_search(api, stranger):
    """Where a name has all words, names and aliases together count no more: not for others."""
    query = {"q": "bench press smith", "limit": 100}
    before = api.get("/exercises", **query).content
    make(stranger, "Bench Press Smith Zzz", "Chest", "Machine")
    assert api.get("/exercises", **query).content == before
    wrong = {"name": "A", "exercises": [planned("bench-press-smith-zzz")]}
    assert "own-" not in api.post("/routines", wrong).content.decode()


def test_it_goes_with_the_account(page, account, trained, stranger, monkeypatch):
    theirs = make(stranger, **FIELDS)
    page.post(reverse("offer-own-exercise", args=[trained.pk]))
    trained.name = "Renamed"
    trained.save()  # which leaves a change to follow
    monkeypatch.setattr(account_data, "BATCH", 2)
    account_data.delete(account)
    work()
    assert list(Exercise.objects.of_everyone().exclude(owner=None)) == [theirs]
    assert not Account.objects.deleted().filter(pk=account.pk).exists()


def test_staff_see_numbers_and_what_is_offered(admin_page, page, own, account):
    make(account, "Secret Thing", "Legs", "Machine")
    offers = reverse("admin:training_exercise_offers")
    assert "Their own exercises: 2" in text(admin_page.get(offers))
    changelist = reverse("admin:training_exercise_changelist")
    for address in (offers, f"{changelist}?q=thing", changelist):
        assert own.pk not in admin_page.get(address).content.decode()
        assert "Secret" not in text(admin_page.get(address))
    assert admin_page.get(reverse("admin:training_exercise_change", args=[own.pk])).status_code == 302
    page.post(reverse("offer-own-exercise", args=[own.pk]))
    shown = text(admin_page.get(offers))
    assert (NAME in shown, "Secret" in shown) == (True, False)
    page.post(reverse("offer-own-exercise", args=[own.pk]), {"back": "yes"})
    assert NAME not in text(admin_page.get(offers))
    take = reverse("admin:training_exercise_take", args=[own.pk])
    assert admin_page.get(take).status_code == 404


@pytest.mark.parametrize("new_id", ["", "pendulum-thing"])
def test_staff_take_what_is_offered(admin_page, page, api, stranger_api, trained, new_id):
    page.post(reverse("offer-own-exercise", args=[trained.pk]))
    choice = {"new_id": new_id} if new_id else {"kept": SQUAT}
    take = reverse("admin:training_exercise_take", args=[trained.pk])
    seen = re.search('name="seen" value="([^"]*)"', admin_page.get(take).content.decode())[1]
    assert admin_page.post(take, {**choice, "seen": seen}).status_code == 302
    refresh_from_catalogue()
    kept = new_id or SQUAT
    assert api.get("/workouts").json()["workouts"][0]["exercises"][0]["exercise_id"] == kept
    (found,) = stranger_api.get("/exercises", q=NAME).json()["exercises"]
    assert found["id"] == kept
    assert stranger_api.get(f"/exercises/{trained.pk}").status_code == 404
    assert api.get(f"/exercises/{trained.pk}").json()["id"] == kept


def test_staff_see_and_take_what_is_counted(admin_page, page, account):
    own = make(account, **FIELDS, is_assisted=True, measure="time")
    page.post(reverse("offer-own-exercise", args=[own.pk]))
    take = reverse("admin:training_exercise_take", args=[own.pk])
    assert "weight is help, measured by time" in text(admin_page.get(take))
    stale = {"new_id": "pendulum-thing", "seen": ", ".join(FIELDS.values())}
    assert "Its owner has changed it" in text(admin_page.post(take, stale))
    admin_page.post(take, {**stale, "seen": f"{stale['seen']}, weight is help, measured by time"})
    taken = Exercise.objects.get(pk="pendulum-thing")
    assert (taken.is_assisted, "time" in taken.measures) == (True, True)


@pytest.mark.parametrize(
    "choice", [{}, {"kept": BENCH, "new_id": "x"}, {"new_id": BENCH}, {"new_id": "Upper"}, {"kept": "no"}]
)
def test_a_choice_of_staff_that_is_refused(admin_page, page, own, choice):
    page.post(reverse("offer-own-exercise", args=[own.pk]))
    take = reverse("admin:training_exercise_take", args=[own.pk])
    seen = {"seen": ", ".join(FIELDS.values())}
    assert "errorlist" in admin_page.post(take, {**choice, **seen}).content.decode()
    assert Exercise.objects.of_everyone().get(pk=own.pk).merged_into is None
