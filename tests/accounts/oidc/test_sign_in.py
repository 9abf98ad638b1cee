"""Signing in with the household's provider."""

import threading
import time

import pytest
from django.urls import reverse

from accounts.models import Account
from accounts.oidc import asking, discovery
from accounts.oidc.asking import ProviderError
from accounts.sessions import Session
from fitness.api import rate_limits
from tests.accounts.oidc.conftest import Visitor, query_of
from tests.accounts.oidc.fake import key_named
from tests.conftest import statements
from tests.factories import PASSWORD
from tests.html import plain, text

# --- The way there and back --------------------------------------------------------------------------


def test_the_sign_in_offers_the_provider(visitor):
    page = text(visitor.client.get(reverse("sign-in"), {"next": "/workouts"}))
    assert "Sign in with Authentik" in page
    assert f'href="{reverse("provider")}?next=%2Fworkouts"' in page


def test_the_provider_is_asked_with_pkce_a_state_and_a_nonce(visitor, provider):
    address = visitor.begin()
    asked = query_of(address)
    assert address.startswith(f"{provider.issuer}/authorize?")
    assert (
        asked.items()
        >= {
            "response_type": "code",
            "client_id": "fitness",
            "redirect_uri": "http://localhost:8000/sign-in/provider/return",
            "scope": "openid email profile",
            "code_challenge_method": "S256",
        }.items()
    )
    assert all(len(asked[name]) >= 43 for name in ("state", "nonce", "code_challenge"))
    assert query_of(visitor.begin())["state"] != asked["state"]


def test_a_tied_account_is_signed_in_and_led_to_its_page(visitor, tied, events):
    response = visitor.sign_in(next="/workouts")
    assert (response.status_code, response.headers["Location"]) == (302, "/workouts")
    assert visitor.account == tied
    assert ("signed in", "lifter@example.org", "with Authentik") in events()


def test_nobody_is_led_to_another_site(visitor, tied):
    assert visitor.sign_in(next="https://evil.example.org/").headers["Location"] == reverse("home")


def test_a_long_address_is_not_kept(visitor, tied):
    assert visitor.sign_in(next=f"/workouts?q={'x' * 4_000}").headers["Location"] == reverse("home")


def test_a_browser_keeps_a_few_sign_ins_alone(visitor, provider, tied):
    first = visitor.begin()
    for _ in range(5):
        visitor.begin()
    assert visitor.come_back(**provider.let_in(first)).status_code == 403


def test_a_program_that_looks_at_the_answer_does_not_use_it_up(visitor, provider, tied):
    answer = provider.let_in(visitor.begin())
    assert visitor.client.head(reverse("provider-return"), answer).status_code == 405
    visitor.come_back(**answer)
    assert visitor.account == tied


def test_several_tabs_of_a_browser_can_be_on_their_way(visitor, provider, tied):
    first, second = visitor.begin(next="/workouts"), visitor.begin(next="/settings/profile")
    assert visitor.come_back(**provider.let_in(second)).headers["Location"] == "/settings/profile"
    visitor.client.logout()
    assert visitor.come_back(**provider.let_in(first)).status_code == 403  # of the session before


def test_what_is_read_is_read_once_an_hour(visitor, provider, tied, time_machine):
    visitor.sign_in()
    Visitor(provider).sign_in()
    assert provider.asked.count(("GET", "/.well-known/openid-configuration")) == 1
    assert provider.asked.count(("GET", "/keys")) == 1


@pytest.mark.parametrize("methods", [["client_secret_basic"], ["client_secret_post"], None])
def test_the_client_proves_itself_as_the_provider_wants(visitor, provider, tied, methods):
    provider.metadata["token_endpoint_auth_methods_supported"] = methods
    visitor.sign_in()
    assert visitor.account == tied


def test_es256_is_taken_as_well(visitor, provider, tied):
    provider.keys.append(key_named("curve", "EC"))
    provider.signs_with, provider.header = provider.keys[-1], {"alg": "ES256", "kid": "curve"}
    visitor.sign_in()
    assert visitor.account == tied


def test_an_id_token_with_the_subject_alone_is_completed_by_the_userinfo(visitor, provider):
    provider.userinfo = {"email": "new@example.org", "name": "New"}
    provider.person = {"sub": "7"}
    visitor.sign_in()
    assert (visitor.account.email, visitor.account.display_name) == ("new@example.org", "New")


def test_a_lost_slash_in_the_issuer_is_no_mistake(visitor, provider, tied, settings):
    settings.OIDC_ISSUER = provider.issuer + "/"
    visitor.sign_in()
    assert visitor.account == tied


