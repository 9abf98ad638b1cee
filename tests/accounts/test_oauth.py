"""OAuth as programs see it: metadata, registration, authorization, tokens, and every refusal of them."""

import datetime
import json

import pytest
from django.test import Client
from django.utils import timezone

from accounts.audit import AuditEvent, Event
from accounts.models import MAX_ACTIVE_CONNECTIONS, Account, ApiKey
from accounts.oauth import tokens as oauth_tokens
from accounts.oauth.models import AuthorizationCode, OAuthClient, OAuthToken
from accounts.purge import purge
from tests.accounts.programs import CALLBACK, RESOURCE, SITE, VERIFIER, Program, query_of, refusal, status
from tests.mcp_endpoint.conftest import ToolClient, request

PING = request("ping")
WELL_KNOWN = "/.well-known/oauth-"


def made():
    """How many connections, codes and tokens there are."""
    return ApiKey.objects.connections().count(), AuthorizationCode.objects.count(), OAuthToken.objects.count()


def later(time_machine, wait):
    """Moves on by a timedelta, or by seconds."""
    wait = wait if isinstance(wait, datetime.timedelta) else datetime.timedelta(seconds=wait)
    time_machine.move_to(timezone.now() + wait)


# --- Metadata -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rest", ["", "/mcp"])
def test_the_resource_names_its_authorization_server(client, site, rest):
    response = client.get(f"{WELL_KNOWN}protected-resource{rest}")
    assert response.json()["resource"] == RESOURCE
    assert response.json()["authorization_servers"] == [SITE]
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Cache-Control"] == "public, max-age=300"


def test_the_authorization_server_describes_itself(client, site):
    found = client.get(f"{WELL_KNOWN}authorization-server").json()
    assert found["issuer"] == SITE
    endpoints = {name: address for name, address in found.items() if name.endswith("_endpoint")}
    assert endpoints == {
        f"{name}_endpoint": f"{SITE}/{path}"
        for name, path in {
            "authorization": "authorize",
            "token": "token",
            "registration": "register",
            "revocation": "revoke",
        }.items()
    }
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["token_endpoint_auth_methods_supported"] == ["none"]
    assert "client_id_metadata_document_supported" not in found


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/openid-configuration",
        "/mcp/.well-known/oauth-protected-resource",
        "/mcp/sse",
        "/.well-known",
    ],
)
def test_other_well_known_addresses_are_a_404_in_json(client, site, path):
    assert refusal(client.get(path)) == (404, "not_found")


ADDRESSES = [
    *("/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"),
    *("/authorize", "/token", "/register", "/revoke"),
]


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("public_url", ["http://192.168.1.5:8000", ""])
def test_over_a_network_without_tls_there_is_none_of_it(client, db, settings, path, public_url):
    settings.PUBLIC_URL = public_url  # without one, the test client is at http://testserver
    assert client.get(path).status_code == client.post(path).status_code == 404
    assert not 200 <= client.options(path).status_code < 300  # which lets a page ask
    assert "resource_metadata" not in ToolClient().post(PING).headers["WWW-Authenticate"]


def test_on_this_machine_it_needs_no_public_url(client, db):
    found = client.get(f"{WELL_KNOWN}authorization-server", headers={"Host": "127.0.0.1:8000"})
    assert found.json()["issuer"] == "http://127.0.0.1:8000"


@pytest.mark.parametrize("path", ["/token", "/register", "/revoke"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_programs_post(client, site, db, path, method):
    response = client.generic(method, path)
    assert refusal(response) == (405, "invalid_request")
    assert response.headers["Allow"] == "POST, OPTIONS"


PREFLIGHT = {
    "Origin": "https://inspector.example.org",
    "Access-Control-Request-Headers": "content-type, mcp-protocol-version",
}


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/.well-known/oauth-protected-resource", "GET, HEAD"),
        ("/.well-known/oauth-protected-resource/mcp", "GET, HEAD"),
        ("/.well-known/oauth-authorization-server", "GET, HEAD"),
        *((path, "POST") for path in ("/token", "/register", "/revoke")),
    ],
)
def test_a_program_in_a_page_of_another_site_may_ask(client, site, db, path, methods):
    preflight = client.options(path, headers=PREFLIGHT)
    assert (preflight.status_code, preflight.content) == (204, b"")
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert preflight.headers["Access-Control-Allow-Methods"] == methods
    allowed = preflight.headers["Access-Control-Allow-Headers"].lower().split(", ")
    assert {"content-type", "mcp-protocol-version"} <= set(allowed)
    assert "Access-Control-Allow-Credentials" not in preflight.headers


