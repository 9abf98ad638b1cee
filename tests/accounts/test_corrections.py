"""The choice that a key or a connection may also correct and delete: where it is made, shown and changed."""

import re

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from accounts.audit import AuditEvent, Event
from accounts.models import ApiKey
from mcp_endpoint.corrections import ALL_TOOLS
from mcp_endpoint.tools import TOOLS
from tests.accounts.patterns import KEY
from tests.accounts.programs import query_of
from tests.conftest import freshly_signed_in
from tests.factories import PASSWORD
from tests.html import text
from tests.mcp_endpoint.conftest import ToolClient
from tests.scriptless import Scriptless

CHOICE = "may also correct and delete"
BADGE = "Corrects and deletes"


def corrects(key):
    """Whether the list of tools of a key or an access token has those that correct."""
    tools = ToolClient(key).legacy("tools/list").json()["result"]["tools"]
    names = [tool["name"] for tool in tools]
    assert len(names) in (len(TOOLS), len(ALL_TOOLS))
    return "delete_workout" in names


def create(page, **values):
    newest = page.get(reverse("developer")).context["form"].initial["newest_key"]
    chosen = {"name": "assistant", "scope": "read_write", "expires": "90d", "newest_key": newest, **values}
    return page.post(reverse("developer"), chosen)


def address(key):
    return reverse("key-corrections", args=[key.pk])


@pytest.fixture
def key(account):
    return account.issue_key("assistant", "read_write", "never")[1]


def details(event):
    return list(AuditEvent.objects.filter(event=event).values_list("detail", flat=True))


# --- A new key ----------------------------------------------------------------------------------


def test_a_new_key_does_not_correct_unless_it_is_chosen(page):
    form = page.get(reverse("developer")).context["form"]
    assert form["may_correct"].value() in (None, False)
    assert not corrects(KEY.search(text(create(page))).group())
    assert corrects(KEY.search(text(create(page, may_correct="on"))).group())
    assert details(Event.KEY_CREATED) == ["read_write, may correct", "read_write"]
    assert text(page.get(reverse("developer"))).count(BADGE) == 1


def test_a_key_that_may_only_read_cannot_correct(page, account):
    response = create(page, scope="read", may_correct="on")
    assert response.context["form"].errors["may_correct"] == ["Choose read and write, or untick this."]
    assert not account.api_keys.exists()
    with pytest.raises(ValidationError):
        account.issue_key("assistant", "read", "never", may_correct=True)


def test_not_even_in_the_database(account):
    account.issue_key("assistant", "read", "never")
    with pytest.raises(IntegrityError):
        ApiKey.objects.update(may_correct=True)


def test_the_owner_is_told_what_the_new_key_may(page, sends_mail):
    create(page, may_correct="on")
    assert "lets assistants correct and delete them" in mail.outbox[0].body


# --- The list of keys ---------------------------------------------------------------------------


def test_the_choice_is_changed_in_the_list(page, account):
    shown, key = account.issue_key("assistant", "read_write", "never")
    for may_correct in (True, False):
        assert "“assistant”?" in text(page.get(address(key)))
        response = page.post(address(key), {"may_correct": "on" if may_correct else "off"})
        assert response.headers["Location"] == reverse("developer")
        assert (BADGE in text(page.get(reverse("developer")))) is may_correct
        assert corrects(shown) is may_correct
    events = AuditEvent.objects.filter(event__startswith="corrections").order_by("at")
    assert [(one.event, one.account, one.key_hint) for one in events] == [
        (Event.CORRECTIONS_ALLOWED, account, key.hint),
        (Event.CORRECTIONS_ENDED, account, key.hint),
    ]


def test_the_list_asks_before_it_changes_the_choice(page, key):
    browser = Scriptless(page).goto(reverse("developer"))
    for act, corrects_now in (("Allow", True), ("Stop", False)):
        link = f"{act} corrections by assistant"
        assert re.search(f'data-dialog aria-label="{link}"', text(browser.response))
        browser.follow(link)
        assert is_question(text(browser.response), f"{act} corrections by “assistant”?")
        browser.press(f"{act} corrections")
        assert ApiKey.objects.get().may_correct is corrects_now


def is_question(html, question):
    """Whether a page has what fitness.js opens in a dialog."""
    card = rf'<form [^>]*data-confirmation>.*<h2 id="\w+">{re.escape(question)}</h2>.*<a [^>]*data-cancel>'
    return re.search(card, html, re.DOTALL)


def test_repeating_it_changes_nothing(page, key):
    for _ in range(2):
        page.post(address(key), {"may_correct": "on"})
    assert AuditEvent.objects.filter(event=Event.CORRECTIONS_ALLOWED).count() == 1
    assert ApiKey.objects.get().may_correct


def test_allowing_it_needs_a_fresh_sign_in_and_stopping_it_does_not(client, account, key):
    client.force_login(account)
    for response in (client.get(address(key)), client.post(address(key), {"may_correct": "on"})):
        assert response.headers["Location"].startswith(reverse("confirm-password"))
    assert not ApiKey.objects.get().may_correct
    response = client.post(response.headers["Location"], {"password": PASSWORD, "next": address(key)})
    assert response.headers["Location"] == address(key)
    client.post(address(key), {"may_correct": "on"})
    assert ApiKey.objects.get().may_correct
    later = Client()
    later.force_login(account)
    later.post(address(key), {"may_correct": "off"})
    assert not ApiKey.objects.get().may_correct