# --- What is refused ---------------------------------------------------------------------------------

REFUSED_CLAIMS = {
    "another audience": {"aud": "somebody-else"},
    "no audience": {"aud": None},
    "several, given to another": {"aud": ["fitness", "other"], "azp": "other"},
    "several, given to nobody": {"aud": ["fitness", "other"]},
    "given to another client": {"azp": "other"},
    "another issuer": {"iss": "https://evil.example.org"},
    "no issuer": {"iss": None},
    "expired": {"exp": 1_700_000_000},
    "never expires": {"exp": None},
    "expires as text": {"exp": "2099-01-01"},
    "of the future": {"iat": 4_000_000_000},
    "not yet valid": {"nbf": 4_000_000_000},
    "another nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "of another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is a number": {"sub": 7},
    "a subject with NUL": {"sub": "a\0b"},
    "a subject of a novel": {"sub": "a" * 256},
}


@pytest.mark.parametrize("claims", REFUSED_CLAIMS.values(), ids=REFUSED_CLAIMS)
def test_an_id_token_that_is_wrong_signs_nobody_in(visitor, provider, tied, claims, events):
    provider.claims = claims
    assert_refused(visitor, visitor.sign_in(), events)


def assert_refused(visitor, response, events):
    assert response.status_code == 403
    assert "Authentik did not sign you in" in text(response)
    assert visitor.account is None
    assert [event for event, _, _ in events()] == ["provider refused"]


@pytest.mark.parametrize(
    ("header", "key"),
    [
        ({"alg": "none"}, "first"),
        ({"alg": "HS256", "kid": "first"}, "first"),
        ({"alg": "RS512", "kid": "first"}, "first"),
        ({"alg": "RS256", "kid": "stranger"}, "stranger"),
        ({"alg": "RS256", "kid": "first"}, "stranger"),
        ({"alg": "RS256", "kid": "first", "crit": ["unheard"], "unheard": 1}, "first"),
        ({"alg": "ES256", "kid": "first"}, "curve"),
    ],
    ids=["none", "HMAC", "another algorithm", "unknown key", "forged", "critical header", "another kind"],
)
def test_an_id_token_that_is_not_signed_by_the_provider_signs_nobody_in(
    visitor, provider, tied, header, key, events
):
    provider.header = header
    provider.signs_with = key_named(key, "EC" if key == "curve" else "RSA")
    assert_refused(visitor, visitor.sign_in(), events)


@pytest.mark.parametrize("token", ["", "a", "a.b.c", "e30.e30.e30", "bnVsbA.e30.", "a" * 20_000, 7, None])
def test_what_is_no_id_token_signs_nobody_in(visitor, provider, tied, token, events):
    provider.answers["/token"] = 200, {"id_token": token, "access_token": "x"}
    assert_refused(visitor, visitor.sign_in(), events)


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/token", (400, {"error": "invalid_grant"})),
        ("/token", (401, b"<h1>no</h1>")),
        ("/token", (200, b"<h1>hello</h1>")),
        ("/token", (200, b"[]")),
        ("/token", (200, {})),
        ("/token", (200, b"[" * 100_000)),
        ("/token", (200, b" " * 300_000)),
        ("/token", (302, b"")),
        ("/keys", (200, {"keys": 7})),
        ("/keys", (200, {"keys": [7, {"kty": "RSA"}, {"kty": "RSA", "n": "!", "e": None, "kid": "first"}]})),
        ("/keys", (200, {"keys": [{}] * 100})),
        ("/keys", (404, b"")),
    ],
)
def test_an_answer_that_is_wrong_signs_nobody_in(visitor, provider, tied, path, answer, events):
    provider.answers[path] = answer
    assert_refused(visitor, visitor.sign_in(), events)


@pytest.mark.parametrize(
    "answer",
    [
        {"userinfo_endpoint": None, "sub": "somebody-else"},
        {"sub": None},
    ],
)
def test_a_userinfo_about_somebody_else_signs_nobody_in(visitor, provider, tied, answer, events):
    provider.person = {"sub": "7"}
    provider.answers["/userinfo"] = 200, {"email": "lifter@example.org", **answer}
    assert_refused(visitor, visitor.sign_in(), events)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("issuer", "https://evil.example.org"),
        ("issuer", None),
        ("authorization_endpoint", None),
        ("authorization_endpoint", "http://evil.example.org/authorize"),
        ("authorization_endpoint", "javascript:alert(1)"),
        ("token_endpoint", "http://10.0.0.7/token"),
        ("token_endpoint", "https://user@evil.example.org/token"),
        ("jwks_uri", "file:///etc/passwd"),
        ("jwks_uri", "http://[::"),
        ("end_session_endpoint", 7),
    ],
)
def test_a_provider_that_describes_itself_wrongly_is_not_asked(visitor, provider, name, value, events):
    provider.metadata[name] = value
    response = visitor.client.get(reverse("provider"))
    assert_refused(visitor, response, events)