def test_it_reads_every_answer(program, tokens):
    refused = [
        program.client.get("/token"),
        program.client.get("/.well-known/openid-configuration"),
        program.refresh("svcr_unknown"),
        program.client.post("/register", "{", content_type="application/json"),
        program.client.post("/register", "x" * 300_000, content_type="application/json"),
    ]
    assert [response.status_code for response in refused] == [405, 404, 400, 400, 413]
    answered = [
        program.register(redirect_uris=[CALLBACK]),
        program.refresh(tokens["refresh_token"]),
        program.revoke(client_id=program.client_id, token=tokens["access_token"]),
    ]
    assert [response.status_code for response in answered] == [201, 200, 200]
    for response in (*refused, *answered):
        assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_the_consent_page_is_for_no_other_site(program, page):
    response = page.get(program.address(), headers=PREFLIGHT)
    assert "Access-Control-Allow-Origin" not in response.headers
    assert page.options(program.address(), headers=PREFLIGHT).status_code == 405


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE"])
def test_the_401_leads_to_the_metadata_whatever_the_method(site, nobody, method):
    response = nobody.client.generic(method, "/mcp")
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == (
        'Bearer realm="api", scope="read write", '
        f'resource_metadata="{SITE}/.well-known/oauth-protected-resource/mcp"'
    )


def test_the_401_says_what_is_wrong_with_a_credential(site, db):
    challenge = ToolClient("svca_nothing").post(PING).headers["WWW-Authenticate"]
    assert challenge.startswith('Bearer realm="api", error="invalid_token", error_description="')
    assert "resource_metadata=" in challenge


def test_the_401_of_rest_names_no_metadata(site, nobody):
    assert "resource_metadata" not in nobody.get("/me").headers["WWW-Authenticate"]


# --- Registration -------------------------------------------------------------------------------


def test_a_program_is_told_what_is_registered(program):
    response = program.register(
        redirect_uris=[CALLBACK, CALLBACK],
        token_endpoint_auth_method="client_secret_post",
        grant_types=["authorization_code"],
        application_type="native",
    )
    told = response.json()
    assert (response.status_code, told["redirect_uris"], told["client_name"]) == (201, [CALLBACK], "Claude")
    assert told["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in told
    assert response.headers["Cache-Control"] == "no-store"


ACCEPTABLE = [
    CALLBACK,
    "https://example.org:8443/cb?a=1",
    "http://localhost/callback",
    "http://127.0.0.1:49200/callback",
    "http://[::1]:49200/",
    "cursor://anysphere.cursor-mcp/oauth/callback",
]
NOT_ACCEPTABLE = [
    *("http://example.org/cb", "http://localhost.example.org/cb", "http://127.0.0.2/cb", "http://10.0.0.1/"),
    *("https://user@example.org/", "https://example.org/#part", "https://example.org/*", "https:///cb"),
    *("javascript:alert(1)", "data:text/html,x", "claude://oauth", "file:///etc/passwd", "/cb", "", None, 5),
    *("https://example.org/a b", "https://example.org\\@evil.example/", "https://exämple.org/"),
    *(
        "https://example.org/\n",
        "https://example.org:x/",
        "https://[::1/",
        f"https://example.org/{'x' * 500}",
    ),
]


@pytest.mark.parametrize("address", ACCEPTABLE)
def test_addresses_that_are_accepted(program, address):
    assert program.register(redirect_uris=[address]).json()["redirect_uris"] == [address]


@pytest.mark.parametrize("address", NOT_ACCEPTABLE)
def test_addresses_that_are_refused_alone_and_left_out_beside_others(program, address):
    assert refusal(program.register(redirect_uris=[address])) == (400, "invalid_redirect_uri")
    assert program.register(redirect_uris=[address, CALLBACK]).json()["redirect_uris"] == [CALLBACK]


@pytest.mark.parametrize(
    ("claimed", "error"),
    [
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": None}, "invalid_redirect_uri"),
        ({"redirect_uris": CALLBACK}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK] * 11}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK], "client_name": "x" * 101}, "invalid_client_metadata"),
        ({"redirect_uris": [CALLBACK], "client_name": ["Claude"]}, "invalid_client_metadata"),
    ],
)
def test_claims_that_are_refused(program, claimed, error):
    before = OAuthClient.objects.count()
    assert refusal(program.register(**claimed)) == (400, error)
    assert OAuthClient.objects.count() == before


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"[]", "application/json", 400),
        (b"{", "application/json", 400),
        (b"{}", "text/plain", 415),
        (json.dumps({"redirect_uris": [CALLBACK], "x": "y" * 17_000}), "application/json", 413),
        (b"x" * 300_000, "application/json", 413),
    ],
)
def test_bodies_that_are_refused(program, body, content_type, expected):
    response = program.client.post("/register", body, content_type=content_type)
    assert refusal(response)[0] == expected