def test_only_active_keys_that_may_write_are_offered_it(page, account):
    _, reading = account.issue_key("reading", "read", "never")
    _, revoked = account.issue_key("revoked", "read_write", "never", may_correct=True)
    revoked.revoke()
    for one in (reading, revoked):
        assert page.get(address(one)).status_code == 404
        assert page.post(address(one), {"may_correct": "on"}).status_code == 404
        assert address(one) not in text(page.get(reverse("developer")))
    assert BADGE not in text(page.get(reverse("developer")))


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stranger_s_key_does_not_exist(key, stranger, method):
    other = freshly_signed_in(stranger)
    assert getattr(other, method)(address(key), {"may_correct": "on"}).status_code == 404
    assert not ApiKey.objects.get().may_correct


def test_it_is_posted_with_a_token(account, key):
    browser = Client(enforce_csrf_checks=True)
    browser.cookies = freshly_signed_in(account).cookies
    assert browser.post(address(key), {"may_correct": "on"}).status_code == 403
    assert not ApiKey.objects.get().may_correct


# --- Connections --------------------------------------------------------------------------------


def test_a_connection_corrects_only_where_it_is_ticked(program, page):
    form = page.get(program.address()).context["form"]
    assert form["may_correct"].value() in (None, False)
    assert not corrects(program.connect(page)["access_token"])
    assert corrects(program.connect(page, may_correct="on")["access_token"])
    assert details(Event.CONNECTION_MADE) == ["Claude\nread_write, may correct", "Claude\nread_write"]


def test_a_renewal_keeps_the_choice(program, page):
    tokens = program.connect(page, may_correct="on")
    for _ in range(2):
        tokens = program.refresh(tokens["refresh_token"]).json()
        assert corrects(tokens["access_token"])


def test_connecting_again_makes_the_choice_anew(program, page):
    program.connect(page, may_correct="on")
    assert not corrects(program.connect(page)["access_token"])


def test_the_choice_of_a_connection_is_changed_in_the_list(program, page, account):
    tokens = program.connect(page)
    connection = account.api_keys.get()
    page.post(address(connection), {"may_correct": "on"})
    assert corrects(tokens["access_token"])
    assert BADGE in text(page.get(reverse("developer")))
    assert corrects(program.refresh(tokens["refresh_token"]).json()["access_token"])
    page.post(address(connection), {"may_correct": "off"})
    assert not corrects(tokens["access_token"])


def test_reading_alone_cannot_be_ticked_with_it(program, page, account):
    chosen = {"scope": "read", "expires": "1y", "decision": "connect", "may_correct": "on"}
    response = page.post(program.address(), chosen)
    assert response.context["form"].errors["may_correct"]
    assert not account.authorization_codes.exists()


def test_a_program_that_asks_to_read_is_not_offered_it(program, page):
    asked = program.address(scope="read")
    assert "may_correct" not in page.get(asked).context["form"].fields
    chosen = {"scope": "read", "expires": "1y", "decision": "connect", "may_correct": "on"}
    tokens = program.exchange(query_of(page.post(asked, chosen))[1]["code"]).json()
    assert not corrects(tokens["access_token"])


def test_the_owner_is_told_that_a_program_corrects(program, page, sends_mail):
    program.connect(page, may_correct="on")
    assert "It may read and write your data, and correct and delete them." in mail.outbox[0].body


# --- Staff and commands -------------------------------------------------------------------------


def test_staff_issue_and_see_it(admin_page, account):
    values = {"name": "assistant", "scope": "read_write", "expires": "90d", "newest_key": 0}
    add = reverse("admin:accounts_apikey_add")
    assert CHOICE in text(admin_page.get(add)).lower()
    response = admin_page.post(add, {**values, "account": str(account.pk), "may_correct": "on"})
    assert corrects(KEY.search(text(response)).group())
    assert details(Event.KEY_ISSUED_BY_STAFF) == ["read_write, may correct"]
    listed = text(admin_page.get(reverse("admin:accounts_apikey_changelist"), {"may_correct__exact": "1"}))
    assert account.api_keys.get().hint in listed
    shown = text(admin_page.get(reverse("admin:accounts_apikey_change", args=[account.api_keys.get().pk])))
    assert CHOICE in shown.lower()


def test_the_command_issues_and_lists_it(db, capsys):
    arguments = ["me@example.org", "--scope", "read_write"]
    call_command("issue_key", *arguments)
    assert not corrects(capsys.readouterr().out.strip())
    call_command("issue_key", *arguments, "--corrections")
    assert corrects(capsys.readouterr().out.strip())
    call_command("keys", "me@example.org")
    lines = capsys.readouterr().out.splitlines()
    assert ["corrects and deletes" in line for line in lines] == [True, False]


def test_the_command_refuses_it_with_a_reading_key(db):
    with pytest.raises(CommandError, match="--scope read_write"):
        call_command("issue_key", "me@example.org", "--corrections")
    assert not ApiKey.objects.exists()
