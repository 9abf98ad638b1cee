"""The account's page in the admin: facts, and what staff do from there."""

import datetime
import io
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.key_days import KeyDay
from accounts.key_use import KeyUse
from accounts.models import Account, AccountState, ApiKey, Task
from accounts.models.task import MAX_FAILURES
from accounts.unstored import store_uses
from fitness.days import today
from fitness.site.account_facts import RECORDS
from fitness.site.data import importing
from fitness.web.stale_saves import StaleSaveMixin
from tests.accounts.patterns import KEY
from tests.conftest import ApiClient, a_set, statements
from tests.factories import PASSWORD, AccountFactory
from tests.html import text
from tests.imports.steps import ANSWERS
from tests.scriptless import Scriptless

ACCOUNTS = reverse("admin:accounts_account_changelist")


def page_of(admin_page, account):
    response = admin_page.get(reverse("admin:accounts_account_change", args=[account.pk]))
    assert response.status_code == 200
    return response


def step(name, row):
    return reverse(f"admin:accounts_{row._meta.model_name}_{name}", args=[row.pk])


# --- Facts -----------------------------------------------------------------------------------------


def test_the_figures_are_those_of_the_api(admin_page, account, api, log_workout):
    log_workout(a_set())
    log_workout(a_set())
    api.post("/body/weight", {"weight_kg": 80})
    api.get("/workouts")
    api.get("/nothing")
    store_uses()
    context = page_of(admin_page, account).context
    numbers = {records.name: records.number for records in context["records"]}
    assert numbers["workouts"] == api.get("/workouts/count").json()["count"] == 2
    assert numbers["body weights"] == len(api.get("/body/weight").json()["weight"]) == 1
    assert set(numbers) == {"workouts", *RECORDS.values()}
    assert (context["use"].writes, context["use"].refusals) == (3, 0)
    (facts,) = context["keys"]
    assert facts.use.requests == context["use"].requests
    assert facts.key.last_used_at == context["last_key_use"]


def test_each_list_that_the_page_leads_to_has_the_rows_of_the_account(admin_page, account, stranger, api):
    api.post("/body/weight", {"weight_kg": 80})
    ApiClient(stranger.issue_key("phone", "read_write", "never")[0]).post("/body/weight", {"weight_kg": 90})
    context = page_of(admin_page, account).context
    for records in context["records"]:
        rows = admin_page.get(records.address).context["cl"].result_list
        assert len(rows) == records.number
    for address in (context["events_address"], context["keys_address"]):
        rows = admin_page.get(address).context["cl"].result_list
        assert {row.account_id for row in rows} == {account.pk}


def test_the_statements_do_not_grow_with_what_the_account_holds(admin_page, account, log_workout, api):
    page_of(admin_page, account)
    with statements() as few:
        page_of(admin_page, account)
    for _ in range(30):
        log_workout(a_set())
        account.weight_logs.create(weight_kg=80)
    account.issue_key("second", "read", "never")
    store_uses()
    with statements() as many:
        page_of(admin_page, account)
    assert len(many) == len(few) <= 20


def test_the_last_sign_in_and_events_are_shown(admin_page, account, page):
    Client(REMOTE_ADDR="203.0.113.7").post(
        reverse("sign-in"), {"username": account.email, "password": PASSWORD}
    )
    html = text(page_of(admin_page, account))
    assert "203.0.113.7" in html
    assert "signed in" in html


def test_support_sees_what_its_role_opens(account, api):
    account.issue_key("phone", "read", "never")
    support = AccountFactory(email="support@example.org", is_staff=True)
    support.groups.set(Group.objects.filter(name="Support"))
    browser = Client()
    browser.force_login(support)
    html = text(page_of(browser, account))
    assert "0 workouts" in html
    assert "Deactivate" in html
    for hidden in ("svc_", "Latest events", "Revoke", "Issue a key", "/admin/training/"):
        assert hidden not in html


# --- Steps -----------------------------------------------------------------------------------------


