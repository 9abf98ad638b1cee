"""The deletion of an account with a long history: gone at once for everybody, its rows by the worker."""

import itertools
import json

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.core.management import call_command
from django.db import IntegrityError, connection
from django.test import Client
from django.urls import reverse

from accounts import links
from accounts.audit import AuditEvent
from accounts.invitations import Invitation
from accounts.models import Account, Task
from accounts.models.task import MAX_FAILURES
from accounts.purge import purge
from body.models import WeightLog
from fitness.days import today
from fitness.management.commands import seed_demo
from fitness.site import account_data
from fitness.site.work.worker import Worker
from tests.conftest import a_set, a_workout, client_of, freshly_signed_in
from tests.db.filling import fill
from tests.factories import PASSWORD
from tests.html import text
from tests.imports.steps import work
from training.models import Workout

pytestmark = pytest.mark.each_database

EMAIL = "veteran@example.org"
APPS = ("accounts", "training", "body", "nutrition", "supplements")


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Each transaction deletes some ten rows."""
    monkeypatch.setattr(account_data, "BATCH", 10)


@pytest.fixture
def veteran(db):
    return seed_demo.seed(EMAIL, today(), 20, PASSWORD)


def delete(account):
    return freshly_signed_in(account).post(reverse("delete-account"), {"password": PASSWORD}, follow=True)


@pytest.fixture
def half_deleted(veteran):
    """The worker has not begun yet."""
    account_data.delete(veteran)
    assert Task.objects.get().kind == Task.Kind.ACCOUNT_DELETION
    return veteran


def rows_of(account):
    """How many rows refer to an account, by the fields that do."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if field.is_relation and field.related_model is Account:
                found[f"{model.__name__}.{field.name}"] = model._base_manager.filter(
                    **{field.name: account.pk}
                ).count()
    return {name: count for name, count in found.items() if count}


def is_gone(account):
    return not rows_of(account) and not Account._base_manager.filter(pk=account.pk).exists()


def sign_in(password=PASSWORD):
    browser = Client()
    browser.post(reverse("sign-in"), {"username": EMAIL, "password": password})
    return browser


def is_signed_in(browser):
    return browser.get(reverse("profile")).status_code == 200


# --- At once ---------------------------------------------------------------------------------------


def test_the_account_is_gone_at_once(veteran, settings):
    settings.SIGN_UP = "open"
    api, browser = client_of(veteran), sign_in()
    link = links.PASSWORD.link(veteran).split("example.org")[-1].split(":8000")[-1]
    assert is_signed_in(browser)
    assert f'href="{reverse("delete-account")}"' in text(browser.get(reverse("data")))
    assert "Your account and everything in it are deleted." in text(delete(veteran))
    assert Workout.objects.filter(account=veteran.pk).exists()
    assert api.get("/workouts").status_code == 401
    assert not is_signed_in(browser)
    assert not is_signed_in(sign_in())
    assert "new_password1" not in text(Client().get(link, follow=True))
    assert list(Account.objects.all()) == []


def test_the_email_is_free_at_once(veteran, settings):
    settings.SIGN_UP = "open"
    delete(veteran)
    new = {"email": EMAIL, "password1": "blue horse 77", "password2": "blue horse 77"}
    Client().post(reverse("sign-up"), new)
    browser = sign_in("blue horse 77")
    assert is_signed_in(browser)
    newcomer = Account.objects.get(email=EMAIL)
    assert newcomer.pk != veteran.pk
    assert not newcomer.workouts.exists()
    work()
    assert is_gone(veteran)
    assert is_signed_in(browser)


def test_nothing_of_the_person_stays_in_the_row_of_the_account(half_deleted):
    (row,) = Account._base_manager.values()
    assert EMAIL not in str(row)
    assert row["email"].endswith("@deleted.invalid")
    kept = {"gender", "height_cm", "birth_date", "email_confirmed_at", "time_zone", "display_name"}
    assert {row[name] for name in kept} <= {None, ""}


def test_staff_do_not_see_the_account_any_more(admin_page, stranger, half_deleted):
    stranger.weight_logs.create(weight_kg=80)
    assert WeightLog.objects.filter(account=half_deleted.pk).exists()
    for table in ("accounts_account", "training_workout", "body_weightlog", "nutrition_nutritionday"):
        page = admin_page.get(reverse(f"admin:{table}_changelist"))
        assert EMAIL not in text(page)
        assert "deleted.invalid" not in text(page)
        owners = {getattr(row, "account_id", row.pk) for row in page.context["cl"].result_list}
        assert half_deleted.pk not in owners
    assert admin_page.get(reverse("admin:accounts_account_change", args=[half_deleted.pk])).status_code == 302
    picker = admin_page.get(reverse("admin:accounts_apikey_accounts"), {"term": "e"}).json()
    assert {row["text"] for row in picker["results"]} == {"root@example.org", stranger.email}


