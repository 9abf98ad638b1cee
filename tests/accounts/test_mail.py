"""Mail over a real SMTP server: what arrives, and what happens when it does not."""

import asyncio
import logging
import socket
import time
from contextlib import contextmanager

import pytest
from aiosmtpd.controller import Controller
from django.core import mail as outgoing
from django.urls import reverse

from accounts import mail
from accounts.models import Account
from tests.accounts.people import NEW_PASSWORD, NEWCOMER, create_key, may_sign_in, sign_up
from tests.conftest import freshly_signed_in
from tests.html import errors, text


@contextmanager
def smtp_server(handler):
    """Serves mail by a handler of aiosmtpd; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


class Mailbox:
    """Takes every mail, but those to addresses at refused.example.org."""

    def __init__(self):
        self.envelopes = []

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.endswith("@refused.example.org"):
            return "550 nobody here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.envelopes.append(envelope)
        return "250 OK"


def use_server(settings, port):
    settings.EMAIL_BACKEND = "accounts.mail.PromptBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port


@pytest.fixture
def mailbox(settings, sends_mail):
    box = Mailbox()
    with smtp_server(box) as port:
        use_server(settings, port)
        yield box


@contextmanager
def silent_server():
    """Takes connections, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def no_server(settings, sends_mail):
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        use_server(settings, server.getsockname()[1])


def test_a_mail_arrives(mailbox, client, account):
    client.post(reverse("reset-password"), {"email": account.email})
    (envelope,) = mailbox.envelopes
    assert envelope.rcpt_tos == [account.email]
    assert envelope.mail_from == "fit@example.org"
    content = envelope.content.decode()
    assert "Subject: A new password" in content
    assert "/set-password?account=" in content.replace("=\r\n", "")


def test_names_are_not_escaped_as_html(mailbox, page, account):
    create_key(page, name="Tom & Jerry's", scope="read_write")
    (envelope,) = mailbox.envelopes
    assert "Tom & Jerry's" in envelope.content.decode()


def test_a_refused_address_is_told(mailbox, client, db):
    response = client.post(reverse("reset-password"), {"email": "x@refused.example.org"})
    assert "could not be sent" in errors(response)["__all__"]


def test_a_server_that_is_down_is_told(no_server, client, account):
    response = client.post(reverse("reset-password"), {"email": account.email})
    assert "could not be sent" in errors(response)["__all__"]


def test_what_caused_a_notice_is_done_when_the_notice_fails(no_server, page, account, caplog):
    with caplog.at_level(logging.WARNING):
        response = create_key(page, scope="read_write")
    assert "Your new key: phone" in text(response)
    assert "a mail is not sent" in caplog.text
    assert account.email not in caplog.text


def test_an_account_is_made_although_its_mail_fails(no_server, client, db):
    assert "could not be sent" in text(sign_up(client))
    assert may_sign_in(NEWCOMER["email"], NEW_PASSWORD)


def test_a_change_of_the_email_that_fails_changes_nothing(no_server, account):
    response = freshly_signed_in(account).post(reverse("change-email"), {"email": "other@example.org"})
    assert "could not be sent" in errors(response)["__all__"]
    assert Account.objects.get().email == account.email


def test_a_silent_server_holds_nobody_longer_than_the_limit(settings, sends_mail):
    settings.EMAIL_TIMEOUT = 1
    with silent_server() as port:
        use_server(settings, port)
        started = time.monotonic()
        with pytest.raises(mail.NotSent):
            mail.send("no_account", "lifter@example.org")
    assert 1 <= time.monotonic() - started < 30


class Dawdler(Mailbox):
    """Answers each command a moment before the client gives up."""

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        await asyncio.sleep(0.7)
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        await asyncio.sleep(0.7)
        envelope.mail_from = address
        return "250 OK"


def test_the_limit_is_for_all_replies_together(settings, sends_mail):
    settings.EMAIL_TIMEOUT = 1
    box = Dawdler()
    with smtp_server(box) as port:
        use_server(settings, port)
        with pytest.raises(mail.NotSent):
            mail.send("no_account", "lifter@example.org")
    assert box.envelopes == []


def test_nothing_is_mailed_without_a_server(client, page, account):
    create_key(page, scope="read_write")
    assert "sends no mail" in text(client.get(reverse("reset-password")))
    assert "sends no mail" in text(client.post(reverse("reset-password"), {"email": account.email}))
    assert "sends no mail" in text(freshly_signed_in(account).get(reverse("change-email")))
    assert outgoing.outbox == []
