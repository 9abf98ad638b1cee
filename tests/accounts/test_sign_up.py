"""Signing up: what it costs everybody else, and who may."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts import hashers
from accounts.models import Account
from tests.factories import PASSWORD

NEW_PASSWORD = "blue horse 77"
NEWCOMER = {"email": "new@example.org", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}


def text(response):
    return response.content.decode()


def sign_up(client, address=None, **change):
    return client.post(address or reverse("sign-up"), {**NEWCOMER, **change})


def signed_in(client):
    return "_auth_user_id" in client.session


@pytest.fixture
def argon2(settings):
    settings.PASSWORD_HASHERS = ["accounts.hashers.PasswordHasher"]


# --- Hashing -------------------------------------------------------------------------------------


@pytest.fixture
def old_hash(argon2):
    """As Django's own hasher made it, with 100 MiB and eight lanes."""
    return Argon2PasswordHasher().encode(PASSWORD, "a salt of sixteen")


def test_passwords_are_hashed_as_owasp_recommends(argon2, client, db):
    sign_up(client)
    assert Account.objects.get().password.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


def test_an_old_hash_opens_the_account_once_more_and_is_made_anew(client, account, old_hash):
    Account.objects.update(password=old_hash)
    client.post(reverse("sign-in"), {"username": account.email, "password": PASSWORD})
    assert signed_in(client)
    assert "m=19456,t=2,p=1" in Account.objects.get().password
    assert Account.objects.get().check_password(PASSWORD)


@pytest.fixture
def hashed(argon2, monkeypatch):
    """Whether a transaction was open, for each hash that was made or compared."""
    open_transactions = []
    for name in ("encode", "verify"):
        method = getattr(hashers.PasswordHasher, name)

        def noted(self, *arguments, method=method):
            open_transactions.append(connection.in_atomic_block)
            return method(self, *arguments)

        monkeypatch.setattr(hashers.PasswordHasher, name, noted)
    return open_transactions


def test_no_transaction_waits_for_a_hash(transactional_db, hashed, old_hash):
    client = Client()
    sign_up(client)
    Account.objects.update(password=old_hash)
    client.logout()
    client.post(reverse("sign-in"), {"username": NEWCOMER["email"], "password": PASSWORD})
    change = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    client.post(reverse("account"), change)
    Account.objects.update(is_staff=True, is_superuser=True)
    password = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"}
    client.post(reverse("admin:auth_user_password_change", args=[Account.objects.get().pk]), password)
    client.post(reverse("delete-account"), {"password": NEW_PASSWORD})
    assert not Account.objects.exists()
    assert hashed == [False] * len(hashed)
    assert len(hashed) > 6


def test_at_most_two_hashes_are_made_at_once(argon2, monkeypatch):
    """Eight at once, each of which waits for a moment while the others might begin."""
    running, most, begun = 0, 0, threading.Condition()

    def slow(self, password, salt):
        nonlocal running, most
        with begun:
            running += 1
            most = max(most, running)
            begun.notify_all()
            begun.wait_for(lambda: running > 2, timeout=0.1)
            running -= 1
        return "argon2$"

    monkeypatch.setattr(Argon2PasswordHasher, "encode", slow)
    with ThreadPoolExecutor(8) as callers:
        list(callers.map(lambda _: hashers.PasswordHasher().encode("blue", "salt"), range(8)))
    assert most == 2


# --- The limit -----------------------------------------------------------------------------------


def test_an_address_may_sign_up_60_times_an_hour(client, db, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    for number in range(60):
        assert sign_up(Client(), email="", display_name=f"{number}").status_code == 200
    response = sign_up(client)
    assert response.status_code == 429
    wait = int(response.headers["Retry-After"])
    assert 1 <= wait <= 3600
    assert re.search(r"Try again in \d+ (minute|second)s?\.", text(response))
    assert sign_up(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302
    time_machine.shift(wait + 1)
    assert sign_up(client, email="another@example.org").status_code == 302


def test_looking_at_the_form_is_not_counted(client, db):
    for _ in range(61):
        client.get(reverse("sign-up"))
    assert sign_up(client).status_code == 302
