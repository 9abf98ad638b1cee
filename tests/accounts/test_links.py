"""Links by mail: a new password, a new email, a confirmation; and attacks on them."""

import logging
import re
from io import StringIO

import pytest
import time_machine
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts import links
from accounts.audit import AuditEvent, Event
from accounts.models import Account
from fitness.api import rate_limits
from tests.accounts.people import NEW, NEW_PASSWORD, NEWCOMER, may_sign_in, sign_in, sign_up
from tests.conftest import client_of, link_in, path_of
from tests.factories import PASSWORD, AccountFactory
from tests.html import errors, signed_in, text
from tests.scriptless import Scriptless


def ask(client, email="lifter@example.org", **extra):
    return client.post(reverse("reset-password"), {"email": email}, **extra)


def events():
    return list(AuditEvent.objects.order_by("at").values_list("event", flat=True))


# --- A new password -----------------------------------------------------------------------------------


def test_a_forgotten_password_is_replaced(client, account, newest_link):
    ask(client)
    page = client.get(newest_link())
    assert account.email in text(page)
    assert page["Referrer-Policy"] == "strict-origin"  # its address has the token
    response = client.post(newest_link(), NEW, follow=True)
    assert "Your new password is set" in text(response)
    assert not signed_in(client)
    assert may_sign_in(account.email, NEW_PASSWORD)
    assert not may_sign_in(account.email, PASSWORD)
    assert events()[:2] == [Event.RESET_ASKED, Event.PASSWORD_RESET]


def test_a_forgotten_password_is_replaced_without_scripts(account, newest_link):
    browser = Scriptless().goto(reverse("sign-in"))
    browser.follow("Forgot your password?")
    browser.press("Send the link", email=account.email)
    assert browser.shows("Check your mail")
    browser.goto(newest_link())
    browser.press("Set the password", **NEW)
    assert browser.shows("Your new password is set.")
    browser.press("Sign in", username=account.email, password=NEW_PASSWORD)
    assert signed_in(browser.client)


def test_a_link_works_once_and_ends_the_others(client, account, sends_mail):
    ask(client)
    ask(client)
    first, second = map(link_in, mail.outbox)
    client.post(first, NEW)
    for response in (client.get(first), client.post(first, NEW), client.post(second, NEW)):
        assert response.status_code == 403
        assert "does not work any more" in text(response)


def test_a_sign_in_does_not_end_a_link(client, account, newest_link):
    """Else whoever has found the password out could keep its owner from setting another."""
    ask(client)
    assert may_sign_in(account.email, PASSWORD)
    assert client.get(newest_link()).status_code == 200


def test_a_link_ends_after_a_day(client, account, newest_link):
    ask(client)
    with time_machine.travel("2026-01-01T00:00:00Z", tick=False) as now:
        ask(client)
        link = newest_link()
        now.shift(24 * 3600 - 10)
        assert client.get(link).status_code == 200
        now.shift(20)
        assert client.get(link).status_code == 403


def test_a_link_opens_no_other_account(client, account, stranger, newest_link):
    ask(client)
    other = newest_link().replace(str(account.pk), str(stranger.pk))
    assert client.post(other, NEW).status_code == 403
    assert may_sign_in(stranger.email, PASSWORD)


@pytest.mark.parametrize("query", ["", "account=1&token=x", "account=&token=", "account=%00&token=%00"])
def test_a_broken_link_is_explained(client, db, query):
    for view in ("set-password", "confirm-email"):
        response = client.get(f"{reverse(view)}?{query}")
        assert response.status_code == 403
        assert "a part of it is missing" in text(response)


def test_a_link_to_confirm_an_email_sets_no_password(client, account):
    link = path_of(links.EmailTokens(account.email).link(account))
    assert client.get(link.replace("confirm-email", "set-password")).status_code == 403


def test_a_deactivated_account_gets_no_link(client, account, mails):
    account.deactivate()
    ask(client)
    assert mails() == [(account.email, "No account with this email")]


def test_a_link_ends_with_a_deactivation(client, account, newest_link):
    ask(client)
    account.deactivate()
    assert client.get(newest_link()).status_code == 403


def test_a_weak_password_is_refused(client, account, newest_link):
    ask(client)
    response = client.post(newest_link(), {"new_password1": "123", "new_password2": "123"})
    assert "too short" in errors(response)["new_password2"]


def test_a_new_password_ends_sessions_and_leaves_keys(client, page, account, newest_link):
    api = client_of(account)
    ask(client)
    response = client.post(newest_link(), NEW, follow=True)
    assert "Your API key keeps working" in text(response)
    assert page.get(reverse("profile")).status_code == 302
    assert not account.sessions.exists()
    assert api.get("/me").status_code == 200


