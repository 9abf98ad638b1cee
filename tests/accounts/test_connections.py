"""Connections as people see and end them, and the programs that ask for them."""

import re
from urllib.parse import urlencode

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.audit import Event
from accounts.models import ApiKey, OAuthClient
from tests.accounts.people import NEW, NEWCOMER, create_key
from tests.accounts.programs import CALLBACK, SITE, VERIFIER, Program, query_of, status
from tests.conftest import ApiClient, freshly_signed_in, statements
from tests.factories import PASSWORD
from tests.html import plain, text
from tests.mcp_endpoint.conftest import ToolClient
from tests.scriptless import Scriptless

# --- What programs are known to send ------------------------------------------------------------

CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback"
# The addresses that each registers, the one that it returns to, and what else it sends.
PROGRAMS = {
    "claude.ai": (
        [CALLBACK],
        CALLBACK,
        {"token_endpoint_auth_method": "client_secret_post", "scope": "read write"},
    ),
    "claude.com": (["https://claude.com/api/mcp/auth_callback"], None, {}),
    "Claude Code": (["http://localhost:54212/callback"], "http://localhost:61000/callback", {}),
    "ChatGPT": (["https://chatgpt.com/connector/oauth/abc"], None, {"token_endpoint_auth_method": "none"}),
    "ChatGPT before": (["https://chatgpt.com/connector_platform_oauth_redirect"], None, {}),
    "Cursor": (
        [CURSOR, "http://localhost:8787/callback", "http://example.org/no", "vscode://x/y"],
        "http://localhost:8787/callback",
        {},
    ),
    "Cursor before": ([CURSOR], CURSOR, {}),
    "VS Code": (
        ["http://127.0.0.1/", "http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
        "http://127.0.0.1:50001/",
        {"application_type": "native"},
    ),
    "Gemini CLI": (["http://localhost:7777/oauth/callback"], "http://localhost:7778/oauth/callback", {}),
    "Codex": (["http://127.0.0.1:1455/callback/abc"], "http://127.0.0.1:1456/callback/abc", {}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_today_get_through(site, page, name):
    registered, returns_to, claims = PROGRAMS[name]
    returns_to = returns_to or registered[0]
    head = Client().head("/mcp").headers["WWW-Authenticate"]  # Gemini CLI reads it from a HEAD
    metadata = re.search(r'resource_metadata="([^"]+)"', head)[1]
    resource = Client().get(metadata.removeprefix(SITE)).json()["resource"]
    program = Program(*registered, client_name=name, **claims)
    answer = page.post(
        program.address(redirect_uri=returns_to, resource=resource),
        {"scope": "read_write", "expires": "never", "decision": "connect"},
    )
    address, brought = query_of(answer)
    assert address == returns_to
    tokens = program.exchange(brought["code"], redirect_uri=returns_to, code_verifier=VERIFIER).json()
    assert ToolClient(tokens["access_token"]).get("get_profile")["email"] == "lifter@example.org"


# --- The consent page ---------------------------------------------------------------------------


def test_a_visitor_signs_in_and_comes_back(program, account):
    browser = Client()
    response = browser.get(program.address())
    assert response.headers["Location"].startswith("/sign-in?next=/authorize")
    response = browser.post(response.headers["Location"], {"username": account.email, "password": PASSWORD})
    assert response.headers["Location"].startswith("/authorize?")
    assert browser.get(response.headers["Location"]).status_code == 200


def test_a_newcomer_comes_back_as_well(program, db):
    browser = Scriptless().goto(program.address())
    browser.follow("Create an account")
    browser.press("Create account", **NEWCOMER)
    browser.press("Connect")
    address, brought = query_of(browser.response)
    assert (address, "code" in brought) == (CALLBACK, True)


def test_somebody_else_signs_in_and_goes_on(program, account, stranger):
    browser = Scriptless(freshly_signed_in(stranger)).goto(program.address())
    assert browser.shows("Signed in as stranger@example.org.")
    browser.press("Not you?")
    browser.press("Sign in", username=account.email, password=PASSWORD)
    assert browser.shows("Signed in as lifter@example.org.")
    browser.press("Connect")
    assert query_of(browser.response)[0] == CALLBACK
    assert account.authorization_codes.exists()
    assert not stranger.authorization_codes.exists()


def test_an_old_sign_in_gives_the_password_first(program, account, client):
    client.force_login(account)
    response = client.get(program.address())
    assert response.headers["Location"].startswith(reverse("confirm-password"))
    response = client.post(response.headers["Location"], {"password": PASSWORD})
    assert response.headers["Location"].startswith("/authorize?")


@pytest.mark.parametrize(
    "address",
    [
        *("https://evil.example/", "https:evil.example", "//evil.example", "/\\evil.example"),
        "javascript:alert(1)",
    ],
)
@pytest.mark.parametrize("path", ["/sign-in", "/sign-up"])
def test_another_site_is_never_the_next_page(site, account, path, address):
    body = NEWCOMER if path == "/sign-up" else {"username": account.email, "password": PASSWORD}
    response = Client().post(f"{path}?{urlencode({'next': address})}", body)
    assert (response.status_code, response.headers["Location"]) == (302, "/")


@pytest.mark.parametrize("path", ["/sign-in", "/sign-up", "/settings/account/confirm"])
@pytest.mark.parametrize("address", ["http://[", "//a℀b/", "/sign-in", "/sign-in?next=/sign-in"])
def test_a_next_page_that_leads_nowhere_is_ignored(page, path, address):
    for browser in (Client(raise_request_exception=False), page):
        assert browser.get(path, {"next": address}).status_code in (200, 302)


def test_the_page_has_a_button_to_cancel(program, page):
    browser = Scriptless(page).goto(program.address())
    browser.press("Cancel")
    address, brought = query_of(browser.response)
    assert (address, brought["error"]) == (CALLBACK, "access_denied")


def test_any_other_decision_is_none(program, page):
    response = page.post(program.address(), {"scope": "read", "expires": "1y", "decision": "x"})
    assert response.status_code == 200


def test_the_form_of_one_person_does_not_work_in_the_session_of_another(program, account, stranger):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(account)
    address = program.address()
    form = freshly_signed_in(account).get(address).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)[1]
    chosen = {"scope": "read_write", "expires": "never", "decision": "connect", "csrfmiddlewaretoken": token}
    other = Client(enforce_csrf_checks=True)
    other.cookies = freshly_signed_in(stranger).cookies
    assert other.post(address, chosen).status_code == 403
    assert not stranger.authorization_codes.exists()


def test_the_page_says_what_is_known_and_what_is_claimed(site, page):
    program = Program("https://evil.example/cb", client_name="<b>Claude</b>")
    response = page.get(program.address())
    shown = text(response)
    assert "evil.example" in shown
    assert "<b>Claude" not in response.content.decode()
    assert "The name is what the app calls itself" in shown
    policy = response.headers["Content-Security-Policy"]
    assert "form-action" not in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/sign-in", "/sign-up"])
def test_only_on_the_way_to_the_consent_an_opener_is_kept(site, client, db, path):
    policy = "Cross-Origin-Opener-Policy"
    assert client.get(path).headers[policy] == "same-origin"
    assert client.get(f"{path}?next=/workouts").headers[policy] == "same-origin"
    assert client.get(f"{path}?next=/authorize%3Fclient_id%3Dx").headers[policy] == "unsafe-none"


# --- Settings -----------------------------------------------------------------------------------


def test_a_connection_is_listed_beside_the_keys_and_ended(program, page, account):
    tokens = program.connect(page, scope="read", expires="90d")
    shown = text(page.get(reverse("developer")))
    assert "Claude" in shown
    assert "claude.ai" in shown
    assert "Read only" in shown
    assert "0 of 10 active" in shown  # keys
    assert status(tokens["access_token"]) == 200
    assert "Last used" in text(page.get(reverse("developer")))
    connection = account.api_keys.connections().get()
    page.post(reverse("revoke-key", args=[connection.pk]))
    assert status(tokens["access_token"]) == 401
    assert "1 ended connection" in text(page.get(reverse("developer")))


def test_windows_are_listed_with_times_and_addresses(program, clock, account):
    page = freshly_signed_in(account)

    def facts():
        return plain(text(page.get(reverse("developer"))))

    tokens = program.connect(page)
    clock.move_to("2026-03-02T11:30:00Z", tick=False)
    program.client = Client(REMOTE_ADDR="203.0.113.5")
    renewed = program.refresh(tokens["refresh_token"]).json()
    assert "window" not in facts()  # one goes on
    clock.move_to("2026-03-02T12:45:00Z", tick=False)
    program.client = Client(REMOTE_ADDR="198.51.100.7")
    program.refresh(tokens["refresh_token"])
    shown = "2 windows 2 Mar 2026, 12:45 from 198.51.100.7 2 Mar 2026, 11:30 from 203.0.113.5"
    assert shown in facts()
    account.oauth_tokens.update(address="")  # as over a socket without one
    assert "2 windows 2 Mar 2026, 12:45 2 Mar 2026, 11:30" in facts()
    program.revoke(client_id=program.client_id, token=renewed["refresh_token"])
    assert "window" not in facts()


def test_without_connections_the_page_has_the_address_to_paste(site, page):
    assert f"{SITE}/mcp" in text(page.get(reverse("developer")))


def test_where_oauth_is_off_nothing_is_said_of_it(page, settings):
    settings.PUBLIC_URL = "http://192.168.1.5:8000"
    assert "Connections" not in text(page.get(reverse("developer")))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:8000", "opens on this device alone"),
        ("http://192.168.1.5:8000", "has no https"),
        (SITE, None),
    ],
)
def test_what_needs_https_is_said_where_there_is_none(page, settings, address, said):
    settings.PUBLIC_URL = address
    shown = text(page.get(reverse("developer")))
    assert ("What needs https" in shown) == bool(said)
    assert ("custom connector" in shown) == (said is None)  # Claude and ChatGPT reach https addresses alone
    assert not said or said in shown


