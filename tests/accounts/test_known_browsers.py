"""A mail reports a sign-in with a browser that was not used for the account before."""

from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import Account
from tests.accounts import people
from tests.accounts.people import NEW_PASSWORD, sign_up
from tests.factories import PASSWORD

NOTICE = "A new sign-in"


def sign_in(client, account, password=PASSWORD):
    assert people.sign_in(client, password, account.email).status_code == 302


def sign_out(client):
    client.post(reverse("sign-out"))


def test_a_sign_in_with_another_browser_is_told(account, mails):
    sign_in(Client(), account)
    assert mails() == []
    sign_in(Client(headers={"User-Agent": "X Firefox/140.0 Android"}, REMOTE_ADDR="192.0.2.9"), account)
    assert mails() == [(account.email, NOTICE)]
    assert "Firefox on Android, at 192.0.2.9" in mail.outbox[0].body


def test_a_browser_is_known_after_a_sign_out(client, account, mails):
    for _ in range(2):
        sign_in(client, account)
        sign_out(client)
    assert mails() == []


def test_a_browser_is_known_to_all_who_use_it(client, account, stranger, mails):
    for other in (account, stranger):
        sign_in(Client(), other)
    for other in (account, stranger, account, stranger):
        sign_in(client, other)
        sign_out(client)
    assert mails() == [(account.email, NOTICE), (stranger.email, NOTICE)]


def test_a_mark_of_somebody_else_is_no_use(client, account, stranger, mails):
    sign_in(client, stranger)
    sign_in(Client(), account)
    thief = Client()
    thief.cookies[settings.BROWSER_COOKIE_NAME] = client.cookies[settings.BROWSER_COOKIE_NAME].value
    sign_in(thief, account)
    assert mails() == [(account.email, NOTICE)]


def test_who_has_just_signed_up_is_not_told(client, db, mails):
    sign_up(client)
    sign_in(client, Account.objects.get(), NEW_PASSWORD)
    assert NOTICE not in dict(mails()).values()


def test_the_cookie_is_no_script_s_business(client, account):
    sign_in(client, account)
    cookie = client.cookies[settings.BROWSER_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert str(account.pk) not in cookie.value


def test_no_browser_is_known_after_a_new_password(client, account, mails):
    sign_in(client, account)
    sign_out(client)
    account.set_password(NEW_PASSWORD)
    account.save()
    sign_in(client, account, NEW_PASSWORD)
    assert mails() == [(account.email, NOTICE)]


def test_an_email_that_is_not_confirmed_gets_no_notice(account, mails):
    Account.objects.update(email_confirmed_at=None)
    for _ in range(2):
        sign_in(Client(), account)
    assert mails() == []