def test_a_new_password_lifts_the_lock_of_the_sign_in(client, account, newest_link):
    for _ in range(6):
        sign_in(client, "wrong")
    ask(client)
    client.post(newest_link(), NEW)
    assert may_sign_in(account.email, NEW_PASSWORD)


# --- What strangers learn -----------------------------------------------------------------------------


def test_the_page_is_the_same_for_an_unknown_email(client, account, mails):
    known, unknown = (ask(Client(), email) for email in ("lifter@example.org", "nobody@example.org"))
    assert text(known).replace("lifter@", "nobody@") == text(unknown)
    assert mails() == [
        ("lifter@example.org", "A new password"),
        ("nobody@example.org", "No account with this email"),
    ]


def test_nobody_is_flooded_with_mail(account, mails):
    pages = {text(ask(Client())) for _ in range(8)}
    assert len(pages) == 1
    assert len(mails()) == 5


def test_nobody_uses_up_the_mails_that_the_owner_needs(client, account, mails):
    for _ in range(6):
        sign_up(Client(), email=account.email)
    ask(client)
    assert mails()[-1] == (account.email, "A new password")


def test_new_emails_are_limited_for_an_account(monkeypatch, page, sends_mail):
    monkeypatch.setitem(rate_limits.LIMITS, "reset", "3/h")
    responses = [change(page, f"{number}@example.org").status_code for number in range(4)]
    assert responses == [200, 200, 200, 429]


def test_links_for_many_emails_are_limited(monkeypatch, settings, sends_mail, db):
    monkeypatch.setitem(rate_limits.LIMITS, "reset", "3/h")
    responses = [ask(Client(), f"{number}@example.org").status_code for number in range(4)]
    assert responses == [200, 200, 200, 429]


def test_a_host_header_does_not_get_into_links(settings, account, sends_mail):
    settings.ALLOWED_HOSTS = ["*"]
    ask(Client(headers={"Host": "evil.example.com"}))
    assert "evil" not in mail.outbox[0].body
    settings.PUBLIC_URL = "https://fit.example.org"
    ask(Client(headers={"Host": "evil.example.com"}))
    assert "https://fit.example.org/set-password?" in mail.outbox[1].body


def test_tokens_are_in_no_log_and_no_event(client, account, newest_link, caplog):
    with caplog.at_level("DEBUG"):
        ask(client)
        link = newest_link()
        client.get(link)
        client.post(link, NEW)
    token = re.search(r"token=([^&]+)", link)[1]
    assert token not in caplog.text
    assert token not in repr(list(AuditEvent.objects.values()))


def test_a_token_is_in_no_line_about_a_refused_request(client, account, newest_link, caplog):
    ask(client)
    link = newest_link()
    handler = logging.getLogger().handlers[0]
    stream = handler.setStream(StringIO())
    Client(enforce_csrf_checks=True).post(link, NEW)
    Client(headers={"Host": "evil.example.com"}).get(link)
    lines = handler.setStream(stream).getvalue()
    assert "Forbidden" in lines
    assert "Invalid HTTP_HOST" in lines
    assert link.partition("token=")[2] not in lines


@pytest.mark.parametrize("email", ["lifter@e\uff58ample.org", "LIFTER@EXAMPLE.ORG", " lifter@example.org "])
def test_other_letters_make_no_other_email(client, account, mails, email):
    ask(client, email)
    assert mails() == [(account.email, "A new password")]


@pytest.mark.parametrize("domain", ["\uffff.org", "\u00ad\u00ad.org", "\u200f\u05d0a.org", "é" * 60 + ".org"])
def test_an_email_without_a_domain_is_refused(client, page, account, mails, domain):
    email = f"a@{domain}"
    for response in (ask(client, email), change(page, email)):
        assert errors(response)["email"] == "Enter a valid email address."
    response = sign_up(client, email=email)
    assert errors(response)["email"] == "Enter a valid email address."
    assert mails() == []


# --- Sign-up where the service sends mail ---------------------------------------------------------------


def test_sign_up_answers_alike_for_a_taken_email(client, account, mails):
    taken, new = sign_up(client, email=account.email), sign_up(Client())
    assert text(taken).replace(account.email, NEWCOMER["email"]) == text(new)
    assert mails() == [
        (account.email, "You have an account with this email"),
        (NEWCOMER["email"], "Confirm your email"),
    ]
    assert may_sign_in(account.email, PASSWORD)
    assert not may_sign_in(account.email, NEW_PASSWORD)