@pytest.mark.parametrize(
    ("claimed", "name"),
    [
        ("", "claude.ai"),
        (None, "claude.ai"),
        (" \u202e ", "claude.ai"),
        ("Claude\u202egpj", "Claudegpj"),
        ("Claude” by Anthropic. “", "Claude by Anthropic."),
        ("Trainer 👨‍👩‍👧", "Trainer 👨👩👧"),
    ],
)
def test_a_name_is_one_readable_line(program, claimed, name):
    assert program.register(redirect_uris=[CALLBACK], client_name=claimed).json()["client_name"] == name


def test_an_address_registers_twenty_an_hour(program):
    statuses = [program.register(redirect_uris=[CALLBACK]).status_code for _ in range(20)]
    assert statuses == [201] * 19 + [429]  # the fixture has registered the first
    response = program.register(redirect_uris=[CALLBACK])
    assert refusal(response) == (429, "rate_limited")
    assert 0 < int(response.headers["Retry-After"]) <= 3600


def test_programs_that_nobody_connected_go_after_a_day(program, page):
    connected = Program()
    connected.connect(page)
    OAuthClient.objects.update(created_at=timezone.now() - datetime.timedelta(hours=25))
    newest = Program()
    kept = {connected.client_id, newest.client_id}
    assert set(OAuthClient.objects.values_list("client_id", flat=True)) == kept


# --- The request for authorization --------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": None},
        {"client_id": "unknown"},
        {"client_id": "\0"},
        {"client_id": ["a", "b"]},
        {"client_id": "https://claude.ai/oauth/mcp-oauth-client-metadata"},  # documents are off
        {"redirect_uri": "https://evil.example/api/mcp/auth_callback"},
        {"redirect_uri": f"{CALLBACK}/x"},
        {"redirect_uri": CALLBACK.replace("https", "http")},
        {"redirect_uri": CALLBACK.upper()},
        {"redirect_uri": [CALLBACK, CALLBACK]},
        {"redirect_uri": ""},
    ],
)
def test_who_cannot_be_trusted_is_not_redirected_to(program, page, changes):
    for browser in (page, Client()):
        response = browser.get(program.address(**changes))
        assert response.status_code == 400
        assert "Remove the connection in the app and add it again" in response.content.decode()
        assert "evil.example" not in response.content.decode()
    assert made() == (0, 0, 0)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": None}, "unsupported_response_type"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_mode": "form_post"}, "invalid_request"),
        ({"request": "x"}, "request_not_supported"),
        ({"request_uri": "https://x"}, "request_uri_not_supported"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "+" * 43}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": ["read", "write"]}, "invalid_request"),
        ({"state": ["a state", "b"]}, "invalid_request"),
        ({"resource": f"{SITE}/api/v1"}, "invalid_target"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": [RESOURCE, "https://other.example/mcp"]}, "invalid_target"),
        ({"resource": [RESOURCE, RESOURCE]}, "invalid_target"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"scope": "openid profile"}, "invalid_scope"),
        ({"prompt": "none"}, "interaction_required"),
    ],
)
@pytest.mark.parametrize("is_signed_in", [True, False])
def test_what_else_is_wrong_goes_back_to_the_program(program, page, changes, error, is_signed_in):
    browser = page if is_signed_in else Client()
    address, told = query_of(browser.get(program.address(**changes)))
    assert address == CALLBACK
    assert (told["error"], told["iss"]) == (error, SITE)
    assert told["state"] == (changes.get("state") or ["a state"])[-1] if "state" in changes else "a state"
    assert told["error_description"]
    assert made() == (0, 0, 0)


