"""Signing out here ends the session there, and the other way round."""

import html
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from accounts.models import ProviderTie
from accounts.oidc import asking
from tests.accounts.oidc.conftest import Visitor, query_of
from tests.accounts.oidc.fake import CLIENT_ID, LOGOUT_EVENT, half, key_named
from tests.factories import PASSWORD
from tests.html import text


@pytest.fixture
def browser(provider, tied):
    """A function that signs a new browser in, with a session of the provider."""

    def sign_in(sid=None):
        provider.claims = {"sid": sid}
        visitor = Visitor(provider)
        visitor.sign_in()
        return visitor

    return sign_in


@pytest.fixture
def by_password(provider, tied):
    visitor = Visitor(provider)
    visitor.client.post(reverse("sign-in"), {"username": tied.email, "password": PASSWORD})
    return visitor


# --- Here first --------------------------------------------------------------------------------------


def test_signing_out_leads_to_the_provider_to_sign_out_there(browser, provider):
    visitor = browser()
    response = visitor.client.post(reverse("sign-out"))
    assert visitor.account is None
    address = html.unescape(re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', text(response))[1])
    assert address.startswith(f"{provider.issuer}/end?")
    asked = query_of(address)
    assert asked["client_id"] == CLIENT_ID
    assert asked["post_logout_redirect_uri"] == "http://localhost:8000/sign-in/provider/left"
    assert asked["id_token_hint"].count(".") == 2


@pytest.mark.parametrize(
    ("state", "page"),
    [
        ("/workouts", "/workouts"),
        ("", "/sign-in"),
        ("https://evil.example.org", "/sign-in"),
        ("workouts", "workouts"),
        ("accounts.urls", "accounts.urls"),
        ("a\nb", "a%0Ab"),
    ],
)
def test_the_provider_leads_back_to_the_page_after_the_sign_out(provider, client, db, state, page):
    response = client.get(reverse("provider-left"), {"state": state})
    assert response.headers["Location"] == page


def test_another_person_than_the_one_who_is_there_can_connect_a_program(browser):
    asked = "/authorize?client_id=x"
    response = browser().client.post(reverse("sign-out"), {"next": asked})
    address = html.unescape(re.search(r"url=([^\"]+)", text(response))[1])
    assert query_of(address)["state"] == asked


@pytest.mark.parametrize("how", ["no endpoint", "down"])
def test_signing_out_works_without_the_provider(browser, provider, how, monkeypatch):
    monkeypatch.setattr("accounts.oidc.discovery.KEPT_SECONDS", 0)
    visitor = browser()
    provider.metadata["end_session_endpoint"] = None
    if how == "down":
        provider.server.server_close()
    assert visitor.client.post(reverse("sign-out")).headers["Location"] == reverse("sign-in")
    assert visitor.account is None


def test_who_signed_in_by_password_signs_out_here_alone(by_password):
    assert by_password.client.post(reverse("sign-out")).headers["Location"] == reverse("sign-in")


def test_what_the_provider_signed_is_in_no_page_and_no_log(browser, caplog):
    visitor = browser()
    token = visitor.client.session["provider_id_token"]
    assert token not in text(visitor.client.get(reverse("account")))
    assert token not in caplog.text


# --- There first -------------------------------------------------------------------------------------


def signed_out_there(token):
    response = Client(enforce_csrf_checks=True).post(reverse("provider-signed-out"), {"logout_token": token})
    if response.status_code == 200:
        assert response.headers["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    return response.status_code


def test_the_provider_ends_the_browsers_of_one_of_its_sessions(browser, by_password, provider, events):
    phone, laptop, desk = browser("one"), browser("one"), browser("two")
    assert signed_out_there(provider.logout_token(sid="one")) == 200
    assert (phone.account, laptop.account) == (None, None)
    assert None not in (desk.account, by_password.account)
    assert events()[-1] == ("signed out elsewhere", "lifter@example.org", "by Authentik")


def test_a_session_is_found_without_a_subject(browser, provider):
    phone, desk = browser("one"), browser("two")
    assert signed_out_there(provider.logout_token(sid="one", sub=None)) == 200
    assert phone.account is None
    assert desk.account


def test_without_a_session_all_that_began_there_end(browser, by_password, provider):
    phone, desk = browser("one"), browser()
    assert signed_out_there(provider.logout_token()) == 200
    assert (phone.account, desk.account) == (None, None)
    assert by_password.account


def test_a_browser_whose_session_had_no_name_ends_with_any(browser, provider):
    phone = browser()
    assert signed_out_there(provider.logout_token(sid="one")) == 200
    assert phone.account is None


def test_a_session_of_somebody_else_goes_on(browser, provider, stranger):
    ProviderTie.objects.tie(stranger, provider.issuer, "7")
    phone = browser("one")
    assert signed_out_there(provider.logout_token(sid="one", sub="7")) == 200
    assert signed_out_there(provider.logout_token(sid="one", sub="unknown")) == 200
    assert phone.account


REFUSED_TOKENS = {
    "another audience": {"aud": "other"},
    "another issuer": {"iss": "https://evil.example.org"},
    "no event": {"events": None},
    "another event": {"events": {"https://example.org/other": {}}},
    "an event that is no object": {"events": {LOGOUT_EVENT: 1}},
    "a nonce, as an ID token has": {"nonce": "n"},
    "nobody": {"sub": None},
    "an empty subject": {"sub": ""},
    "an empty session": {"sub": None, "sid": ""},
    "a session that is a number": {"sid": 7},
    "a session that is no text of a database": {"sid": "\ud800"},
    "no name of its own": {"jti": None},
    "no time": {"iat": None},
    "old": {"iat": 1_700_000_000},
    "expired": {"exp": 1_700_000_000},
    "of the future": {"iat": 4_000_000_000},
}


@pytest.mark.parametrize("claims", REFUSED_TOKENS.values(), ids=REFUSED_TOKENS)
def test_a_logout_token_that_is_wrong_ends_nothing(browser, provider, claims, caplog):
    phone = browser("one")
    assert signed_out_there(provider.logout_token(**claims)) == 400
    assert phone.account
    assert "nobody is signed out" in caplog.text


@pytest.mark.parametrize("kind", ["none", "stranger", "id token", "nothing", "no token"])
def test_what_the_provider_has_not_signed_as_a_logout_token_ends_nothing(browser, provider, kind):
    phone = browser("one")
    if kind == "none":
        provider.header = {"alg": "none"}
    if kind == "stranger":
        provider.signs_with = key_named("stranger")
    tokens = {
        "id token": lambda: provider.id_token(nonce="n"),
        "nothing": lambda: "",
        "no token": lambda: "a.b",
    }
    assert signed_out_there(tokens.get(kind, provider.logout_token)()) == 400
    assert phone.account


@pytest.mark.parametrize(
    "header", [{"alg": []}, {"alg": {}}, {"alg": None}, {"alg": "RS256", "kid": []}, [], 7]
)
def test_a_token_whose_head_anybody_may_have_written_is_refused(provider, db, header):
    assert signed_out_there(f"{half(json.dumps(header).encode())}.e30.AAAA") == 400


def test_a_logout_token_signs_nobody_in(browser, provider, tied):
    provider.answers["/token"] = 200, {"id_token": provider.logout_token(), "access_token": "x"}
    assert browser().account is None


def test_a_logout_token_works_once(browser, provider):
    token = provider.logout_token()
    assert signed_out_there(token) == 200
    phone = browser()
    assert signed_out_there(token) == 400
    assert phone.account


def test_a_logout_token_that_a_database_failed_to_follow_works_again(browser, provider, monkeypatch):
    def fail(claims):
        raise OperationalError("the database is away")

    phone, token = browser(), provider.logout_token()
    with monkeypatch.context() as patched:
        patched.setattr("accounts.web.oidc.sign_out.sessions_of", fail)
        assert Client(raise_request_exception=False).post(
            reverse("provider-signed-out"), {"logout_token": token}
        ).status_code in (500, 503)
    assert signed_out_there(token) == 200
    assert phone.account is None


def test_a_provider_whose_keys_cannot_be_read_is_asked_to_try_again(browser, provider, monkeypatch):
    phone = browser()
    monkeypatch.setattr("accounts.oidc.tokens.KEPT_SECONDS", 0)
    provider.answers["/keys"] = 500, b""
    assert signed_out_there(provider.logout_token()) == 503
    assert phone.account


@pytest.fixture
def phone(browser):
    """A browser that has signed in, before two others that wait for the provider take both places."""
    phone = browser("one")
    with ExitStack() as places:
        for _ in range(asking.AT_ONCE):
            assert asking.free.acquire(blocking=False)
            places.callback(asking.free.release)
        yield phone


def test_a_token_is_checked_by_the_keys_in_memory_beside_sign_ins_that_wait(phone, provider):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(provider, "signs_with", key_named("stranger"))
        forged = provider.logout_token(sid="one")
    assert signed_out_there(forged) == signed_out_there("a.b") == 400
    assert phone.account
    assert signed_out_there(provider.logout_token(sid="one")) == 200
    assert phone.account is None


def forged_with_new_key(provider):
    """A token that names a key which the provider does not have, or not yet."""
    provider.signs_with, provider.header = key_named("new"), {"alg": "RS256", "kid": "new"}
    return provider.logout_token()


def test_a_key_that_was_just_looked_for_takes_no_place(phone, provider):
    assert signed_out_there(forged_with_new_key(provider)) == 400


def test_only_an_unknown_key_takes_a_place(phone, provider, monkeypatch):
    monkeypatch.setattr("accounts.oidc.tokens.AGAIN_SECONDS", 0)
    assert signed_out_there(forged_with_new_key(provider)) == 503


def test_tokens_with_unknown_keys_leave_a_place_to_sign_ins(browser, provider, monkeypatch):
    phone, asked, go_on = browser("one"), threading.Event(), threading.Event()

    def wait(handler):
        asked.set()
        go_on.wait(30)
        handler.send(200, provider.listed_keys())

    monkeypatch.setattr("accounts.oidc.tokens.AGAIN_SECONDS", 0)
    token = forged_with_new_key(provider)
    provider.answers["/keys"] = wait
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(signed_out_there, token)
        assert asked.wait(30)
        assert signed_out_there(token) == 503
        assert asking.free.acquire(blocking=False)
        asking.free.release()
        go_on.set()
        assert first.result() == 400
    assert phone.account


def test_the_address_is_for_posts_alone(provider, client):
    assert client.get("/sign-in/provider/signed-out").status_code == 405
