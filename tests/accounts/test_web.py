import datetime
import re

import pytest
from django.core.cache import caches
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account, ApiKey
from accounts.sessions import Session
from accounts.sign_in_limits import MAX_FAILURES
from fitness.web.errors import render_error
from tests.accounts.patterns import KEY
from tests.accounts.people import NEW, NEW_PASSWORD, NEWCOMER, create_key, sign_in, sign_up
from tests.conftest import ApiClient
from tests.html import MARKUP, holds_markup_as_text, signed_in, text
from tests.pages import save_settings
from tests.scriptless import Scriptless

# --- Visitors ----------------------------------------------------------------------------------


def test_a_visitor_is_offered_an_account_and_the_docs(client, db):
    page = text(client.get("/"))
    assert reverse("sign-up") in page
    assert reverse("sign-in") in page
    assert reverse("docs") in page


def test_the_docs_are_open_and_read_the_description(client, db):
    page = text(client.get("/docs"))
    assert 'data-description="/api/v1/openapi.json"' in page


def test_an_unknown_address_is_a_404_screen(client, db):
    response = client.get("/nothing")
    assert response.status_code == 404
    assert "There is nothing at this address" in text(response)


@pytest.mark.parametrize("status", [400, 403, 404, 500, 503])
def test_error_screens_need_no_database(rf, status):
    assert render_error(rf.get("/"), status).status_code == status


def test_a_database_that_is_down_is_a_503_screen(page):
    def fails(*args):
        raise OperationalError("gone")

    page.raise_request_exception = False
    with connection.execute_wrapper(fails):
        response = page.get(reverse("profile"))
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "5"
    assert "back in a moment" in text(response)


def test_no_screen_has_inline_script_or_style(page):
    for name in ["home", "docs", "profile", "developer", "account"]:
        html = text(page.get(reverse(name)))
        assert "<style" not in html
        assert " style=" not in html
        assert not re.search(r" on\w+=", html)
        assert "<script>" not in html


# --- Signing up, in and out ----------------------------------------------------------------------


def test_signing_up_creates_an_account_and_signs_in(client, db):
    assert sign_up(client).headers["Location"] == reverse("home")
    assert signed_in(client)
    assert Account.objects.get(email="new@example.org").check_password(NEW_PASSWORD)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"email": "LIFTER@example.org"}, "There is an account with this email."),
        ({"email": "nonsense"}, "Enter a valid email address."),
        ({"password1": "12345678", "password2": "12345678"}, "too common"),
        ({"password2": "another"}, "The two password fields"),
        ({"display_name": "x" * 201}, "at most 200 characters"),
    ],
)
def test_sign_up_shows_errors_beside_the_field_and_keeps_what_was_typed(client, account, change, complaint):
    page = text(sign_up(client, **change))
    assert complaint in page.replace("&#x27;", "'")
    assert {**NEWCOMER, **change}["email"] in page
    assert Account.objects.count() == 1


def test_signing_in_ignores_the_case_of_the_email(client, account):
    assert sign_in(client, email="Lifter@Example.ORG").headers["Location"] == reverse("home")


def test_a_wrong_password_keeps_the_email(client, account):
    page = text(sign_in(client, "wrong"))
    assert "No account has this email and password." in page
    assert 'value="lifter@example.org"' in page


def test_a_closed_account_cannot_sign_in(client, account):
    Account.objects.update(is_active=False)
    sign_in(client)
    assert not signed_in(client)


def test_sign_in_locks_after_five_failures(client, account):
    for _ in range(MAX_FAILURES):
        sign_in(client, "wrong")
    assert "Too many failed attempts" in text(sign_in(client))
    assert not signed_in(client)


def test_a_lock_of_a_clock_that_was_ahead_ends_when_the_clock_is_set_back(client, account, time_machine):
    time_machine.move_to("2026-03-03T12:00:00Z", tick=False)
    for _ in range(MAX_FAILURES + 1):
        sign_in(client, "wrong")
    sign_in(client)
    assert not signed_in(client)
    time_machine.move_to("2026-03-02T12:00:00Z", tick=False)
    sign_in(client)
    assert signed_in(client)


def test_only_the_email_and_address_that_failed_are_locked(client, account, stranger):
    for _ in range(MAX_FAILURES + 1):
        sign_in(client, "wrong")
    sign_in(other := Client(REMOTE_ADDR="192.0.2.7"))
    sign_in(client, email=stranger.email)
    assert signed_in(other)
    assert signed_in(client)


