"""Sessions, which name their accounts and their browsers."""

import datetime

import pytest
import time_machine
from django.contrib.auth import BACKEND_SESSION_KEY
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account
from accounts.sessions import Session
from accounts.unstored import store_uses
from tests.accounts.people import NEW, sign_in
from tests.conftest import client_of, statements
from tests.factories import PASSWORD
from tests.html import MARKUP, plain, text
from tests.scriptless import Scriptless

# --- Who is signed in -----------------------------------------------------------------------------------


def test_what_a_session_holds_decides_who_is_signed_in(page, account, stranger):
    for named in (stranger, None):
        Session.objects.update(account=named)
        assert page.get(reverse("profile")).context["user"] == account


def test_a_session_of_an_inactive_account_opens_nothing_until_it_is_active_again(page, account):
    Account.objects.update(is_active=False)
    assert not is_signed_in(page)
    Account.objects.update(is_active=True)
    assert is_signed_in(page)


def test_a_password_that_changed_behind_a_session_ends_it(page, account):
    password = account.password
    Account.objects.update(password="changed")
    assert not is_signed_in(page)
    assert not Session.objects.exists()
    Account.objects.update(password=password)
    assert not is_signed_in(page)


def test_a_session_outlives_its_secret_key_while_that_is_a_fallback(page, settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    before = page.session.session_key
    assert is_signed_in(page)
    assert page.session.session_key != before
    settings.SECRET_KEY_FALLBACKS = []
    assert is_signed_in(page)
    settings.SECRET_KEY = "a third"
    assert not is_signed_in(page)


def test_a_session_of_another_way_to_sign_in_opens_nothing(page):
    session = page.session
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.RemoteUserBackend"
    session.save()
    assert not is_signed_in(page)


def test_an_expired_session_opens_nothing(page):
    Session.objects.update(expire_date=timezone.now())
    assert not is_signed_in(page)


def test_a_page_for_visitors_reads_no_account(client, account):
    client.get(reverse("sign-in"))
    session = client.session
    session["visited"] = True
    session.save()
    client.cookies["session"] = session.session_key
    with statements() as executed:
        assert not is_signed_in(client)
    assert len(executed) == 1


# --- The list in the settings ---------------------------------------------------------------------------

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
    "Safari/537.36 Edg/140.0.0.0"
)


def signed_in(account, user_agent=FIREFOX, address="192.0.2.1"):
    client = Client(headers={"User-Agent": user_agent}, REMOTE_ADDR=address)
    assert sign_in(client, email=account.email).status_code == 302
    return client


def listed(client):
    return client.get(reverse("account")).context["sessions"]


def is_signed_in(client):
    return client.get(reverse("profile")).status_code == 200


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (IPHONE, "Safari on iPhone"),
        (EDGE, "Edge on Windows"),
        ("curl/8.14", "curl/8.14"),
        ("", "A browser without a name"),
        (MARKUP, "A browser without a name"),
        ("https://evil.example/prize now", "A browser without a name"),
    ],
)
def test_browsers_are_named(account, user_agent, name):
    (session,) = listed(signed_in(account, user_agent))
    assert session.name == name


def test_sessions_are_listed_with_what_tells_them_apart(account):
    with time_machine.travel("2026-03-02T10:00:00Z", tick=False) as now:
        phone = signed_in(account, IPHONE, "198.51.100.7")
        now.shift(3600)
        desk = signed_in(account)
        html = text(desk.get(reverse("account")))
        current, other = listed(desk)
    assert (current.name, current.address) == ("Firefox on Linux", "192.0.2.1")
    assert (other.name, other.address) == ("Safari on iPhone", "198.51.100.7")
    assert plain(html).index("This browser") < plain(html).index("Safari on iPhone")
    assert other.last_seen_at.isoformat() == "2026-03-02T10:00:00+00:00"
    assert "1\xa0hour ago" in html
    assert phone.session.session_key not in html