def test_where_oauth_was_on_before_its_connections_can_be_ended(program, page, settings):
    program.connect(page)
    settings.PUBLIC_URL = "http://192.168.1.5:8000"
    shown = text(page.get(reverse("developer")))
    assert "Disconnect" in shown
    assert "custom connector" not in shown


def test_connections_do_not_count_among_the_keys(program, page, account):
    for number in range(10):
        account.issue_key(f"key {number}", "read", "never")
    assert status(program.connect(page)["access_token"]) == 200


def test_a_key_is_created_although_a_program_connected_meanwhile(program, page, account):
    form = page.get(reverse("developer"))
    program.connect(page)
    newest = form.context["form"].initial["newest_key"]
    assert "svc_" in text(create_key(page, newest_key=newest))


def test_a_new_password_ends_connections_and_keeps_keys(tokens, page, account):
    key, _ = account.issue_key("phone", "read", "never")
    page.post(reverse("account"), {"old_password": PASSWORD, **NEW})
    assert status(tokens["access_token"]) == 401
    assert ApiClient(key).get("/me").status_code == 200


def test_a_deactivated_account_has_no_way_in(tokens, account):
    account.deactivate()
    assert status(tokens["access_token"]) == 401
    account.reactivate()
    assert status(tokens["access_token"]) == 200