def test_signing_in_forgets_earlier_failures(client, account):
    for _ in range(2):
        for _ in range(MAX_FAILURES - 1):
            sign_in(Client(), "wrong")
        sign_in(client)
        assert signed_in(client)
        client.logout()


def test_sign_in_redirects_to_next_on_this_site(client, account):
    assert sign_in(client, next="/settings/developer").headers["Location"] == "/settings/developer"


def test_signing_out_ends_the_session(page):
    cookie = page.cookies["session"].value
    assert page.post(reverse("sign-out")).headers["Location"] == reverse("sign-in")
    page.cookies["session"] = cookie
    assert page.get(reverse("profile")).status_code == 302


def test_each_page_has_a_button_to_sign_out(page):
    browser = Scriptless(page).goto(reverse("home"))
    browser.press("Sign out")
    assert not signed_in(page)
    assert browser.address == reverse("sign-in")


def test_a_link_cannot_sign_anyone_out(page):
    assert page.get(reverse("sign-out")).status_code == 405
    assert signed_in(page)


@pytest.mark.parametrize("name", ["sign-in", "sign-up", "sign-out", "profile", "account", "developer"])
def test_every_form_rejects_a_request_without_csrf_token(account, name):
    client = Client(enforce_csrf_checks=True)
    client.force_login(account)
    response = client.post(reverse(name), {"name": "x"})
    assert response.status_code == 403
    assert "This form has expired" in text(response)


# --- Settings ------------------------------------------------------------------------------------


def test_the_profile_is_saved(page, account):
    chosen = {
        "display_name": "Ada",
        "height_cm": "172.5",
        "birth_date": "1990-02-28",
        "gender": "",
        "goal": "cut",
    }
    save_settings(page, **chosen)
    account.refresh_from_db()
    assert (account.display_name, account.height_cm, account.gender) == ("Ada", 172.5, None)
    assert (account.birth_date, account.goal) == (datetime.date(1990, 2, 28), "cut")


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("height_cm", "12", "greater than or equal to 30"),
        ("height_cm", "nan", "Enter a number."),
        ("birth_date", "2190-01-01", "must be in the past"),
        ("gender", "robot", "Select a valid choice."),
        ("goal", "", "This field is required."),
        ("display_name", "nul\0", "Null characters are not allowed."),
    ],
)
def test_the_profile_shows_errors_beside_the_field(page, account, field, value, complaint):
    form = {"display_name": "typed", "goal": "cut", field: value}
    html = text(page.post(reverse("profile"), form))
    assert complaint in html
    assert form["display_name"] in html
    assert Account.objects.get().display_name == "Lifter"


def test_a_new_password_needs_the_old_one(page, account):
    assert "entered incorrectly" in text(page.post(reverse("account"), {"old_password": "wrong", **NEW}))
    assert Account.objects.get().check_password("correct horse")


# --- Developer -----------------------------------------------------------------------------------


def test_a_new_key_works_and_is_shown_with_its_snippets(page, settings):
    settings.PUBLIC_URL = "https://fit.example.org"
    html = text(create_key(page))
    key = KEY.search(html).group()
    assert ApiClient(key).get("/workouts").status_code == 200
    assert "curl https://fit.example.org/api/v1/workouts" in html
    assert '"url": "https://fit.example.org/mcp"' in html
    assert html.count(key) == 7  # itself and six snippets


def test_a_new_key_has_the_chosen_scope_and_expiry(page, account):
    create_key(page, scope="read_write", expires="never")
    record = account.api_keys.get()
    assert record.may_write
    assert record.expires_at is None


def test_the_form_proposes_read_only_for_90_days(page):
    html = text(page.get(reverse("developer")))
    assert re.findall(r'value="(\w+)"[^>]* checked', html) == ["read", "90d"]


def test_a_key_is_shown_once_and_is_in_no_session_and_no_message(page):
    response = create_key(page)
    key = KEY.search(text(response)).group()
    assert "no-store" in response.headers["Cache-Control"]
    assert not KEY.search(text(page.get(reverse("developer"))))
    assert all(key not in str(session.get_decoded()) for session in Session.objects.all())
    assert key not in str(response.cookies)
    assert key not in str(page.cookies)
    assert not list(response.context["messages"])


def test_one_form_creates_one_key(page, account):
    create_key(page)
    again = create_key(page)
    assert again.headers["Location"] == reverse("developer")
    assert "already made its key" in text(page.get(reverse("developer")))
    assert account.api_keys.count() == 1


