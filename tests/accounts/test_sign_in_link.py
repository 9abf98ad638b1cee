"""A link that signs somebody in, made by a command for when nothing else does."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts import factors
from accounts.audit import AuditEvent, Event
from accounts.factors.models import RecoveryCode
from tests.conftest import path_of
from tests.factories import PASSWORD
from tests.html import signed_in, text


@pytest.fixture
def link(account, capsys):
    call_command("sign_in_link", account.email)
    return path_of(capsys.readouterr().out.strip())


def is_used_up(response):
    return response.status_code == 403 and "This link does not work any more" in text(response)


def test_a_link_signs_in(client, account, link):
    page = client.get(link)
    assert account.email in text(page)
    assert page.headers["Referrer-Policy"] == "strict-origin"
    assert not signed_in(client)  # as the previews of chats open it
    assert client.post(link).headers["Location"] == reverse("home")
    assert client.session["_auth_user_id"] == str(account.pk)
    made, used = AuditEvent.objects.order_by("at", "id")
    assert (made.event, made.account) == (Event.SIGN_IN_LINK_BY_STAFF, account)
    assert (used.event, used.detail) == (Event.SIGNED_IN, "with a link of staff")


def test_the_command_prints_the_link_alone(account, capsys):
    call_command("sign_in_link", "Lifter@Example.org")
    printed = capsys.readouterr()
    assert printed.out.startswith("http://localhost:8000/sign-in/link?account=")
    assert printed.err == "the link works once, for 10 minutes\n"


def test_a_link_works_once(link):
    Client().post(link)
    again = Client()
    assert is_used_up(again.get(link))
    assert is_used_up(again.post(link))
    assert not signed_in(again)


def test_a_link_works_for_ten_minutes(client, account, capsys, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    call_command("sign_in_link", account.email)
    link = path_of(capsys.readouterr().out.strip())
    time_machine.shift(600)
    assert client.get(link).status_code == 200
    time_machine.shift(1)
    assert is_used_up(client.post(link))


@pytest.mark.parametrize("change", ["password", "email", "deactivated", "sign-in"])
def test_a_link_ends_when_its_account_changes(account, link, change):
    if change == "password":
        account.set_password("blue horse 77")
    elif change == "email":
        account.email = "other@example.org"
    elif change == "deactivated":
        account.is_active = False
    else:
        Client().post(reverse("sign-in"), {"username": account.email, "password": PASSWORD})
    account.save()
    client = Client()
    assert is_used_up(client.post(link))
    assert not signed_in(client)


@pytest.mark.parametrize("part", ["account", "token"])
def test_a_changed_link_does_not_work(client, account, stranger, link, part):
    others = {"account": (str(account.pk), str(stranger.pk)), "token": ("token=", "token=x")}
    assert is_used_up(client.get(link.replace(*others[part])))
    assert is_used_up(client.get(link.partition("&")[0]))


def test_a_link_to_a_new_password_does_not_sign_in(client, account, capsys):
    call_command("reset_link", account.email)
    link = path_of(capsys.readouterr().out.strip())
    assert is_used_up(client.post(link.replace("/set-password", "/sign-in/link")))


def test_a_second_factor_is_asked_for_and_the_link_is_used(client, account, capsys):
    factors.add_authenticator(account, b"x" * 20, 0, session=None)
    codes = RecoveryCode.objects.replace(account)
    call_command("sign_in_link", account.email)
    link = path_of(capsys.readouterr().out.strip())
    assert client.post(link).headers["Location"] == reverse("factor")
    assert not signed_in(client)
    assert is_used_up(Client().post(link))
    client.post(reverse("recovery-code"), {"code": codes[0]})
    assert signed_in(client)
