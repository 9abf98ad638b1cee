"""The audit trail: what its rows keep, how staff find them, and how they leave."""

import csv
import datetime

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone

from accounts import audit, purge
from accounts.audit import AuditEvent, Event
from accounts.models import Account
from fitness.web import admin
from tests.accounts.people import SET_BY_STAFF
from tests.conftest import statements
from tests.html import text
from tests.scriptless import Scriptless

LIST = reverse("admin:accounts_auditevent_changelist")
CSV = reverse("admin:accounts_auditevent_csv")


def listed(admin_page, **query):
    """The details of the events in the list that a query finds."""
    return [event.detail for event in admin_page.get(LIST, query).context["cl"].result_list]


def downloaded(admin_page, **query):
    return list(csv.DictReader(content_of(admin_page.get(CSV, query))))


def content_of(file):
    return b"".join(file).decode().splitlines()


# --- What rows keep --------------------------------------------------------------------------------


def test_an_event_keeps_the_emails_of_deleted_accounts(account, stranger):
    with audit.acting(stranger):
        audit.log_event(Event.PASSWORD_SET_BY_STAFF, account)
    account.delete()
    stranger.delete()
    event = AuditEvent.objects.get()
    assert (event.account, event.actor) == (None, None)
    assert (event.email, event.actor_email) == ("lifter@example.org", "stranger@example.org")


def test_nobody_acts_after_a_request_of_staff(account, stranger):
    with audit.acting(stranger):
        pass
    audit.log_event(Event.SIGNED_IN, account)
    assert AuditEvent.objects.get().actor is None


def test_the_owner_sees_which_key_staff_issued(page, account):
    account.issue_key("mine", "read", "never")
    assert "Issued by staff" not in text(page.get(reverse("developer")))
    account.issue_key("theirs", "read", "never", by_staff=True)
    assert text(page.get(reverse("developer"))).count("Issued by staff") == 1


def test_what_a_superuser_changes_of_an_account_is_kept(admin_page, account):
    address = reverse("admin:accounts_account_change", args=[account.pk])
    values = {"email": "new@example.org", "goal": "cut", "units": "kg", "height_cm": "180"}
    admin_page.post(address, {**values, "is_staff": "on"})
    events = AuditEvent.objects.filter(account=account).values_list("event", "detail")
    assert set(events) == {
        (Event.RIGHTS_CHANGED, "is_staff: False → True"),
        (Event.ACCOUNT_CHANGED_BY_STAFF, "email: lifter@example.org → new@example.org"),
    }
    admin_page.post(address, {**values, "height_cm": "181", "is_staff": "on"})
    newest = AuditEvent.objects.first()
    assert (newest.email, newest.detail) == ("new@example.org", "height_cm")


def test_an_account_that_staff_add_and_delete_is_found_by_its_email(admin_page):
    admin_page.post(reverse("admin:accounts_account_add"), {"email": "new@example.org", **SET_BY_STAFF})
    added = Account.objects.get(email="new@example.org")
    admin_page.post(reverse("admin:accounts_account_delete", args=[added.pk]), {"post": "yes"})
    page = text(admin_page.get(LIST, {"q": "new@example.org"}))
    assert "Account added by staff" in page
    assert "Account deleted by staff" in page
    assert "root@example.org" in page


# --- How staff find them ---------------------------------------------------------------------------


@pytest.fixture
def trail(account, stranger):
    """Events of three days, with these details."""
    first = datetime.datetime(2026, 3, 1, 23, 59, 59, tzinfo=datetime.UTC)
    for detail, days, values in [
        ("a sign-in", 0, {"account": account, "event": Event.SIGNED_IN}),
        ("a key", 1, {"account": account, "event": Event.KEY_CREATED, "key_hint": "svc_0e8f…dR19"}),
        ("another's", 2, {"account": stranger, "event": Event.SIGNED_IN, "address": "2001:db8::1"}),
    ]:
        email, at = values["account"].email, first + days * datetime.timedelta(days=1)
        AuditEvent.objects.create(**values, email=email, detail=detail, at=at)


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("lifter@example.org", ["a key", "a sign-in"]),
        ("LIFTER@", ["a key", "a sign-in"]),
        ("lift", ["a key", "a sign-in"]),
        ("example.org", []),
        ("svc_0e8f…dR19", ["a key"]),
        ("svc_0e8f", ["a key"]),
        ("2001:db8::1", ["another's"]),
        ("%", []),
    ],
)
def test_events_are_found_by_email_hint_and_address(trail, admin_page, term, found):
    assert listed(admin_page, q=term) == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"at_from": "2026-03-02"}, ["another's", "a key"]),
        ({"at_until": "2026-03-02"}, ["a key", "a sign-in"]),
        ({"at_from": "2026-03-02", "at_until": "2026-03-02"}, ["a key"]),
        ({"at_from": "2026-03-02", "event__exact": "signed in"}, ["another's"]),
        ({"at_from": "", "at_until": ""}, ["another's", "a key", "a sign-in"]),
    ],
)
def test_events_are_filtered_by_dates_and_kind(trail, admin_page, query, found):
    assert listed(admin_page, **query) == found