def test_a_provider_that_wants_another_proof_of_the_client_is_refused(visitor, provider, tied, events):
    provider.metadata["token_endpoint_auth_methods_supported"] = ["private_key_jwt"]
    assert_refused(visitor, visitor.sign_in(), events)


def test_a_wrong_secret_is_named_in_the_log(visitor, tied, settings, caplog):
    settings.OIDC_CLIENT_SECRET = "wrong"
    visitor.sign_in()
    assert "OIDC_CLIENT_SECRET" in caplog.text
    assert "wrong" not in caplog.text


def test_a_code_works_in_the_browser_that_asked_for_it_alone(visitor, provider, tied):
    answer = provider.let_in(visitor.begin())
    thief = Visitor(provider)
    thief.begin()
    for browser in (thief, Visitor(provider)):
        response = browser.come_back(**answer)
        assert response.status_code == 403
        assert "was not begun in this browser" in text(response)
        assert browser.account is None
    visitor.come_back(**answer)
    assert visitor.account == tied


def test_a_code_of_another_sign_in_does_not_fit_the_state(visitor, provider, tied, events):
    theirs = provider.let_in(Visitor(provider).begin())
    mine = provider.let_in(visitor.begin())
    assert_refused(visitor, visitor.come_back(code=theirs["code"], state=mine["state"]), events)


def test_an_answer_is_used_once(visitor, provider, tied):
    answer = provider.let_in(visitor.begin())
    visitor.come_back(**answer)
    again = visitor.come_back(**answer)
    assert again.status_code == 403


def test_a_replayed_code_signs_nobody_in(visitor, provider, tied, events):
    first = provider.let_in(visitor.begin())
    visitor.come_back(**first)
    other = Visitor(provider)
    second = provider.let_in(other.begin())
    response = other.come_back(code=first["code"], state=second["state"])
    assert response.status_code == 403
    assert other.account is None