@pytest.mark.parametrize(
    ("changes", "offered"),
    [
        ({}, {"read", "read_write"}),
        ({"scope": None}, {"read", "read_write"}),
        ({"scope": "write"}, {"read", "read_write"}),
        ({"scope": "read"}, {"read"}),
        ({"scope": "read offline_access"}, {"read"}),
        ({"scope": "offline_access"}, {"read", "read_write"}),
        ({"scope": "read openid"}, {"read"}),
        ({"resource": None}, {"read", "read_write"}),
        ({"resource": f"{RESOURCE}/"}, {"read", "read_write"}),
        ({"resource": RESOURCE.replace("https://fit", "HTTPS://FIT")}, {"read", "read_write"}),
        ({"redirect_uri": None}, {"read", "read_write"}),
        ({"prompt": "consent"}, {"read", "read_write"}),
        ({"nonce": "x", "ui_locales": "de"}, {"read", "read_write"}),
    ],
)
def test_what_the_person_is_offered(program, page, changes, offered):
    response = page.get(program.address(**changes))
    assert response.status_code == 200
    assert {value for value, _ in response.context["form"].fields["scope"].choices} == offered


def test_more_than_was_asked_for_cannot_be_granted(program, page):
    response = page.post(
        program.address(scope="read"), {"scope": "read_write", "expires": "1y", "decision": "connect"}
    )
    assert response.status_code == 200
    assert "Select a valid choice" in response.content.decode()
    assert made() == (0, 0, 0)


def test_less_than_was_asked_for_can_be_granted(program, page):
    tokens = program.connect(page, scope="read")
    assert tokens["scope"] == "read"
    assert ToolClient(tokens["access_token"]).get("get_profile")["email"] == "lifter@example.org"


def test_cancel_tells_the_program_and_needs_no_fresh_sign_in(program, account, client):
    client.force_login(account)
    told = program.ask(client, decision="cancel")
    assert (told["error"], told["state"], told["iss"]) == ("access_denied", "a state", SITE)
    assert made() == (0, 0, 0)


def test_without_a_state_none_comes_back(program, page):
    assert set(program.ask(page, state=None)) == {"code", "iss"}


@pytest.mark.parametrize("query", ["from=here", "a=%20b", "flag", "a=%2B&b"])
def test_the_query_of_the_address_is_kept_letter_by_letter(site, page, query):
    program = Program(f"{CALLBACK}?{query}")
    response = page.post(program.address(), {"scope": "read", "expires": "1y", "decision": "connect"})
    assert response.headers["Location"].startswith(f"{CALLBACK}?{query}&code=")


@pytest.mark.parametrize(
    ("registered", "asked"),
    [
        ("http://localhost/callback", "http://localhost:49200/callback"),
        ("http://127.0.0.1:33418/", "http://127.0.0.1:50123/"),
        ("http://[::1]/cb?x=1", "http://[::1]:8080/cb?x=1"),
    ],
)
def test_a_program_on_this_device_chooses_its_port(site, page, registered, asked):
    program = Program(registered)
    code = program.ask(page, redirect_uri=asked)["code"]
    assert refusal(program.exchange(code)) == (400, "invalid_grant")  # the address of the exchange differs
    assert program.exchange(code, redirect_uri=asked).status_code == 200


@pytest.mark.parametrize(
    ("registered", "asked"),
    [
        ("http://localhost/callback", "http://127.0.0.1/callback"),
        ("http://localhost/callback", "http://localhost/other"),
        ("http://localhost/callback", "http://localhost:1/callback?x=1"),
        ("http://localhost/callback", "https://localhost/callback"),
        ("http://localhost/callback", "http://user@localhost/callback"),
        ("https://example.org/cb", "https://example.org:8443/cb"),
    ],
)
def test_nothing_else_of_an_address_may_differ(site, page, registered, asked):
    assert page.get(Program(registered).address(redirect_uri=asked)).status_code == 400


