"""What an account's workouts take: counted with every write, and bounded by ACCOUNT_STORAGE_MB."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Account, AccountState
from tests.conftest import a_set, a_workout, problems
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.test_render_again import Lifter, render_records
from tests.training.test_web import a_form, fields_in
from training.models import Workout

FULL = (
    "Your workouts would take more than the 1 MB that an account has here. "
    "Delete some, or ask whoever runs this service for more."
)


def large(notes="x" * 5000, entries=20):
    """A workout that takes 10 KB for each of its entries."""
    entry = {"exercise_id": "plank", "notes": notes, "sets": []}
    return a_workout() | {"exercises": [entry] * entries}


@pytest.fixture
def one_megabyte(settings):
    settings.ACCOUNT_STORAGE_MB = 1


@pytest.fixture
def nearly_full(api, one_megabyte):
    """Four workouts of 210 KB each; the path of the newest."""
    return [f"/workouts/{api.post('/workouts', large()).json()['id']}" for _ in range(4)][-1]


def counters(account):
    return AccountState.objects.values_list("workout_count", "stored_bytes").get(account=account)


def truth(account):
    """The counters as the rows have them."""
    total = 0
    for workout in account.workouts.all():
        texts = [workout.title, workout.notes, workout.plan_name or ""] * 2
        for row in workout.exercises.all():
            texts += [row.notes, row.superset_id or "", row.sets] * 2 + [row.session_sets or ""]
        rows = 1 + len(workout.exercises.all())
        total += 500 * rows + len("".join(texts).encode())
    return account.workouts.count(), total


@pytest.mark.parametrize("seed", range(3))
def test_the_counters_follow_any_sequence_of_writes(api, account, seed):
    lifter = Lifter(api, seed)
    for _ in range(30):
        lifter.act()
        assert counters(account) == truth(account)
    assert api.get("/workouts/count").json() == {"count": truth(account)[0]}
    assert truth(account)[1] > 0


def test_every_text_that_somebody_sends_is_counted(api, account):
    entry = {
        "exercise_id": "plank",
        "notes": "Späte Einheit 💪",
        "superset_id": "Ä",
        "sets": [a_set(), a_set(60)],
    }
    body = a_workout(title="Müde", notes="Größer", plan_name="Plän") | {"exercises": [entry, entry]}
    before = counters(account)
    stored = api.post("/workouts", body).json()
    assert counters(account) == truth(account) != before
    for field in ("title", "notes", "plan_name"):
        before = counters(account)
        api.put(f"/workouts/{stored['id']}", {**body, field: body[field] + "ß"})
        assert counters(account) == truth(account)
        api.put(f"/workouts/{stored['id']}", body)
        assert counters(account) == before


def test_a_write_that_is_rejected_or_replayed_counts_nothing(api, account):
    for _ in range(2):
        api.call("POST", "/workouts", a_workout(), headers={"Idempotency-Key": "once"})
    api.post("/workouts", a_workout(a_set(), exercise_id="no-such-thing"))
    assert counters(account) == truth(account)
    assert counters(account)[0] == 1


def test_the_demo_is_counted_each_time_it_is_made(db):
    for days in ("30", "10"):
        call_command("seed_demo", "--days", days)
        account = Account.objects.get()
        assert counters(account) == truth(account)
        assert counters(account)[0] > 0


def test_a_replacement_counts_what_it_replaces_not_what_it_once_read(api, account, log_workout):
    stored = log_workout(a_set())
    stale = [Workout.objects.get() for _ in range(3)]
    api.put(f"/workouts/{stored['id']}", large())
    values = {name: getattr(stale[0], name) for name in Workout.WRITABLE} | {"exercises": []}
    stale[0].replace(values)
    assert counters(account) == truth(account)
    stale[1].remove()
    assert counters(account) == truth(account) == (0, 0)
    for act in (stale[2].remove, lambda: stale[2].replace(values)):
        with pytest.raises(Workout.DoesNotExist):
            act()
        assert counters(account) == (0, 0)


def test_render_records_corrects_wrong_counters(account, stranger, log_workout):
    log_workout(a_set())
    AccountState.objects.update(workout_count=7, stored_bytes=7)
    assert render_records()[-1] == "accounts: 2 changed"
    assert counters(account) == truth(account)
    assert counters(stranger) == (0, 0)
    assert render_records()[-1] == "accounts: 0 changed"


def test_an_account_that_is_full_stores_no_more_and_gets_the_reason(api, account, nearly_full):
    before = counters(account)
    assert problems(api.post("/workouts", large())) == {"body": FULL}
    assert problems(api.put(nearly_full, large(entries=50))) == {"body": FULL}
    assert counters(account) == before == truth(account)
    assert len(api.get(nearly_full).json()["exercises"]) == 20


def test_deleting_makes_room(api, nearly_full):
    assert api.post("/workouts", large()).status_code == 400
    assert api.delete(nearly_full).status_code == 204
    assert api.post("/workouts", large()).status_code == 201


def test_an_account_over_a_new_bound_may_only_shrink(api, settings, nearly_full):
    settings.ACCOUNT_STORAGE_MB = 0
    for _ in range(2):
        assert api.post("/workouts", large()).status_code == 201
    settings.ACCOUNT_STORAGE_MB = 1
    assert api.post("/workouts", a_workout()).status_code == 400
    assert api.put(nearly_full, large(entries=21)).status_code == 400
    assert api.put(nearly_full, large()).status_code == 200
    assert api.put(nearly_full, a_workout()).status_code == 200
    assert api.post("/body/weight", {"weight_kg": 80}).status_code == 201


def test_the_form_shows_the_reason_and_what_was_typed(page, account, nearly_full):
    long = {"e0-notes": "x" * 5000, "notes": "y" * 5000}
    AccountState.objects.update(stored_bytes=999_999)
    screen = page.post(reverse("log-workout"), a_form(title="Kept", **long)).content.decode()
    assert f"Nothing is saved. {FULL}" in screen
    assert fields_in(screen)["title"] == ["Kept"]
    address = reverse("edit-workout", args=[nearly_full.rpartition("/")[2]])
    shown = fields_in(page.get(address).content.decode())
    screen = page.post(address, {**shown, "title": "Longer than it was"}).content.decode()
    assert f"Nothing is saved. {FULL}" in screen
    assert account.workouts.count() == 4


def test_the_tool_returns_the_reason(api, nearly_full):
    sentence, error = ToolClient(api.key).refused("log_workout", large())
    assert FULL in sentence
    assert error["details"] == [{"path": "arguments"}]


def test_a_rejected_request_can_be_sent_again_with_its_idempotency_key(api, nearly_full):
    def send():
        return api.call("POST", "/workouts", large(), headers={"Idempotency-Key": "once"})

    assert send().status_code == 400
    api.delete(nearly_full)
    assert send().status_code == 201