def test_the_next_form_creates_the_next_key(page, account):
    create_key(page)
    create_key(page, newest_key=page.get(reverse("developer")).context["form"]["newest_key"].value())
    assert account.api_keys.count() == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", ""), ("name", "x" * 201), ("scope", "admin"), ("expires", "10y"), ("newest_key", "x")],
)
def test_invalid_values_create_no_key(page, account, field, value):
    response = create_key(page, **{field: value})
    assert response.context["form"].errors[field]
    assert not account.api_keys.exists()


def test_the_eleventh_key_is_an_error_of_the_form(page, account):
    for number in range(10):
        _, newest = account.issue_key(f"key {number}", "read", "never")
    html = text(create_key(page, name="one too many", newest_key=newest.pk))
    assert "10 of 10 active" in html
    assert "An account can hold 10 active keys." in html
    assert 'value="one too many"' in html


@pytest.mark.parametrize(
    ("record", "badge"),
    [
        ({}, "Active"),
        ({"expires_at": datetime.timedelta(days=3)}, "Expires in 3 days"),
        ({"expires_at": datetime.timedelta(hours=5)}, "Expires in 1 day"),
        ({"expires_at": datetime.timedelta(days=-1)}, "Expired"),
        ({"revoked_at": datetime.timedelta()}, "Revoked"),
    ],
)
def test_each_key_shows_its_state(page, account, record, badge):
    account.issue_key("phone", "read", "never")
    ApiKey.objects.update(**{field: timezone.now() + shift for field, shift in record.items()})
    assert f">{badge}</span>" in text(page.get(reverse("developer")))


def test_a_revocation_names_the_key_and_asks_first(page, account):
    key, record = account.issue_key("phone", "read", "never")
    assert "Revoke “phone”?" in text(page.get(reverse("revoke-key", args=[record.pk])))
    assert ApiClient(key).get("/workouts").status_code == 200


def test_a_key_is_created_and_revoked_without_scripts(page, account):
    browser = Scriptless(page).goto(reverse("developer"))
    browser.press("Create key", name="phone")
    key = re.search(r'<code id="key">([^<]+)</code>', text(browser.response))[1]
    assert ApiClient(key).get("/workouts").status_code == 200
    browser.follow("I have saved the key")
    assert browser.shows("1 of 10 active")
    browser.follow("Revoke phone")
    browser.press("Revoke key")
    assert browser.shows("“phone” is revoked.")
    assert ApiClient(key).get("/workouts").status_code == 401


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_strangers_key_does_not_exist(page, stranger, method):
    key, record = stranger.issue_key("theirs", "read", "never")
    answer = getattr(page, method)(reverse("revoke-key", args=[record.pk]))
    nothing = getattr(page, method)(reverse("revoke-key", args=[2**70]))
    assert answer.status_code == nothing.status_code == 404
    assert ApiClient(key).get("/workouts").status_code == 200
    assert "theirs" not in text(page.get(reverse("developer")))


def test_markup_in_names_is_inert(page, account):
    Account.objects.update(display_name=MARKUP)
    _, record = account.issue_key(MARKUP, "read", "never")
    for address in ["/", reverse("profile"), reverse("developer"), reverse("revoke-key", args=[record.pk])]:
        assert holds_markup_as_text(text(page.get(address)))
    assert "<script>alert" not in text(create_key(page, name=MARKUP, newest_key=record.pk))


# --- The log -------------------------------------------------------------------------------------


def test_sign_ins_and_created_and_revoked_keys_are_logged(client, account, caplog):
    caplog.set_level("INFO", "fitness.audit")
    sign_in(client)
    create_key(client)
    client.post(reverse("revoke-key", args=[account.api_keys.get().pk]))
    caches["counters"].clear()
    for _ in range(MAX_FAILURES + 3):
        sign_in(Client(), "wrong")
    failed = [record for record in caplog.records if record.getMessage() == "sign-in failed"]
    assert [record.address for record in failed] == ["127.0.0.1"] * (MAX_FAILURES + 3)
    events = [(record.message, record.account) for record in caplog.records if record.name == "fitness.audit"]
    assert events == [
        (event, str(account.pk)) for event in ("signed in", "key created", "key revoked", "sign-in locked")
    ]


def test_a_key_needs_a_fresh_sign_in(client, account):
    client.force_login(account)
    assert "Your password is asked for first" in text(client.get(reverse("developer"))).replace(
        "so your", "Your"
    )
    assert create_key(client).url.startswith(reverse("confirm-password"))
    assert not account.api_keys.exists()


def test_a_name_of_a_key_is_one_line(page, account):
    assert "A name is one line." in text(create_key(page, name="x\n\nYou have won"))
    assert not account.api_keys.exists()