# --- The exchange of a code ---------------------------------------------------------------------


def test_the_exchange_makes_a_connection(program, page, account):
    code = program.ask(page, expires="90d")["code"]
    assert made() == (0, 1, 0)
    response = program.exchange(code)
    assert response.headers["Cache-Control"] == "no-store"
    told = response.json()
    assert (told["token_type"], told["scope"]) == ("Bearer", "read write")
    assert told["expires_in"] == 24 * 3600
    connection = account.api_keys.connections().get()
    assert (connection.name, connection.hint, connection.days_left) == ("Claude", "claude.ai", 90)
    tools = ToolClient(told["access_token"])
    tools.get("log_weight", weight_kg=80.5)
    assert account.weight_logs.get().weight_kg == 80.5


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"code": "svcc_unknown"}, (400, "invalid_grant")),
        ({"code": None}, (400, "invalid_request")),
        ({"redirect_uri": None}, (400, "invalid_grant")),
        ({"redirect_uri": f"{CALLBACK}/"}, (400, "invalid_grant")),
        ({"code_verifier": None}, (400, "invalid_request")),
        ({"code_verifier": VERIFIER[:-1]}, (400, "invalid_grant")),
        ({"code_verifier": f"{VERIFIER[:-1]}ä"}, (400, "invalid_grant")),
        ({"client_id": None}, (401, "invalid_client")),
        ({"client_id": "unknown"}, (401, "invalid_client")),
        ({"client_id": "\0"}, (401, "invalid_client")),
        ({"grant_type": None}, (400, "invalid_request")),
        ({"grant_type": "password"}, (400, "unsupported_grant_type")),
        ({"grant_type": "client_credentials"}, (400, "unsupported_grant_type")),
        ({"resource": "https://other.example/mcp"}, (400, "invalid_target")),
    ],
)
def test_a_refused_exchange_makes_nothing_and_burns_no_code(program, page, changes, expected):
    code = program.ask(page)["code"]
    assert refusal(program.exchange(**{"code": code, **changes})) == expected
    assert made() == (0, 1, 0)
    assert program.exchange(code).status_code == 200


def test_another_program_cannot_use_the_code(program, page):
    code = program.ask(page)["code"]
    assert refusal(Program().exchange(code)) == (400, "invalid_grant")
    assert program.exchange(code).status_code == 200