def test_an_unconfirmed_account_works_and_says_so(client, newest_link, db):
    sign_up(client)
    sign_in(client, NEW_PASSWORD, NEWCOMER["email"])
    assert "not confirmed" in text(client.get(reverse("account")))
    assert client_of(Account.objects.get()).get("/me").status_code == 200
    link = newest_link()
    assert "not confirmed" in text(client.get(reverse("account")))
    client.get(link)
    assert Account.objects.get().email_confirmed_at is None
    client.post(link)
    assert Account.objects.get().email_confirmed_at
    assert "not confirmed" not in text(client.get(reverse("account")))


def test_the_link_to_confirm_is_mailed_again(page, account, mails):
    page.post(reverse("mail-confirmation"))
    assert mails() == [(account.email, "Confirm your email")]


# --- A new email --------------------------------------------------------------------------------------


def change(page, email="other@example.org"):
    return page.post(reverse("change-email"), {"email": email})


def test_an_email_changes_when_the_link_is_used(client, page, account, mails):
    assert "Check your mail" in text(change(page, " Other@example.org "))
    assert mails() == [
        ("other@example.org", "Confirm your new email"),
        (account.email, "A new email was asked for"),
    ]
    link = link_in(mail.outbox[0])
    client.get(link)
    assert Account.objects.get().email == account.email
    assert client.post(link).status_code == 302
    assert mails()[2] == (account.email, "Your email has changed")
    assert may_sign_in("other@example.org", PASSWORD)
    assert not may_sign_in(account.email, PASSWORD)
    assert Event.EMAIL_CHANGED in events()


def test_a_new_email_needs_the_password(client, account, mails):
    client.force_login(account)
    assert change(client).url.startswith(reverse("confirm-password"))
    assert mails() == []


def test_a_new_email_is_another_one(page, account, mails):
    assert errors(change(page, email=account.email))["email"] == "This is your email already."
    assert errors(change(page, email="x"))["email"]
    assert mails() == []


def test_a_taken_email_is_told_by_mail_alone(page, stranger, mails):
    assert "Check your mail" in text(change(page, stranger.email))
    assert mails()[0] == (stranger.email, "You have an account with this email")


def test_an_email_that_is_taken_in_between_does_not_change(client, page, account, sends_mail):
    change(page)
    AccountFactory(email="other@example.org")
    assert client.post(link_in(mail.outbox[0])).status_code == 403
    account.refresh_from_db()
    assert account.email == "lifter@example.org"


def test_a_link_to_a_new_email_works_once(client, page, account, sends_mail):
    change(page)
    link = link_in(mail.outbox[0])
    client.post(link)
    change(page, "lifter@example.org")
    client.post(link_in(mail.outbox[-2]))
    assert Account.objects.get().email == "lifter@example.org"
    assert client.post(link).status_code == 403
    assert Account.objects.get().email == "lifter@example.org"


def test_the_email_in_a_link_cannot_be_exchanged(client, page, account, sends_mail):
    change(page)
    link = link_in(mail.outbox[0]).replace("other", "evil")
    assert client.post(link).status_code == 403


def test_a_new_password_ends_a_link_to_a_new_email(client, page, account, sends_mail):
    change(page)
    account.set_password(NEW_PASSWORD)
    account.save()
    assert client.post(link_in(mail.outbox[0])).status_code == 403


# --- Without mail: staff and the command ----------------------------------------------------------------


def test_the_command_prints_a_link(client, account, capsys):
    call_command("reset_link", account.email)
    link = path_of(capsys.readouterr().out.strip())
    assert client.post(link, NEW).status_code == 302
    assert may_sign_in(account.email, NEW_PASSWORD)
    assert Event.RESET_LINK_BY_STAFF in events()


def test_staff_make_a_link(client, admin_page, account):
    address = reverse("admin:accounts_account_reset-link", args=[account.pk])
    assert "Make a reset link" in text(admin_page.get(address))
    response = admin_page.post(address)
    assert "no-store" in response["Cache-Control"]
    link = path_of(re.search(r"<code>(\S+)</code>", text(response))[1].replace("&amp;", "&"))
    assert client.post(link, NEW).status_code == 302
    event = AuditEvent.objects.get(event=Event.RESET_LINK_BY_STAFF)
    assert (event.account, event.actor_email) == (account, "root@example.org")


def test_staff_mail_a_link_where_there_is_mail(admin_page, account, mails):
    address = reverse("admin:accounts_account_mail-reset-link", args=[account.pk])
    admin_page.post(address)
    assert mails() == [(account.email, "A new password")]