def test_the_filter_of_dates_keeps_the_others(trail, admin_page):
    page = text(admin_page.get(LIST, {"event__exact": "signed in", "q": "lifter@", "at_from": "2026-03-01"}))
    assert '<input type="hidden" name="event__exact" value="signed in">' in page
    assert '<input type="hidden" name="q" value="lifter@">' in page
    assert '<input type="date" name="at_from" value="2026-03-01">' in page


def test_the_form_filters_by_dates_and_leads_to_the_same_rows_as_a_file(trail, admin_page):
    browser = Scriptless(admin_page).goto(f"{LIST}?event__exact=signed+in")
    browser.press("Filter", at_from="2026-03-01", at_until="2026-03-01")
    assert browser.shows("1 audit event ")
    assert [event.detail for event in browser.response.context["cl"].result_list] == ["a sign-in"]
    browser.follow("Download CSV")
    assert [row["detail"] for row in csv.DictReader(content_of(browser.response))] == ["a sign-in"]


@pytest.mark.parametrize("day", ["yesterday", "9999-12-31", "2026-02-30"])
def test_a_date_that_is_none_is_refused(trail, admin_page, day):
    assert admin_page.get(LIST, {"at_until": day}).headers["Location"] == f"{LIST}?e=1"
    assert admin_page.get(CSV, {"at_until": day}).status_code == 400


def test_the_list_takes_few_statements_and_counts_no_more_than_it_lists(trail, admin_page, monkeypatch):
    monkeypatch.setattr(admin, "MAX_LISTED", 2)
    with statements() as run:
        page = text(admin_page.get(LIST))
    assert "2 audit events" in page
    assert len(run) <= 10
    assert not [sql for sql in run if "DISTINCT" in sql]


# --- CSV -------------------------------------------------------------------------------------------


def test_the_filtered_list_is_a_csv_file(trail, admin_page, monkeypatch):
    monkeypatch.setattr(admin, "MAX_LISTED", 1)
    monkeypatch.setattr(admin, "ROWS_AT_ONCE", 1)
    assert 'href="csv/?event__exact=signed+in"' in text(admin_page.get(LIST, {"event__exact": "signed in"}))
    rows = downloaded(admin_page, event__exact="signed in")
    assert [row["detail"] for row in rows] == ["another's", "a sign-in"]
    assert rows[0]["email"] == "stranger@example.org"
    assert rows[0]["at"] == "2026-03-03T23:59:59+00:00"
    answer = admin_page.get(CSV)
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="auditevent-')
    assert answer.streaming


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_a_formula_in_a_csv_file_is_inert(admin_page, text):
    AuditEvent.objects.create(event=Event.REFUSED, detail=text, email=text)
    cells = b"".join(admin_page.get(CSV)).decode()
    assert f"'{text}" in cells
    assert admin.cell(text) == f"'{text}"
    assert admin.cell(-1) == -1


# --- How they leave --------------------------------------------------------------------------------


def test_older_events_are_pruned_in_batches(db, monkeypatch, capsys):
    monkeypatch.setattr("accounts.management.commands.prune_audit.PAUSE_SECONDS", 0)
    monkeypatch.setattr(purge, "ROWS_AT_ONCE", 2)
    for days in (399, 401, 402, 403):
        at = timezone.now() - datetime.timedelta(days=days)
        AuditEvent.objects.create(event=Event.SIGNED_IN, at=at)
    with statements() as run:
        call_command("prune_audit", "--days", "400")
    assert capsys.readouterr().out == "3 events older than 400 days are deleted\n"
    assert AuditEvent.objects.count() == 1
    assert sum(sql.startswith("DELETE") for sql in run) == 2


@pytest.mark.parametrize("days", ["0", "-1", "999999999", "9999999999999"])
def test_days_out_of_range_are_refused(db, days):
    with pytest.raises(CommandError, match="--days"):
        call_command("prune_audit", "--days", days)