def test_commands_do_not_list_the_account_any_more(stranger, half_deleted, capsys):
    call_command("accounts", "--json")
    emails = [json.loads(line)["email"] for line in capsys.readouterr().out.splitlines()]
    assert emails == [stranger.email]


def test_staff_delete_an_account_just_so(admin_page, veteran):
    address = reverse("admin:accounts_account_delete", args=[veteran.pk])
    assert "with all records and keys" in text(admin_page.get(address))
    answer = admin_page.post(address, {"post": "yes"}, follow=True)
    assert "was deleted successfully" in text(answer)
    assert not Account.objects.filter(email=EMAIL).exists()
    assert AuditEvent.objects.get(event="account deleted by staff").email == EMAIL
    work()
    assert is_gone(veteran)


def test_a_member_of_staff_is_none_any_more(veteran, admin_page):
    Account.objects.filter(pk=veteran.pk).update(is_staff=True, is_superuser=True)
    veteran.refresh_from_db()
    account_data.delete(veteran)
    assert not Account._base_manager.filter(is_staff=True, email__endswith=".invalid").exists()


def test_invitations_of_the_account_name_it_no_more(admin_page, veteran, stranger):
    _, made = Invitation.objects.invite("friend@example.org", veteran)
    _, used = Invitation.objects.invite(EMAIL, stranger)
    Invitation.objects.filter(pk=used.pk).update(used_by=veteran)
    account_data.delete(veteran)
    assert list(Invitation.objects.values_list("pk", "invited_by")) == [(made.pk, None)]


# --- By the worker ---------------------------------------------------------------------------------


def test_the_worker_deletes_every_row_and_none_of_anybody_else(veteran, stranger):
    seed_demo.seed("other@example.org", today(), 20, PASSWORD)
    stranger.weight_logs.create(weight_kg=80)
    fill(APPS, veteran)
    LogEntry.objects.create(user=veteran, action_flag=1, object_repr="x")
    AuditEvent.objects.create(event="signed in", actor=veteran)
    Workout.objects.filter(account=veteran).update(plan=veteran.plans.first())
    others = [rows_of(account) for account in Account.objects.exclude(pk=veteran.pk).order_by("pk")]
    delete(veteran)
    assert rows_of(veteran)
    work()
    assert is_gone(veteran)
    assert not Task.objects.exists()
    assert [rows_of(account) for account in Account.objects.order_by("pk")] == others
    assert AuditEvent.objects.get(event="account deleted").email == EMAIL


def test_a_plan_whose_deletion_had_begun_goes_too(veteran):
    plan = veteran.plans.first()
    plan.remove()
    account_data.delete(veteran)
    work()
    assert is_gone(veteran)


def test_a_short_history_needs_no_worker(veteran, monkeypatch):
    monkeypatch.setattr(account_data, "BATCH", 10_000)
    delete(veteran)
    assert is_gone(veteran)
    assert not Task.objects.exists()


class Killed(BaseException):
    pass


class Kill:
    """A kill in front of the n-th statement."""

    def __init__(self, n):
        self.left = n

    def __call__(self, execute, sql, *rest):
        if not sql.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            self.left -= 1
            if self.left == 0:
                raise Killed
        return execute(sql, *rest)


def test_a_worker_that_is_killed_leaves_nothing_to_see_and_the_next_one_goes_on(
    veteran, stranger, monkeypatch
):
    monkeypatch.setattr(account_data, "BATCH", 100)
    client = client_of(veteran)
    account_data.delete(veteran)
    sizes = [sum(rows_of(veteran).values())]
    for n in itertools.count(1):
        try:
            with connection.execute_wrapper(Kill(n)):
                work()
        except Killed:
            sizes.append(sum(rows_of(veteran).values()))
            assert list(Account.objects.all()) == [stranger]
            assert client.get("/workouts").status_code == 401
        else:
            break
    assert n > 50
    assert sizes == sorted(sizes, reverse=True)
    assert is_gone(veteran)
    assert not Task.objects.exists()


