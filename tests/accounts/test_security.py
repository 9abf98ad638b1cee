"""The promises of SECURITY.md about headers, sessions, sign-in and the audit log."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts import keys, sign_in_limits
from accounts.audit import AuditEvent
from tests.accounts.people import KEY_WISH, NEW, NEW_PASSWORD, SET_BY_STAFF, create_key, sign_in
from tests.factories import PASSWORD
from tests.server import ROOT

DAY = 24 * 3600


def events():
    return list(AuditEvent.objects.order_by("at", "id").values_list("event", flat=True))


# --- Headers and cookies ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/sign-in", "/docs", "/nothing", "/api/v1/me", "/api/v1/openapi.json"])
def test_every_response_has_the_security_headers(client, db, path):
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_a_session_is_out_of_reach_for_scripts_and_other_sites_and_ends(client, account):
    cookie = sign_in(client).cookies["session"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 14 * DAY


# --- Sign-in ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "address"), [(0, "203.0.113.7"), (1, "198.51.100.1"), (2, "192.0.2.1"), (3, "203.0.113.7")]
)
def test_events_have_the_address_that_trusted_proxies_saw(client, account, settings, proxies, address):
    settings.TRUSTED_PROXIES = proxies
    client.defaults |= {"HTTP_X_FORWARDED_FOR": "192.0.2.1, 198.51.100.1", "REMOTE_ADDR": "203.0.113.7"}
    sign_in(client)
    assert AuditEvent.objects.get().address == address


def test_events_outside_of_requests_have_no_address(client, account):
    sign_in(client)
    account.issue_key("command line", "read", "never")
    assert AuditEvent.objects.order_by("-at").first().address == ""


@pytest.fixture
def limit(monkeypatch):
    """How many may fail at an address, made small: each takes a while."""
    monkeypatch.setattr(sign_in_limits, "MAX_FAILURES_OF_ADDRESS", sign_in_limits.MAX_FAILURES + 3)
    return sign_in_limits.MAX_FAILURES_OF_ADDRESS


def test_one_address_cannot_try_many_emails(account, limit):
    for number in range(limit):
        sign_in(Client(), "wrong", f"lifter{number}@example.org")
    assert "Too many failed attempts" in sign_in(Client()).content.decode()
    assert "Too many failed attempts" in sign_in(Client()).content.decode()
    assert events() == ["sign-in locked"]
    assert sign_in(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302


def test_those_who_sign_in_do_not_lock_their_address(account, limit):
    for _ in range(limit + 1):
        assert sign_in(Client()).status_code == 302


# --- Audit -----------------------------------------------------------------------------------------


def test_what_a_person_does_to_an_account_is_stored_with_address_and_hint(client, account):
    sign_in(client)
    client.post(reverse("account"), {"old_password": PASSWORD, **NEW})
    create_key(client)
    key = account.api_keys.get()
    client.post(reverse("revoke-key", args=[key.pk]))
    client.post(reverse("delete-account"), {"password": NEW_PASSWORD})
    stored = AuditEvent.objects.order_by("at", "id").values_list("event", "key_hint", "address", "account")
    assert list(stored) == [
        (event, hint, "127.0.0.1", None)  # without the person, who is gone
        for event, hint in [
            *(("signed in", ""), ("password changed", "")),
            *(("key created", key.hint), ("key revoked", key.hint)),
            ("account deleted", ""),
        ]
    ]


def test_what_staff_do_to_an_account_is_logged(admin_page, account):
    admin_page.post(reverse("admin:accounts_apikey_add"), {"account": account.pk, **KEY_WISH})
    admin_page.post(reverse("admin:accounts_apikey_revoke", args=[account.api_keys.get().pk]))
    admin_page.post(reverse("admin:auth_user_password_change", args=[account.pk]), SET_BY_STAFF)
    account.refresh_from_db()
    assert account.check_password(NEW_PASSWORD)
    admin_page.post(reverse("admin:accounts_account_delete", args=[account.pk]), {"post": "yes"})
    assert events() == [
        *("key issued by staff", "key revoked by staff"),
        *("password set by staff", "account deleted by staff"),
    ]


# --- Keys ------------------------------------------------------------------------------------------


def test_a_key_matches_the_pattern_in_security_md():
    text = (ROOT / "SECURITY.md").read_text()
    pattern = re.search(r"^    (svc_.+)$", text, re.MULTILINE).group(1)
    published = {}
    exec(re.search(r"```python\n(.+?)```", text, re.DOTALL).group(1), published)
    for _ in range(50):
        key = keys.generate()
        assert re.fullmatch(pattern, key)
        assert published["is_key"](key)
        assert not published["is_key"](key[:-1] + ("0" if key[-1] != "0" else "1"))