def test_deactivated_and_reactivated(admin_page, account, page, api):
    assert page.get(reverse("profile")).status_code == 200
    assert account.email in text(admin_page.get(step("deactivate", account)))
    assert Account.objects.get(pk=account.pk).is_active
    admin_page.post(step("deactivate", account))
    assert api.get("/workouts").status_code == 401
    assert page.get(reverse("profile")).status_code == 302
    admin_page.post(step("reactivate", account))
    assert api.get("/workouts").status_code == 200
    assert page.get(reverse("profile")).status_code == 302  # the session has ended for good
    kinds = list(account.audit_events.order_by("at").values_list("event", flat=True))
    assert kinds[-2:] == ["account deactivated", "account reactivated"]


def test_all_keys_of_an_account_are_revoked_at_once(admin_page, account, api):
    second = ApiClient(account.issue_key("second", "read", "never")[0])
    admin_page.post(step("revoke-keys", account))
    assert [client.get("/workouts").status_code for client in (api, second)] == [401, 401]
    assert "Revoke all keys" not in text(page_of(admin_page, account))


def test_one_key_is_revoked_from_its_row(admin_page, account, api):
    (key,) = account.api_keys.all()
    assert step("revoke", key) in page_of(admin_page, account).content.decode()
    admin_page.post(step("revoke", key))
    assert api.get("/workouts").status_code == 401


def test_a_key_is_issued_for_the_account_of_the_page(admin_page, account):
    (address,) = re.findall(
        r'href="([^"]+add/\?account=[^"]+)"', page_of(admin_page, account).content.decode()
    )
    assert admin_page.get(address).context["adminform"].form.initial["account"] == str(account.pk)


def test_steps_of_nobody_are_404(admin_page, account):
    address = step("deactivate", account).replace(str(account.pk), "00000000-0000-0000-0000-000000000000")
    assert admin_page.get(address).status_code == 404


def test_a_password_set_by_staff_lifts_the_lock(admin_page, client, account):
    wrong = {"username": account.email, "password": "wrong"}
    for _ in range(6):
        client.post(reverse("sign-in"), wrong)
    password = {"password1": "blue horse 77", "password2": "blue horse 77", "usable_password": "true"}
    admin_page.post(reverse("admin:auth_user_password_change", args=[account.pk]), password)
    right = {"username": account.email, "password": "blue horse 77"}
    assert client.post(reverse("sign-in"), right).status_code == 302


# --- Few steps: typing is free ---------------------------------------------------------------------


@pytest.fixture
def desk(admin_page):
    """A superuser who sees the index of the admin."""
    return Steps(admin_page).goto("/admin/")


class Steps(Scriptless):
    """A browser that counts the links that are followed and the buttons that are pressed."""

    count = 0

    def follow(self, name):
        super().follow(name)
        self.count += 1

    def press(self, name, /, **typed):
        super().press(name, **typed)
        self.count += 1


@pytest.fixture
def lifter(db):
    AccountFactory.create_batch(3)
    lifter = AccountFactory(email="ada.van-der-berg@example-company.org")
    lifter.issue_key("phone", "read", "never")
    lifter.issue_key("watch", "read_write", "90d")
    return lifter


def listed(desk):
    """The rows of the list that the page shows."""
    return list(desk.response.context["cl"].result_list)


def test_an_account_is_found_by_two_steps_and_gets_a_key_by_three(desk, lifter):
    desk.follow("Accounts")
    desk.press("Search", q="van-der-b")
    assert (listed(desk), desk.count) == ([lifter], 2)
    desk.follow(lifter.email)
    desk.follow("Issue a key")
    desk.press("Save", name="scale")
    assert KEY.search(text(desk.response))
    assert lifter.api_keys.filter(name="scale").exists()
    assert desk.count == 5


def test_all_keys_of_a_found_account_are_revoked_by_three_steps_with_a_question(desk, lifter):
    desk.goto(f"{ACCOUNTS}?q=van-der-b")
    desk.follow(lifter.email)
    desk.follow("Revoke all keys")
    assert desk.shows("This cannot be undone.")
    assert lifter.api_keys.active().count() == 2
    desk.press("Revoke all keys")
    assert desk.shows("All keys are revoked.")
    assert not lifter.api_keys.active().exists()
    assert desk.count == 3