def test_a_code_lives_for_a_minute(program, page, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    page = signed_in_now(page)
    code = program.ask(page)["code"]
    time_machine.move_to("2026-03-02T10:01:00Z", tick=False)
    assert refusal(program.exchange(code)) == (400, "invalid_grant")


def signed_in_now(page):
    """The browser, freshly signed in at the moment that a test has moved to."""
    session = page.session
    session["password_given_at"] = timezone.now().timestamp()
    session.save()
    return page


def test_the_second_use_of_a_code_ends_the_connection(program, page, account):
    code = program.ask(page)["code"]
    token = program.exchange(code).json()["access_token"]
    assert status(token) == 200
    assert refusal(program.exchange(code)) == (400, "invalid_grant")
    assert status(token) == 401
    assert account.api_keys.connections().get().revoked_at


def test_the_code_of_a_closed_account_opens_nothing(program, page, account):
    code = program.ask(page)["code"]
    account.deactivate()
    assert refusal(program.exchange(code)) == (400, "invalid_grant")
    account.reactivate()
    account.delete()
    assert refusal(program.exchange(code)) == (400, "invalid_grant")


@pytest.mark.parametrize(("sent", "expected"), [(None, 200), (CALLBACK, 200), (f"{CALLBACK}/", 400)])
def test_an_address_that_was_left_out_may_be_left_out_again(program, page, sent, expected):
    code = program.ask(page, redirect_uri=None)["code"]
    assert program.exchange(code, redirect_uri=sent).status_code == expected


@pytest.mark.parametrize(
    "end", [Account.revoke_keys, lambda account: account.store_password(Event.PASSWORD_RESET)]
)
def test_what_ends_connections_ends_codes_as_well(program, page, account, end):
    code = program.ask(page)["code"]
    end(account)
    assert refusal(program.exchange(code)) == (400, "invalid_grant")


def test_a_program_is_not_deleted_while_somebody_connects_it(program, page):
    OAuthClient.objects.update(created_at=timezone.now() - datetime.timedelta(hours=25))
    code = program.ask(page)["code"]
    Program()
    assert program.exchange(code).status_code == 200


def test_a_program_that_connects_again_replaces_its_connection(program, page, account):
    first, second = program.connect(page, scope="read"), program.connect(page)
    assert (status(first["access_token"]), status(second["access_token"])) == (401, 200)
    assert account.api_keys.connections().active().count() == 1
    other = Program().connect(page)
    assert status(other["access_token"]) == status(second["access_token"]) == 200


def test_a_form_is_sent_with_each_parameter_once(program, page):
    response = program.client.post("/token", "{}", content_type="application/json")
    assert refusal(response) == (400, "invalid_request")
    for charset in ("iso-8859-1", "utf-16"):
        form = f"application/x-www-form-urlencoded; charset={charset}"
        response = program.client.post("/token", b"grant_type=refresh_token", content_type=form)
        assert refusal(response) == (400, "invalid_request")
    twice = "grant_type=refresh_token&grant_type=refresh_token"
    response = program.client.post("/token", twice, content_type="application/x-www-form-urlencoded")
    assert refusal(response) == (400, "invalid_request")


def test_an_account_has_at_most_twenty_connections(program, page, account):
    client = OAuthClient.objects.create(client_id="others", name="Others", redirect_uris=[CALLBACK])
    late = program.ask(page)["code"]
    for number in range(MAX_ACTIVE_CONNECTIONS):
        account.connect(client, "read", "never", f"{number}.example.org")
    assert refusal(program.exchange(late)) == (400, "invalid_grant")
    chosen = {"scope": "read", "expires": "1y", "decision": "connect"}
    response = page.post(program.address(), chosen)
    assert "Disconnect one first" in response.content.decode()
    account.api_keys.connections().first().revoke()
    assert query_of(page.post(program.address(), chosen))[1]["code"]


# --- Renewal ------------------------------------------------------------------------------------


def test_a_refresh_token_buys_a_new_pair(program, tokens):
    renewed = program.refresh(tokens["refresh_token"]).json()
    assert renewed["scope"] == "read write"
    assert status(renewed["access_token"]) == status(tokens["access_token"]) == 200
    assert program.refresh(renewed["refresh_token"]).status_code == 200


def test_a_lost_answer_is_asked_for_again(program, tokens):
    first = program.refresh(tokens["refresh_token"]).json()
    second = program.refresh(tokens["refresh_token"]).json()
    assert status(first["access_token"]) == status(second["access_token"]) == 200
    # Either of the two goes on.
    assert program.refresh(first["refresh_token"]).status_code == 200
    assert program.refresh(second["refresh_token"]).status_code == 200


def test_a_second_window_renews_with_the_token_that_the_first_has_used(
    program, tokens, account, time_machine
):
    first = program.refresh(tokens["refresh_token"]).json()
    later(time_machine, oauth_tokens.ACCESS_LIFETIME - datetime.timedelta(minutes=1))
    newest = program.refresh(first["refresh_token"]).json()  # the first window goes on meanwhile
    second = program.refresh(tokens["refresh_token"]).json()
    assert status(newest["access_token"]) == status(second["access_token"]) == 200
    assert account.api_keys.connections().active().count() == 1
    assert [event.detail for event in account.audit_events.filter(event=Event.WINDOW_OPENED)] == ["2 windows"]
    for pair in (newest, second):
        assert program.refresh(pair["refresh_token"]).status_code == 200
    assert account.audit_events.filter(event=Event.WINDOW_OPENED).count() == 1


def test_a_refresh_token_that_was_used_a_day_ago_ends_the_connection(program, tokens, account, time_machine):
    renewed = program.refresh(tokens["refresh_token"]).json()
    later(time_machine, oauth_tokens.ACCESS_LIFETIME - datetime.timedelta(minutes=1))
    second = program.refresh(tokens["refresh_token"]).json()
    later(time_machine, 61)  # a day after the first use, whatever was bought since
    assert refusal(program.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    for pair in (renewed, second):
        assert status(pair["access_token"]) == 401
        assert refusal(program.refresh(pair["refresh_token"])) == (400, "invalid_grant")
    assert account.audit_events.filter(event=Event.TOKEN_REUSED).count() == 1
    assert account.audit_events.filter(event=Event.CONNECTION_ENDED).count() == 1


def windows_of(program, token):
    """As many as a connection may have, which have renewed with the same token."""
    return [program.refresh(token).json() for _ in range(oauth_tokens.MAX_WINDOWS)]


def test_a_sixth_window_is_refused_and_ends_nothing(program, tokens, account):
    windows = windows_of(program, tokens["refresh_token"])
    before = made()
    assert refusal(program.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert made() == before
    assert account.audit_events.filter(event=Event.WINDOW_OPENED).last().detail == "2 windows"
    assert account.audit_events.filter(event=Event.WINDOW_OPENED).first().detail == "5 windows"
    windows = [program.refresh(pair["refresh_token"]).json() for pair in windows]  # these go on
    assert [status(pair["access_token"]) for pair in windows] == [200] * oauth_tokens.MAX_WINDOWS


def test_a_window_that_was_left_for_a_day_gives_way_to_another(program, tokens, time_machine):
    left, *others = windows_of(program, tokens["refresh_token"])
    later(time_machine, datetime.timedelta(hours=20))
    others = [program.refresh(pair["refresh_token"]).json() for pair in others]
    later(time_machine, datetime.timedelta(hours=5))
    newest, again = (program.refresh(others[0]["refresh_token"]).json() for _ in range(2))
    assert refusal(program.refresh(left["refresh_token"])) == (400, "invalid_grant")
    others = [program.refresh(pair["refresh_token"]) for pair in (newest, again, *others[1:])]
    assert [response.status_code for response in others] == [200] * oauth_tokens.MAX_WINDOWS


def test_a_window_that_nothing_takes_the_place_of_may_be_left_for_long(program, tokens, time_machine):
    left, *_ = windows_of(program, tokens["refresh_token"])
    later(time_machine, datetime.timedelta(days=80))
    assert program.refresh(left["refresh_token"]).status_code == 200


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"refresh_token": "svcr_unknown"}, (400, "invalid_grant")),
        ({"refresh_token": None}, (400, "invalid_request")),
        ({"client_id": None}, (401, "invalid_client")),
        ({"scope": "read write admin"}, (400, "invalid_scope")),
        ({"resource": f"{SITE}/api/v1"}, (400, "invalid_target")),
    ],
)
def test_a_refused_renewal_changes_nothing(program, tokens, changes, expected):
    before = made()
    assert refusal(program.refresh(**{"token": tokens["refresh_token"], **changes})) == expected
    assert made() == before
    assert program.refresh(tokens["refresh_token"], scope="read offline_access").status_code == 200