def test_a_sign_in_that_took_too_long_begins_anew(visitor, provider, tied, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z")
    answer = provider.let_in(visitor.begin())
    time_machine.move_to("2026-11-18T12:10:02Z")
    assert visitor.come_back(**answer).status_code == 403


@pytest.mark.parametrize("answer", [{}, {"code": ""}, {"code": "x" * 5_000}, {"error": "access_denied"}])
def test_an_answer_without_a_code_signs_nobody_in(visitor, provider, tied, answer, events):
    state = query_of(visitor.begin())["state"]
    assert_refused(visitor, visitor.come_back(state=state, **answer), events)


def test_what_is_told_of_a_refusal_is_stored_as_a_column_takes_it(visitor, provider, tied, events):
    visitor.come_back(state=query_of(visitor.begin())["state"], error="no\0\n", error_description="o\0ne")
    provider.answers["/token"] = 400, {"error": "in\0valid\ud800"}
    visitor.sign_in()
    assert [detail for _, _, detail in events()] == [
        "it answered no: one",
        "the provider gave no tokens: 400 invalid",
    ]


def test_who_brings_codes_of_their_own_does_not_keep_others_from_the_provider(
    visitor, provider, tied, monkeypatch
):
    monkeypatch.setitem(rate_limits.LIMITS, "provider", "3/h")
    statuses = [visitor.come_back(state=query_of(visitor.begin())["state"], code="x") for _ in range(5)]
    assert [response.status_code for response in statuses] == [403, 403, 403, 429, 429]
    assert provider.asked.count(("POST", "/token")) == 3


def test_nobody_fills_the_audit_trail_with_refusals(visitor, tied, events, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "refusals", "3/h")
    for _ in range(5):
        visitor.come_back(state=query_of(visitor.begin())["state"], error="access_denied")
    assert len(events()) == 3


@pytest.mark.parametrize(
    ("iss", "says_so", "is_let_in"),
    [
        ("right", True, True),
        ("right", False, True),
        (None, False, True),
        (None, True, False),
        ("https://evil.example.org", True, False),
        ("https://evil.example.org", False, False),
    ],
)
def test_the_answer_is_of_the_issuer_that_was_asked(visitor, provider, tied, iss, says_so, is_let_in):
    provider.metadata["authorization_response_iss_parameter_supported"] = says_so
    answer = provider.let_in(visitor.begin())
    if iss:
        answer["iss"] = provider.issuer if iss == "right" else iss
    visitor.come_back(**answer)
    assert (visitor.account == tied) is is_let_in


# --- Keys --------------------------------------------------------------------------------------------


def test_a_new_key_of_the_provider_is_looked_for_once_a_minute(visitor, provider, tied, monkeypatch):
    visitor.sign_in()
    provider.keys[:] = [key_named("second")]
    provider.signs_with, provider.header = key_named("second"), {"alg": "RS256", "kid": "second"}
    assert Visitor(provider).sign_in().status_code == 403  # the keys were read a moment ago
    monkeypatch.setattr("accounts.oidc.tokens.AGAIN_SECONDS", 0)
    other = Visitor(provider)
    other.sign_in()
    assert other.account == tied
    assert provider.asked.count(("GET", "/keys")) == 2


def test_a_key_that_the_provider_gave_up_is_forgotten(visitor, provider, tied, monkeypatch):
    visitor.sign_in()
    provider.keys[:] = [key_named("second")]
    monkeypatch.setattr("accounts.oidc.tokens.KEPT_SECONDS", 0)
    assert Visitor(provider).sign_in().status_code == 403


def test_forged_tokens_do_not_make_the_service_ask_on_and_on(visitor, provider, tied):
    visitor.sign_in()
    provider.header = {"alg": "RS256", "kid": "stranger"}
    for _ in range(5):
        Visitor(provider).sign_in()
    assert provider.asked.count(("GET", "/keys")) == 1


# --- A provider that is down or hangs ----------------------------------------------------------------


def test_a_provider_that_is_down_leaves_the_password(visitor, provider, account):
    provider.server.server_close()
    response = visitor.client.get(reverse("provider"), {"next": "/workouts"})
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "30"
    assert "Authentik cannot be reached at the moment." in plain(text(response))
    assert f"{reverse('sign-in')}?next=%2Fworkouts" in text(response)
    visitor.client.post(reverse("sign-in"), {"username": account.email, "password": PASSWORD})
    assert visitor.account == account


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_provider_with_an_error_of_its_own_is_down(visitor, provider, status):
    provider.answers["/.well-known/openid-configuration"] = status, b"<h1>Bad gateway</h1>"
    assert visitor.client.get(reverse("provider")).status_code == 503


def hang(handler):
    time.sleep(3)


def trickle(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(60):
        handler.wfile.write(b" ")
        time.sleep(0.05)


@pytest.mark.parametrize("behaviour", [hang, trickle])
def test_a_provider_that_hangs_holds_a_page_for_a_bounded_time(visitor, provider, behaviour, monkeypatch):
    monkeypatch.setattr(asking, "SECONDS", 0.3)
    provider.answers["/token"] = behaviour
    began = time.monotonic()
    response = visitor.sign_in()
    assert response.status_code == 503
    assert time.monotonic() - began < 2.5


def test_two_pages_wait_at_once_and_others_are_told_at_once(visitor, provider, monkeypatch):
    go_on, waiting = threading.Event(), threading.Semaphore(0)

    def wait(handler):
        waiting.release()
        go_on.wait(30)
        handler.close_connection = True

    provider.answers["/.well-known/openid-configuration"] = wait
    threads = [threading.Thread(target=ask_in_vain) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in threads:
        waiting.acquire()
    response = visitor.client.get(reverse("provider"))
    go_on.set()
    assert response.status_code == 503
    for thread in threads:
        thread.join()
    assert provider.asked.count(("GET", "/.well-known/openid-configuration")) == 2


def ask_in_vain():
    with pytest.raises(ProviderError):
        asking.in_time(discovery.metadata)


def test_requests_that_failed_make_room_for_others(visitor, provider, tied):
    provider.answers["/token"] = 500, b""
    for _ in range(4):
        assert Visitor(provider).sign_in().status_code == 503
    provider.answers.clear()
    visitor.sign_in()
    assert visitor.account == tied


# --- What a sign-in costs ----------------------------------------------------------------------------


def test_a_sign_in_takes_a_constant_number_of_statements(visitor, provider, tied):
    visitor.sign_in()
    with statements() as executed:
        Visitor(provider).sign_in()
    assert len(executed) <= 22
    assert Session.objects.filter(account=tied).exclude(provider_session="").count() == 2
    assert Account.objects.count() == 1