def test_an_account_is_deactivated_by_two_steps(desk, lifter):
    desk.goto(reverse("admin:accounts_account_change", args=[lifter.pk]))
    desk.follow("Deactivate")
    desk.press("Deactivate")
    assert "Reactivate" in [link.name for link in desk.page.links]
    assert not Account.objects.get(pk=lifter.pk).is_active
    assert desk.count == 2


@pytest.mark.parametrize(("column", "counter"), [("Workouts", "workout_count"), ("Stored", "stored_bytes")])
def test_who_has_most_is_found_by_two_steps(desk, lifter, column, counter):
    last_by_email = AccountFactory(email="zoe@example.org")
    AccountState.objects.filter(account=last_by_email).update(**{counter: 812})
    desk.follow("Accounts")
    desk.follow(column)
    assert listed(desk)[0] == last_by_email
    assert desk.count == 2


def test_who_asks_most_today_is_found_by_one_step(desk, lifter):
    for number, key in enumerate(lifter.api_keys.all(), start=1):
        KeyDay.objects.create(
            account=lifter, api_key=key, day=today(), requests=number * 50, writes=1, refusals=0
        )
    desk.follow("Key days")
    assert [day.requests for day in listed(desk)] == [100, 50]
    assert desk.count == 1


# --- Lists -----------------------------------------------------------------------------------------


def emails(admin_page, **query):
    return [account.email for account in admin_page.get(ACCOUNTS, query).context["cl"].result_list]


def test_requests_of_30_days_are_beside_each_account(admin_page, account, stranger):
    _, key = stranger.issue_key("phone", "read", "never")
    for days, requests in ((0, 7), (29, 5), (30, 1000)):
        day = today() - datetime.timedelta(days=days)
        KeyDay.objects.create(account=stranger, api_key=key, day=day, requests=requests, writes=0, refusals=0)
    rows = admin_page.get(ACCOUNTS).context["cl"].result_list
    found = {row.email: row.requests for row in rows}
    assert (found[stranger.email], found[account.email]) == (12, 0)


def test_the_days_of_keys_are_sorted_by_requests(admin_page, account, api, reader):
    api.get("/workouts")
    api.get("/workouts")
    reader.get("/workouts")
    store_uses()
    response = admin_page.get(reverse("admin:accounts_keyday_changelist"), {"o": "-4", "q": account.email})
    assert [day.requests for day in response.context["cl"].result_list] == [2, 1]


@pytest.mark.parametrize(
    ("days", "found"), [(None, "never"), (29, None), (31, "30"), (100, "90"), (400, "365")]
)
def test_accounts_are_filtered_by_their_last_sign_in(admin_page, account, days, found):
    last_login = None if days is None else timezone.now() - datetime.timedelta(days=days)
    AccountState.objects.filter(account=account).update(last_login=last_login)
    for value in ("never", "365", "90", "30"):
        if value == found:
            assert account.email in emails(admin_page, signed_in=value)
            break
        assert account.email not in emails(admin_page, signed_in=value)


def test_keys_are_filtered_by_their_use_and_their_end(admin_page, account, stranger):
    keys = {name: account.issue_key(name, "read", "1y")[1] for name in ("used", "unused", "old", "ending")}
    keys["asleep"] = stranger.issue_key("asleep", "read", "never")[1]
    now = timezone.now()
    for name, days in (("used", 1), ("old", 91), ("ending", 1), ("asleep", 1)):
        last_used_at = now - datetime.timedelta(days=days)
        KeyUse.objects.create(account_id=keys[name].account_id, api_key=keys[name], last_used_at=last_used_at)
    ApiKey.objects.filter(name="ending").update(expires_at=now + datetime.timedelta(days=29))
    stranger.deactivate()
    for query, found in (
        ({"use": "never"}, "unused"),
        ({"use": "90"}, "old"),
        ({"use": "inactive"}, "asleep"),
        ({"state": "ending"}, "ending"),
    ):
        response = admin_page.get(reverse("admin:accounts_apikey_changelist"), query)
        assert [key.name for key in response.context["cl"].result_list] == [found]


