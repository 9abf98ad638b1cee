"""The admin of workouts and the other data of accounts; that of keys is in tests/accounts/test_admin.py."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import audit
from accounts.audit import AuditEvent, Event
from accounts.models import Account
from tests.conftest import a_set
from tests.html import MARKUP, holds_markup_as_text, text
from training.models import Exercise, Plan
from training.models.catalogue_refresh import refresh_from_catalogue

READ_ONLY = {
    "training": ["workout", "routine", "plan"],
    "body": ["weightlog", "measurement", "goal"],
    "nutrition": ["nutritionday", "food", "nutritiontargets"],
    "supplements": ["supplementlog", "supplement"],
    "accounts": ["auditevent"],
}
MODELS = [f"{app}_{model}" for app, models in READ_ONLY.items() for model in models]
REST = {"label": MARKUP, "focus": MARKUP, "rest": True, "exercises": []}
ENTRY = {
    "exercise_id": "barbell-bench-press",
    "name": MARKUP,
    "muscle_group": "Chest",
    "equipment": "Barbell",
    "sets": 3,
    "reps": 8,
    "weight_kg": 80,
    "note": MARKUP,
}


@pytest.fixture
def hostile(account, log_workout):
    """An account with markup in every text."""
    Account.objects.update(display_name=MARKUP)
    account.issue_key(MARKUP, "read", "never")
    days = [{"weekday": weekday, **REST} for weekday in range(1, 8)]
    plan = {"name": MARKUP, "summary": MARKUP, "progression": MARKUP, "days": days}
    plan = Plan.objects.create_for(account, plan)
    log_workout(a_set(), title=MARKUP, notes=MARKUP, plan_id=str(plan.pk))
    account.routines.create(name=MARKUP, focus=MARKUP, exercises=[ENTRY])
    account.weight_logs.create(weight_kg=80, notes=MARKUP)
    account.measurements.create(waist_cm=80)
    account.goals.create(target_weight_kg=70, created_at=timezone.now())
    account.foods.create(name=MARKUP, calories=1).tick("2026-03-02")
    account.nutrition_targets.create(calories=2600)
    account.supplements.create(name=MARKUP, dosage=MARKUP, time="08:00").tick("2026-03-02", timezone.now())
    return account


def newest(model):
    return f"admin:{model}_changelist", f"admin:{model}_change"


@pytest.mark.parametrize("model", [*MODELS, "accounts_account", "accounts_apikey"])
def test_markup_is_inert_in_lists_and_details(admin_page, hostile, model):
    listed, changed = newest(model)
    answer = admin_page.get(reverse(listed), {"q": "lifter@"})
    record, *_ = answer.context["cl"].result_list
    html = text(answer) + text(admin_page.get(reverse(changed, args=[record.pk])))
    assert "<script>alert" not in html
    texts = {"training_", "accounts_apikey", "accounts_account", "nutrition_food", "supplements_"}
    if model.startswith(tuple(texts)):
        assert holds_markup_as_text(html)


@pytest.mark.parametrize("model", MODELS)
def test_the_data_of_accounts_is_read_only(admin_page, hostile, model):
    listed, changed = newest(model)
    record, *_ = admin_page.get(reverse(listed), {"q": "lifter@"}).context["cl"].result_list
    assert admin_page.get(reverse(f"admin:{model}_add")).status_code == 403
    assert admin_page.post(reverse(changed, args=[record.pk]), {"name": "x"}).status_code == 403
    delete = {"action": "delete_selected", "_selected_action": [record.pk], "post": "yes"}
    assert admin_page.post(reverse(listed), delete).status_code == 403
    assert type(record).objects.filter(pk=record.pk).exists()


def test_lists_are_named_as_people_call_them(admin_page):
    assert "Nutrition targets" in text(admin_page.get("/admin/"))
    assert "Nutrition targetss" not in text(admin_page.get("/admin/"))


def test_the_admin_is_found_without_its_slash_and_bad_ids_are_404(admin_page):
    assert admin_page.get("/admin").headers["Location"] == "/admin/"
    assert admin_page.get("/admin/r/8/1/").status_code == 404


def test_data_is_found_by_its_owner(admin_page, account, log_workout):
    log_workout(title="Leg day")
    for words, found in [("Leg", True), ("lifter@", True), ("nobody@", False)]:
        page = text(admin_page.get(reverse("admin:training_workout_changelist"), {"q": words}))
        assert ("Leg day" in page) is found


# --- The catalogue ---------------------------------------------------------------------------------


EXERCISE = {
    "muscle_group": "Full body",
    "equipment": "Bodyweight",
    "level": "expert",
    "mechanic": "compound",
    "force": "push",
    "category": "strongman",
}


def exercise_form(**fields):
    return {
        **EXERCISE,
        "id": "anvil-toss",
        "name": "Anvil Toss",
        "secondary_muscles": ["Legs", "Back"],
        "instructions": "Toss it.",
        "images": "https://example.org/1.png\r\n\r\nhttps://example.org/2.png",
        "aliases": "Smith Throw",
        **fields,
    }


def test_an_exercise_added_here_is_marked_and_returned_by_the_api(admin_page, api):
    admin_page.post(reverse("admin:training_exercise_add"), exercise_form())
    told = api.get("/exercises/anvil-toss").json()
    assert told["images"] == ["https://example.org/1.png", "https://example.org/2.png"]
    assert told["secondary_muscles"] == ["Legs", "Back"]
    assert Exercise.objects.get(pk="anvil-toss").edited


def test_a_renamed_exercise_is_renamed_in_workouts_and_keeps_its_id(admin_page, api, log_workout):
    workout = log_workout(a_set())
    address = reverse("admin:training_exercise_change", args=["barbell-bench-press"])
    saved = admin_page.post(address, exercise_form(id="another", name="Bench"), follow=True)
    assert "Workouts that follow in the background: 1." in text(saved)
    refresh_from_catalogue()
    assert api.get(f"/workouts/{workout['id']}").json()["exercises"][0]["name"] == "Bench"
    assert not Exercise.objects.filter(pk="another").exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "barbell bench press"),
        ("images", "javascript:alert(1)"),
        ("secondary_muscles", ["Ears"]),
    ],
)
def test_what_the_api_could_not_return_is_rejected(admin_page, field, value):
    answer = admin_page.post(reverse("admin:training_exercise_add"), exercise_form(**{field: value}))
    assert answer.context["adminform"].form.errors[field]


@pytest.mark.parametrize("exercise_id", ["Anvil Toss", "Anvil-Toss", "anvil.toss", "änvil-toss", "ANVIL"])
def test_an_id_is_of_lower_case_letters_digits_hyphens_and_underscores(admin_page, exercise_id):
    address = reverse("admin:training_exercise_add")
    answer = admin_page.post(address, exercise_form(id=exercise_id))
    (error,) = answer.context["adminform"].form.errors["id"]
    assert "lower-case letters from a to z, digits, hyphens and underscores" in error
    assert admin_page.post(address, exercise_form(id="anvil_toss-2")).status_code == 302


def test_what_staff_change_in_the_catalogue_is_audited(admin_page):
    admin_page.post(reverse("admin:training_exercise_add"), exercise_form())
    address = reverse("admin:training_exercise_change", args=["anvil-toss"])
    admin_page.post(address, exercise_form(name="Anvil", aliases="Smith Throw\nToss"))
    changed, added = AuditEvent.objects.order_by("-at")[:2]
    assert (added.event, added.actor_email) == (Event.EXERCISE_ADDED, "root@example.org")
    assert added.detail.startswith("anvil-toss\n")
    assert changed.detail == "anvil-toss\nname: Anvil Toss → Anvil\naliases: Smith Throw → Smith Throw, Toss"


@pytest.mark.parametrize(
    ("field", "value", "taken"),
    [
        ("aliases", "barbell-bench-presses", "Barbell Bench Press (barbell-bench-press)"),
        ("aliases", "Smith Throw\nOHP", "Barbell Overhead Press (barbell-overhead-press)"),
        ("aliases", "chin ups", "Chin-Up (chin-up)"),
        ("name", "Flat Bench Press", "Barbell Bench Press (barbell-bench-press)"),
        ("id", "skull-crushers", "EZ-Bar Skull Crusher (ez-bar-skull-crusher)"),
    ],
)
def test_a_name_that_means_another_exercise_is_rejected(admin_page, field, value, taken):
    answer = admin_page.post(reverse("admin:training_exercise_add"), exercise_form(**{field: value}))
    (error,) = answer.context["adminform"].form.errors[field]
    assert f"already means {taken}." in error


def test_an_alias_that_is_the_id_of_a_renamed_exercise_is_rejected(admin_page):
    """Imports match the first name of an exercise, which is its id."""
    Exercise.objects.create(**{**EXERCISE, "id": "moon-walk", "name": "Star Walk"})
    answer = admin_page.post(reverse("admin:training_exercise_add"), exercise_form(aliases="Moon walks"))
    (error,) = answer.context["adminform"].form.errors["aliases"]
    assert '"Moon walks" already means Star Walk (moon-walk).' in error


def test_an_exercise_keeps_its_own_names(admin_page):
    admin_page.post(reverse("admin:training_exercise_add"), exercise_form())
    address = reverse("admin:training_exercise_change", args=["anvil-toss"])
    again = exercise_form(aliases="Anvil Tosss\nSmith Throw", level="beginner")
    assert admin_page.post(address, again).status_code == 302
    assert Exercise.objects.get(pk="anvil-toss").level == "beginner"


@pytest.mark.parametrize(
    ("words", "name"), [("ohp", "Barbell Overhead Press"), ("rdl", "Barbell Romanian Deadlift")]
)
def test_staff_find_exercises_by_alias(admin_page, words, name):
    page = admin_page.get(reverse("admin:training_exercise_changelist"), {"q": words})
    assert name in {exercise.name for exercise in page.context["cl"].result_list}


def test_exercises_are_not_deleted(admin_page):
    address = reverse("admin:training_exercise_delete", args=["barbell-bench-press"])
    assert admin_page.post(address, {"post": "yes"}).status_code == 403


# --- Accounts --------------------------------------------------------------------------------------


def test_events_are_found_by_account_address_and_key(admin_page, account):
    _, record = account.issue_key("phone", "read", "never")
    audit.log_event(audit.Event.SIGNED_IN, None)
    page = text(admin_page.get(reverse("admin:accounts_auditevent_changelist"), {"q": record.hint}))
    assert "Key created" in page
    assert "1 result" in page