def test_a_session_was_last_seen_where_it_was_used_last(account):
    with time_machine.travel("2026-03-02T10:00:00Z", tick=False) as now:
        client = signed_in(account)
        now.shift(3600)
        with statements() as executed:
            client.get(reverse("profile"), REMOTE_ADDR="198.51.100.7")
        assert not any(sql.startswith("UPDATE") for sql in executed)
        store_uses()
        now.shift(60)
    session = Session.objects.get()
    assert session.last_seen_at.isoformat() == "2026-03-02T11:00:00+00:00"
    assert session.address == "198.51.100.7"


def test_one_session_is_signed_out(account):
    desk, phone = signed_in(account), signed_in(account, IPHONE)
    browser = Scriptless(desk).goto(reverse("account"))
    browser.press("Sign out Safari on iPhone")
    assert browser.shows("Signed out there.")
    assert is_signed_in(desk)
    assert not is_signed_in(phone)


def test_all_others_are_signed_out(account):
    desk, phone, tablet = (signed_in(account) for _ in range(3))
    response = desk.post(reverse("end-sessions"), follow=True)
    assert "Signed out of 2 other browsers." in text(response)
    assert is_signed_in(desk)
    assert not is_signed_in(phone)
    assert not is_signed_in(tablet)


def test_nobody_signs_others_out(page, stranger):
    theirs = signed_in(stranger)
    page.post(reverse("end-session"), {"session": listed(theirs)[0].mark})
    page.post(reverse("end-sessions"))
    assert is_signed_in(theirs)


@pytest.mark.parametrize("mark", ["", "x", "\x00", "é"])
def test_an_odd_session_ends_nothing(page, mark):
    page.post(reverse("end-session"), {"session": mark})
    assert is_signed_in(page)


def test_a_changed_password_ends_the_others_and_leaves_keys(account):
    desk, phone = signed_in(account), signed_in(account, IPHONE)
    api = client_of(account)
    before = desk.session.session_key
    response = desk.post(reverse("account"), {"old_password": PASSWORD, **NEW}, follow=True)
    assert response.redirect_chain == [(reverse("account"), 302)]
    assert "Your API key keeps working" in text(response)
    assert [session.pk for session in listed(desk)] == [desk.session.session_key] != [before]
    assert not is_signed_in(phone)
    assert api.get("/me").status_code == 200


def test_the_session_key_changes_at_the_sign_in(client, account):
    client.get(reverse("sign-in"))
    session = client.session
    session["visited"] = True
    session.save()
    client.cookies["session"] = planted = session.session_key
    sign_in(client)
    assert client.session.session_key != planted
    assert not Session.objects.filter(pk=planted).exists()


def test_a_session_of_staff_ends_after_twelve_hours(account):
    Account.objects.update(is_staff=True)
    with time_machine.travel("2026-03-02T10:00:00Z", tick=False) as now:
        client = signed_in(account)
        for hours in (6, 5):
            now.shift(hours * 3600)
            assert is_signed_in(client)
        now.shift(3601)
        assert not is_signed_in(client)


def test_a_session_that_is_used_goes_on(account):
    with time_machine.travel("2026-03-02T10:00:00Z", tick=False) as now:
        client = signed_in(account)
        for _ in range(3):
            now.shift(datetime.timedelta(days=10))
            assert is_signed_in(client)
            assert client.cookies["session"]["max-age"] == 14 * 24 * 3600
        now.shift(datetime.timedelta(days=15))
        assert not is_signed_in(client)


def test_a_session_is_stored_again_once_a_day(account):
    with time_machine.travel("2026-03-02T10:00:00Z", tick=False) as now:
        client = signed_in(account)
        now.shift(datetime.timedelta(days=1))
        stored = []
        for _ in range(2):
            with statements() as run:
                assert is_signed_in(client)
            stored.append([sql for sql in run if sql.startswith("UPDATE")])
    assert [len(updates) for updates in stored] == [1, 0]