# --- Two saves of one page -------------------------------------------------------------------------


def form_values(response):
    form = response.context["adminform"].form
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    return {name: value for name, value in values.items() if value not in (None, False, [])}


def test_the_second_of_two_saves_of_a_page_is_refused_and_shows_both(admin_page, account):
    values = form_values(page_of(admin_page, account))
    address = reverse("admin:accounts_account_change", args=[account.pk])
    assert admin_page.post(address, {**values, "display_name": "First"}).status_code == 302
    refused = admin_page.post(address, {**values, "display_name": "Second"})
    assert "stored is Display name: First." in text(refused)
    assert 'value="Second"' in text(refused)
    assert Account.objects.get(pk=account.pk).display_name == "First"
    again = {**values, "display_name": "Second", "stamp": refused.context["adminform"].form["stamp"].value()}
    assert admin_page.post(address, again).status_code == 302
    assert Account.objects.get(pk=account.pk).display_name == "Second"


def test_an_exercise_is_saved_by_one_of_two_pages(admin_page, db):
    address = reverse("admin:training_exercise_change", args=["barbell-bench-press"])
    values = form_values(admin_page.get(address))
    values |= {name: "\n".join(values[name]) for name in ("aliases", "images") if name in values}
    assert admin_page.post(address, {**values, "name": "Bench A"}).status_code == 302
    assert "Name: Bench A" in text(admin_page.post(address, {**values, "name": "Bench B"}))


STAMPED = [model for model, one in admin.site._registry.items() if isinstance(one, StaleSaveMixin)]


def page_to_save(admin_page, instance):
    """The address of an instance's page, and what a browser would post from there."""
    address = reverse(f"admin:{instance._meta.db_table}_change", args=[instance.pk])
    values = form_values(admin_page.get(address))
    values |= {name: "\n".join(values[name]) for name in ("aliases", "images") if name in values}
    return address, values


@pytest.fixture(params=STAMPED, ids=lambda model: model._meta.label)
def instance(request, transactional_db, account):
    return account if request.param is Account else request.param.objects.first()


def test_a_save_compares_the_stamp_in_the_transaction_that_stores_it(admin_page, instance):
    address, values = page_to_save(admin_page, instance)
    in_transaction = []

    def watch(execute, sql, params, many, context):
        key = instance._meta.pk.get_db_prep_value(instance.pk, connection)
        if instance._meta.db_table in sql and key in (params or ()):
            in_transaction.append(connection.in_atomic_block)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        assert admin_page.post(address, values).status_code == 302
    assert len(in_transaction) >= 2
    assert all(in_transaction)


