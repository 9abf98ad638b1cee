"""The desk of staff at full size: figures, statements and times of pages, lists and files."""

import csv
import time

import pytest
from django.contrib import admin
from django.urls import reverse

import fitness.urls  # noqa: F401  (loads the pages)
from tests.conftest import statements
from tests.html import text
from tests.large.data import ACCOUNTS, FORMULA, KEY_DAYS

AUDIT = "accounts_auditevent"
# The lists of the API whose rows the account page counts, by what the page calls them.
LISTS = {
    "routines": ("/routines", "routines"),
    "plans": ("/plans", "plans"),
    "body weights": ("/body/weight", "weight"),
    "days of nutrition": ("/nutrition", "nutrition"),
    "supplements": ("/supplements", "supplements"),
    "supplements taken": ("/supplements/logs", "logs"),
}


def timed(page, address, query=None):
    """(response, seconds, number of statements) of a page that has been opened before."""
    page.get(address, query)
    with statements() as run:
        started = time.perf_counter()
        response = page.get(address, query)
        seconds = time.perf_counter() - started
    assert response.status_code == 200
    return response, seconds, len(run)


def account_page(account):
    return reverse("admin:accounts_account_change", args=[account.pk])


def changelist(model):
    return reverse(f"admin:{model}_changelist")


# --- The page of an account ------------------------------------------------------------------------


def test_the_figures_of_an_account_are_those_of_the_api(admin_page, population, longest_api):
    context = admin_page.get(account_page(population.longest)).context
    numbers = {records.name: records.number for records in context["records"]}
    assert numbers["workouts"] == longest_api.get("/workouts/count").json()["count"]
    for name, (path, rows) in LISTS.items():
        assert numbers[name] == len(longest_api.get(path, limit=100).json()[rows])
    assert numbers["body weights"] == KEY_DAYS


def test_a_long_history_costs_a_page_no_statement_more(admin_page, population, measured):
    _, seconds, many = timed(admin_page, account_page(population.longest))
    _, _, few = timed(admin_page, account_page(population.small))
    assert many == few <= 20
    measured("account page", seconds, 0.15)


# --- Lists -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", sorted(model._meta.db_table for model in admin.site._registry))
def test_lists_and_searches_take_few_statements_and_little_time(service, admin_page, measured, model):
    if model == "auth_group":
        pytest.skip("a group for each role, whatever the size")
    for name, query in (("list", {}), ("search", {"q": "lifter12"})):
        if model == "training_workout" and query:
            continue  # full text, which reads all titles and notes
        _, seconds, number = timed(admin_page, changelist(model), query)
        assert number <= 10
        measured(f"{model}, {name}", seconds, 0.3 if model == AUDIT else 0.5)


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("accounts_account", {"o": "6"}),
        ("accounts_apikey", {"state": "ending"}),
        (AUDIT, {"event__exact": "key created"}),
        (AUDIT, {"q": "203.0.113.7"}),
    ],
)
def test_what_staff_look_for_is_found_at_once(admin_page, measured, model, query):
    response, seconds, number = timed(admin_page, changelist(model), query)
    assert response.context["cl"].result_list
    assert number <= 10
    measured(f"{model}, {query}", seconds, 0.3)


def test_accounts_are_sorted_by_what_they_hold(admin_page, population):
    first = admin_page.get(changelist("accounts_account"), {"o": "6"}).context["cl"].result_list[0]
    assert first.pk in (population.longest.pk, population.second.pk)


# --- Files -----------------------------------------------------------------------------------------


def test_all_accounts_are_streamed_as_csv_without_secrets(admin_page, measured):
    started = time.perf_counter()
    response = admin_page.get(reverse("admin:accounts_account_csv"))
    assert response.streaming
    rows = list(csv.DictReader(b"".join(response).decode().splitlines()))
    measured("CSV of the accounts", time.perf_counter() - started, 2)
    assert len(rows) == ACCOUNTS + 2  # the superuser, and the account of the patterns
    assert "password" not in rows[0]
    assert {row["display_name"] for row in rows} == {f"'{FORMULA}", ""}


def test_keys_are_streamed_as_csv_without_their_digest(admin_page):
    cells = b"".join(admin_page.get(reverse("admin:accounts_apikey_csv"))).decode()
    assert f"'{FORMULA}," in cells
    assert f"{7:064x}" not in cells  # the digest of a key
    assert "digest" not in cells.partition("\n")[0]


# --- A deleted account -----------------------------------------------------------------------------


def test_the_events_of_a_deleted_account_are_found_by_its_email(admin_page, population, measured):
    address = reverse("admin:accounts_account_delete", args=[population.second.pk])
    started = time.perf_counter()
    assert admin_page.post(address, {"post": "yes"}).status_code == 302
    measured("deletion of a long history", time.perf_counter() - started, 2)
    response, seconds, number = timed(admin_page, changelist(AUDIT), {"q": population.second.email})
    newest = response.context["cl"].result_list[0]
    assert (newest.event, newest.actor_email) == ("account deleted by staff", population.staff.email)
    assert "Account deleted by staff" in text(response)
    assert number <= 10
    measured("events of a deleted account", seconds, 0.3)