def test_a_request_that_is_killed_deletes_nothing(veteran):
    before = rows_of(veteran)
    for n in itertools.count(1):
        try:
            with connection.execute_wrapper(Kill(n)):
                account_data.delete(veteran)
        except Killed:
            assert rows_of(veteran) == before
            assert Account.objects.get().email == EMAIL
        else:
            break
    assert n > 20
    work()
    assert is_gone(veteran)


@pytest.mark.parametrize("state", ["lost", "failed"])
def test_a_deletion_that_has_failed_or_whose_task_is_lost_goes_on_within_an_hour(half_deleted, state):
    if state == "lost":
        Task.objects.all().delete()
    else:
        Task.objects.update(failures=MAX_FAILURES)
    work()
    assert not is_gone(half_deleted)
    purge()
    work()
    assert is_gone(half_deleted)


def test_the_worker_never_deletes_an_account_that_is_not_deleted(veteran):
    before = rows_of(veteran)
    Task.objects.ask(veteran.pk, Task.Kind.ACCOUNT_DELETION)
    work()
    assert rows_of(veteran) == before


# --- At the same time ------------------------------------------------------------------------------


def test_what_a_request_stores_after_the_deletion_is_deleted_too(half_deleted):
    WeightLog.objects.create(account_id=half_deleted.pk, weight_kg=80)
    half_deleted.sessions.create(session_key="x", session_data="", expire_date="2027-01-01T00:00Z")
    work()
    assert is_gone(half_deleted)


def test_what_a_request_stores_between_search_and_deletion_is_deleted_too(half_deleted, monkeypatch):
    search = account_data.first_rows

    def and_then_store(account):
        found = search(account)
        WeightLog.objects.create(account_id=account.pk, weight_kg=80)
        return found

    monkeypatch.setattr(account_data, "BATCH", 10_000)
    monkeypatch.setattr(account_data, "first_rows", and_then_store)
    work()
    assert is_gone(half_deleted)


def test_a_row_that_is_stored_at_the_very_end_is_left_to_the_worker(veteran, monkeypatch):
    """It refers to the account, so the first attempt fails."""

    def fail(account):
        raise IntegrityError("a weight log refers to the account")

    monkeypatch.setattr(account_data, "BATCH", 10_000)
    with monkeypatch.context() as patch:
        patch.setattr(Account, "delete", fail)
        delete(veteran)
    assert not Account.objects.exists()
    work()
    assert is_gone(veteran)


@pytest.mark.parametrize("path", ["/workouts", "/body/weight"])
def test_a_request_under_way_whose_account_is_deleted_leaves_nothing(account, api, monkeypatch, path):
    """Its key was looked up before."""
    account.weight_logs.create(weight_kg=80)
    deleted = []

    def delete_first(api_key):
        if not deleted:
            deleted.append(delete(account))

    monkeypatch.setattr(account_data, "BATCH", 1)
    monkeypatch.setattr("accounts.api.authentication.store_use", delete_first)
    body = a_workout(a_set()) if path == "/workouts" else {"weight_kg": 81}
    assert api.post(path, body).status_code == (404 if path == "/workouts" else 201)
    assert deleted
    assert rows_of(account)
    work()
    assert is_gone(account)


def test_an_account_is_deleted_once(half_deleted):
    with pytest.raises(Account.DoesNotExist):
        account_data.delete(half_deleted)


def delete_and_keep(task, keep):
    account_data.delete(task.account)
    keep()
    raise AssertionError("it has gone on")


def delete_and_lock(task, keep):
    account_data.delete(task.account)
    task.account.lock()


@pytest.mark.parametrize("step", [delete_and_keep, delete_and_lock])
@pytest.mark.parametrize("is_short", [True, False])
def test_no_other_task_of_the_account_goes_on(veteran, caplog, monkeypatch, step, is_short):
    """Neither one that waits, nor one in the middle of a step."""
    monkeypatch.setattr(account_data, "BATCH", 10_000 if is_short else 10)
    for subject in ("under way", "waits"):
        Task.objects.ask(veteran.pk, Task.Kind.EXPORT, subject)
    Worker({Task.Kind.EXPORT: step}, []).take_turn()
    assert "failed" not in caplog.text
    kinds = [task.kind for task in Task.objects.all()]
    assert kinds == ([] if is_short else [Task.Kind.ACCOUNT_DELETION])
    work()
    assert is_gone(veteran)