def test_another_program_cannot_renew_and_ends_nothing(program, tokens):
    assert refusal(Program().refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert program.refresh(tokens["refresh_token"]).status_code == 200


def test_no_renewal_of_what_has_ended(program, tokens, account, time_machine):
    assert refusal(program.refresh(tokens["access_token"])) == (400, "invalid_grant")
    account.deactivate()
    assert refusal(program.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    account.reactivate()
    later(time_machine, 91 * 24 * 3600)
    assert refusal(program.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


def test_a_connection_that_ends_takes_its_tokens_along(program, page, time_machine):
    tokens = program.connect(page, expires="90d")
    later(time_machine, datetime.timedelta(days=89, hours=12))
    renewed = program.refresh(tokens["refresh_token"]).json()
    assert renewed["expires_in"] <= 12 * 3600
    assert status(renewed["access_token"]) == 200
    later(time_machine, 12 * 3600)
    assert status(renewed["access_token"]) == 401
    assert refusal(program.refresh(renewed["refresh_token"])) == (400, "invalid_grant")


def test_an_access_token_lives_for_a_day(program, tokens, time_machine):
    later(time_machine, 24 * 3600 - 60)
    assert status(tokens["access_token"]) == 200
    later(time_machine, 61)
    response = ToolClient(tokens["access_token"]).post(PING)
    assert (response.status_code, response.json()["error"]["data"]["code"]) == (401, "expired_key")
    assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]


def test_tokens_are_renewed_thirty_times_an_hour(program, tokens, time_machine):
    newest = tokens
    for _ in range(oauth_tokens.RENEWALS_AN_HOUR):
        newest = program.refresh(newest["refresh_token"]).json()
    response = program.refresh(newest["refresh_token"])
    assert refusal(response) == (429, "slow_down")
    assert response.headers["Retry-After"] == "3600"
    assert status(tokens["access_token"]) == status(newest["access_token"]) == 200
    later(time_machine, 3601)
    assert program.refresh(newest["refresh_token"]).status_code == 200


def test_renewals_of_a_clock_that_was_a_day_ahead_are_not_counted(program, tokens, time_machine):
    newest = tokens
    later(time_machine, 24 * 3600)
    for _ in range(oauth_tokens.RENEWALS_AN_HOUR):
        newest = program.refresh(newest["refresh_token"]).json()
    later(time_machine, -24 * 3600)
    assert program.refresh(newest["refresh_token"]).status_code == 200


def test_what_has_expired_is_purged(program, tokens, page, time_machine):
    program.ask(page)
    later(time_machine, 25 * 3600)
    purge()
    assert AuthorizationCode.objects.count() == 0
    assert [token.kind for token in OAuthToken.objects.all()] == ["refresh"]


# --- Revocation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_the_program_ends_its_connection(program, tokens, account, kind):
    assert program.revoke(client_id=program.client_id, token=tokens[kind]).status_code == 200
    assert status(tokens["access_token"]) == 401
    assert refusal(program.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert account.audit_events.filter(event=Event.CONNECTION_ENDED).count() == 1
    again = program.revoke(client_id=program.client_id, token=tokens[kind], token_type_hint="x")
    assert again.status_code == 200


def test_what_is_not_the_programs_own_is_left_alone(program, tokens):
    other = Program()
    assert other.revoke(client_id=other.client_id, token=tokens["access_token"]).status_code == 200
    for unknown in ("unknown", "\0"):
        assert other.revoke(client_id=unknown, token=tokens["access_token"]).status_code == 200
    assert program.revoke(client_id=program.client_id, token="svca_unknown").status_code == 200
    assert refusal(program.revoke(token=tokens["access_token"])) == (401, "invalid_client")
    assert refusal(program.revoke(client_id=program.client_id)) == (400, "invalid_request")
    assert status(tokens["access_token"]) == 200


# --- What tokens open ---------------------------------------------------------------------------


def test_tokens_open_the_tools_alone(program, tokens, page, nobody):
    access, refresh = tokens["access_token"], tokens["refresh_token"]
    for token in (access, refresh):
        headers = {"Authorization": f"Bearer {token}"}
        assert nobody.call("GET", "/me", headers=headers).status_code == 401
        assert nobody.call("GET", "/me", headers={"api-key": token}).status_code == 401
        assert Client().get("/settings/profile", headers=headers).status_code == 302
        assert Client().post(f"/mcp?access_token={token}", PING, "application/json").status_code == 401
    assert status(access) == 200
    assert status(refresh) == status(program.ask(page)["code"]) == 401


def test_a_connection_that_may_only_read_is_told_how_to_get_more(program, page):
    tools = ToolClient(program.connect(page, scope="read")["access_token"])
    told = tools.legacy("tools/call", {"name": "log_weight", "arguments": {"weight_kg": 80}}).json()["result"]
    assert "this connection may only read" in told["content"][0]["text"]
    response = tools.modern("tools/call", {"name": "log_weight", "arguments": {"weight_kg": 80}})
    assert response.status_code == 403
    challenge = response.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope", scope="write", resource_metadata="' in challenge


def test_no_text_of_a_token_is_stored(program, tokens, page):
    code = program.ask(page)["code"]
    stored = json.dumps(
        [list(model.objects.values()) for model in (ApiKey, AuthorizationCode, OAuthToken, AuditEvent)],
        default=str,
    )
    for text in (code, tokens["access_token"], tokens["refresh_token"]):
        assert text[5:] not in stored