@pytest.mark.each_database
@pytest.mark.skipif(
    settings.SQLITE or settings.CITUS, reason="waits for locks as plain PostgreSQL shows them"
)
def test_of_two_saves_of_a_page_at_once_the_second_is_refused(admin_page, instance):
    address, values = page_to_save(admin_page, instance)
    name = "display_name" if isinstance(instance, Account) else "name"

    def save(text):
        try:
            return admin_page.post(address, {**values, name: text}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            list(type(instance).objects.select_for_update(of=("self",)).filter(pk=instance.pk))
            saves = [pool.submit(save, text) for text in ("Moon Walk", "Star Walk")]
            wait_for_waiters(2)
        assert sorted(one.result() for one in saves) == [200, 302]


def wait_for_waiters(number):
    """Returns once so many transactions of the database wait for a lock of another one."""
    waiting = "datname = current_database() AND wait_event_type = 'Lock'"
    with connection.cursor() as cursor:
        for _ in range(600):
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {waiting}")
            if cursor.fetchone() == (number,):
                return
            time.sleep(0.05)
    raise AssertionError(f"there were never {number} transactions that wait")


def test_lists_are_downloaded_as_csv(admin_page, account, api):
    api.get("/workouts")
    store_uses()
    for name, expected in (
        ("account", f"{account.email},Lifter,True,False,"),
        ("apikey", f"test,{account.email},"),
        ("keyday", f",{account.email},"),
    ):
        response = admin_page.get(reverse(f"admin:accounts_{name}_csv"))
        rows = b"".join(response.streaming_content).decode()
        assert expected in rows
        assert account.password not in rows
        assert account.api_keys.get().digest not in rows


@pytest.mark.parametrize("part", ["year", "month", "day"])
@pytest.mark.parametrize("value", ["99999", "0", "-1"])
def test_a_year_that_does_not_exist_is_no_error(admin_page, part, value):
    for model in ("apikey", "invitation"):
        response = admin_page.get(f"/admin/accounts/{model}/?created_at__{part}={value}")
        assert response.status_code in (302, 400)


@pytest.mark.parametrize("field", ["groups", "user_permissions"])
def test_a_number_that_is_too_large_is_no_error(admin_page, account, field):
    address = reverse("admin:accounts_account_change", args=[account.pk])
    response = admin_page.post(address, {"email": account.email, field: "9" * 30})
    assert response.status_code in (200, 400)


# --- Tasks -----------------------------------------------------------------------------------------


def end(task):
    return f"{step('end-task', task.account)}?task={task.pk}"


@pytest.fixture
def task(account):
    Task.objects.ask(account.pk, Task.Kind.EXPORT, "x")
    return account.tasks.get()


def test_tasks_are_listed_with_progress_worker_and_problem(admin_page, account, task):
    page = text(page_of(admin_page, account))
    assert "Export" in page
    assert "none" in page
    task.hold("here:1")
    task.done, task.total = 1_500, 4_000
    task.keep()
    page = text(page_of(admin_page, account))
    assert "1,500 of 4,000" in page
    assert "here:1" in page
    for _ in range(MAX_FAILURES):
        task.stored.update(holder="here:1")
        task.fail("ValueError: no such file")
    page = text(page_of(admin_page, account))
    assert "has given up" in page
    assert "5: ValueError: no such file" in page


def test_who_has_no_task_has_no_list_of_them(admin_page, account):
    assert "Tasks" not in text(page_of(admin_page, account))


def test_a_task_is_ended_after_a_question(admin_page, account, task):
    assert end(task) in page_of(admin_page, account).content.decode()
    asked = text(admin_page.get(end(task)))
    assert "Export: The worker stops it after its current step." in asked
    assert account.email in asked
    assert account.tasks.exists()
    done = text(admin_page.post(end(task), follow=True))
    assert ": Task ended." in done
    assert not account.tasks.exists()
    event = account.audit_events.get()
    assert (event.event, event.detail, event.actor_email) == (
        "task ended by staff",
        "Export x",
        "root@example.org",
    )
    assert "There was nothing to do" in text(admin_page.post(end(task), follow=True))
    assert account.audit_events.count() == 1


def test_support_ends_tasks_but_not_those_of_staff(account, task):
    support = AccountFactory(email="support@example.org", is_staff=True)
    support.groups.set(Group.objects.filter(name="Support"))
    browser = Client()
    browser.force_login(support)
    Task.objects.ask(support.pk, Task.Kind.EXPORT, "y")
    assert browser.post(end(support.tasks.get())).status_code == 403
    assert browser.post(end(task)).status_code == 302
    assert [left.subject for left in Task.objects.all()] == ["y"]


def test_a_task_is_not_ended_at_the_page_of_somebody_else(admin_page, stranger, task):
    admin_page.post(f"{step('end-task', stranger)}?task={task.pk}")
    assert Task.objects.exists()


def test_the_deletion_of_a_plan_comes_to_its_end(admin_page, account):
    Task.objects.ask(account.pk, Task.Kind.PLAN_DELETION, "x")
    task = account.tasks.get()
    page = page_of(admin_page, account).content.decode()
    assert "Deletion of a plan" in page
    assert end(task) not in page
    admin_page.post(end(task))
    assert account.tasks.exists()


def test_an_import_whose_task_was_ended_can_be_gone_on_with(admin_page, account, page):
    file = b"Date,Weight\n2026-02-01,80\n"
    run = importing.upload(account, io.BytesIO(file), "weights.csv", ANSWERS, len(file))
    admin_page.post(end(account.tasks.get()))
    stopped = text(page.get(reverse("import", args=[run.pk])))
    assert "Go on" in stopped