def test_staff_revoke_connections_with_the_keys(tokens, account):
    account.revoke_keys()
    assert status(tokens["access_token"]) == 401


def test_a_deleted_account_takes_everything_along(tokens, program, page, account):
    program.ask(page)
    page.post(reverse("delete-account"), {"password": PASSWORD})
    assert status(tokens["access_token"]) == 401
    assert not ApiKey.objects.connections().exists()
    assert OAuthClient.objects.count() == 1  # it belongs to nobody


# --- Audit, mail and staff ----------------------------------------------------------------------


def test_the_audit_trail_has_beginning_and_end(tokens, account):
    account.api_keys.connections().get().revoke()
    events = account.audit_events.filter(event__in=[Event.CONNECTION_MADE, Event.CONNECTION_ENDED])
    assert [(event.event, event.key_hint) for event in events.order_by("pk")] == [
        (Event.CONNECTION_MADE, "claude.ai"),
        (Event.CONNECTION_ENDED, "claude.ai"),
    ]


def test_the_owner_is_told_by_mail(program, sends_mail, page):
    program.connect(page)
    (message,) = mail.outbox
    assert message.subject == "An app is connected"
    assert "“Claude”, which returns to claude.ai. It may read and write" in message.body


def test_a_long_host_keeps_its_end(site, page, account):
    host = f"claude.ai.{'x' * 60}.evil.example"
    Program(f"https://{host}/cb").connect(page)
    connection = account.api_keys.connections().get()
    assert len(connection.hint) == 64
    assert connection.hint.endswith(".evil.example")


def test_staff_tell_keys_from_connections(tokens, account, admin_page):
    account.issue_key("phone", "read", "never")
    address = reverse("admin:accounts_apikey_changelist")
    found = {
        kind: [key.name for key in admin_page.get(address, {"kind": kind}).context["cl"].result_list]
        for kind in ("key", "connection")
    }
    assert found == {"key": ["phone"], "connection": ["Claude"]}
    assert "claude.ai" in text(admin_page.get(reverse("admin:accounts_oauthclient_changelist")))


# --- Cost ---------------------------------------------------------------------------------------


def test_a_call_with_a_token_takes_as_many_statements_as_one_with_a_key(tokens, api, account):
    counts = []
    for key in (tokens["access_token"], api.key):
        tools = ToolClient(key)
        tools.get("get_profile")  # which stores the use
        with statements() as executed:
            tools.get("get_profile")
        counts.append(len(executed))
    assert counts == [1, 1]
