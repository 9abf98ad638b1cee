"""The promises of SECURITY.md about headers, sessions, sign-in and the audit log."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts import keys
from accounts.audit import AuditEvent
from accounts.models import Account
from accounts.sign_in_limits import MAX_FAILURES_OF_ADDRESS
from tests.conftest import ApiClient
from tests.factories import PASSWORD
from tests.server import ROOT

DAY = 24 * 3600


def sign_in(client, password=PASSWORD, email="lifter@example.org"):
    return client.post(reverse("sign-in"), {"username": email, "password": password})


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


def test_a_deactivated_account_is_locked_out_at_once(page, api, account):
    Account.objects.update(is_active=False)
    assert page.get(reverse("profile")).status_code == 302
    assert api.get("/me").status_code == 401


# --- Sign-in ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "address"), [(0, "203.0.113.7"), (1, "198.51.100.1"), (2, "192.0.2.1"), (3, "203.0.113.7")]
)
def test_events_have_the_address_that_trusted_proxies_saw(client, account, settings, proxies, address):
    settings.TRUSTED_PROXIES = proxies
    client.post(
        reverse("sign-in"),
        {"username": "lifter@example.org", "password": PASSWORD},
        headers={"X-Forwarded-For": "192.0.2.1, 198.51.100.1"},
        REMOTE_ADDR="203.0.113.7",
    )
    assert AuditEvent.objects.get().address == address


def test_events_outside_of_requests_have_no_address(client, account):
    sign_in(client)
    account.issue_key("command line", "read", "never")
    assert AuditEvent.objects.order_by("-at").first().address == ""


def test_one_address_cannot_try_many_emails(account):
    for number in range(MAX_FAILURES_OF_ADDRESS):
        sign_in(Client(), "wrong", f"lifter{number}@example.org")
    assert "Too many failed attempts" in sign_in(Client()).content.decode()
    assert "Too many failed attempts" in sign_in(Client()).content.decode()
    assert events() == ["sign-in locked"]
    assert sign_in(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302


def test_those_who_sign_in_do_not_lock_their_address(account):
    for _ in range(MAX_FAILURES_OF_ADDRESS + 1):
        assert sign_in(Client()).status_code == 302


# --- Audit -----------------------------------------------------------------------------------------


def test_what_a_person_does_to_an_account_is_logged(client, account):
    sign_in(client)
    new = {"old_password": PASSWORD, "new_password1": "blue horse 77", "new_password2": "blue horse 77"}
    client.post(reverse("account"), new)
    wish = {"name": "phone", "scope": "read", "expires": "90d", "newest_key": 0}
    client.post(reverse("developer"), wish)
    client.post(reverse("revoke-key", args=[account.api_keys.get().pk]))
    client.post(reverse("delete-account"), {"password": "blue horse 77"})
    assert events() == ["signed in", "password changed", "key created", "key revoked", "account deleted"]


def test_what_staff_do_to_an_account_is_logged(admin_page, account):
    wish = {"account": account.pk, "name": "phone", "scope": "read", "expires": "90d", "newest_key": 0}
    admin_page.post(reverse("admin:accounts_apikey_add"), wish)
    admin_page.post(reverse("admin:accounts_apikey_revoke", args=[account.api_keys.get().pk]))
    password = {"password1": "blue horse 77", "password2": "blue horse 77", "usable_password": "true"}
    admin_page.post(reverse("admin:auth_user_password_change", args=[account.pk]), password)
    assert Account.objects.get(pk=account.pk).check_password("blue horse 77")
    admin_page.post(reverse("admin:accounts_account_delete", args=[account.pk]), {"post": "yes"})
    assert events() == [
        *("key issued by staff", "key revoked by staff"),
        *("password set by staff", "account deleted by staff"),
    ]


def test_a_password_set_by_staff_ends_the_sessions_of_the_account(admin_page, page, account):
    password = {"password1": "blue horse 77", "password2": "blue horse 77", "usable_password": "true"}
    admin_page.post(reverse("admin:auth_user_password_change", args=[account.pk]), password)
    assert page.get(reverse("profile")).status_code == 302


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


def test_a_mistyped_key_is_rejected_without_a_query(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert ApiClient(keys.generate()[:-1] + "_").get("/me").status_code == 401
