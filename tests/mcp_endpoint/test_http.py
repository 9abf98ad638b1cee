"""The checks of /mcp before a message is parsed, in their order (MCP: transports, authorization)."""

import json
import re

import pytest

from fitness.api import rate_limits
from tests.mcp_endpoint.conftest import ToolClient, request

PING = request("ping")


def http_error(response):
    """(status, data.code) of an HTTP error, whose body is a JSON-RPC error without an id."""
    body = response.json()
    assert body["jsonrpc"] == "2.0"
    assert body["id"] is None
    assert body["error"]["message"]
    return response.status_code, body["error"]["data"]["code"]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_addresses_respond_without_a_redirect(tools, path):
    response = tools.post(PING, path)
    assert (response.status_code, response.json()) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    assert "Mcp-Session-Id" not in response


def test_a_form_of_another_site_needs_no_csrf_token_and_gets_nothing(nobodys_tools):
    nobodys_tools.client.handler.enforce_csrf_checks = True
    assert http_error(nobodys_tools.post(PING)) == (401, "invalid_key")


def test_a_foreign_host_is_rejected(tools):
    response = tools.post(PING, Host="evil.example")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://testserver", 200),
        ("HTTP://TestServer", 200),
        ("https://fitness.example", 200),
        ("null", 403),
        ("", 403),
        ("http://testserver:81", 403),
        ("http://testserver.evil.example", 403),
        ("http://evil.example", 403),
    ],
)
def test_a_page_of_another_origin_may_not_call(tools, settings, origin, status):
    settings.PUBLIC_URL = "https://fitness.example"
    response = tools.post(PING, Origin=origin)
    assert response.status_code == status
    assert status == 200 or http_error(response) == (403, "foreign_origin")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_any_other_method_is_405_for_a_key_and_401_without(tools, nobodys_tools, method):
    key = {"Authorization": f"Bearer {tools.key}"}
    response = tools.client.generic(method, "/mcp", headers=key)
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert nobodys_tools.client.generic(method, "/mcp").status_code == 401


@pytest.mark.parametrize("method", ["initialize", "ping", "tools/list", "server/discover", "nothing"])
def test_every_method_needs_a_key(nobodys_tools, method):
    assert http_error(nobodys_tools.legacy(method)) == (401, "invalid_key")
    assert http_error(nobodys_tools.modern(method)) == (401, "invalid_key")


def test_an_expired_key_has_a_code_of_its_own(tools, account, time_machine):
    account.api_keys.update(expires_at="2020-01-01T00:00:00Z")
    assert http_error(tools.post(PING)) == (401, "expired_key")


def test_a_revoked_key_ends_at_once(tools, account):
    account.api_keys.get().revoke()
    assert http_error(tools.post(PING)) == (401, "invalid_key")


def test_either_header_carries_the_key_but_two_must_agree(tools):
    bare, other = ToolClient(), tools.key[:-1] + ("y" if tools.key.endswith("x") else "x")
    assert bare.post(PING, api_key=tools.key).status_code == 200
    assert tools.post(PING, api_key=tools.key).status_code == 200
    assert http_error(tools.post(PING, api_key=other)) == (401, "invalid_key")


def test_neither_a_session_nor_the_query_authenticates(tools, account):
    bare = ToolClient()
    bare.client.force_login(account)
    assert http_error(bare.post(PING)) == (401, "invalid_key")
    assert http_error(bare.post(PING, f"/mcp?api-key={tools.key}")) == (401, "invalid_key")


def left(response):
    """The remaining requests in the RateLimit header, by limit."""
    return {limit: int(count) for limit, count in re.findall(r'"(\w+)";r=(\d+)', response["RateLimit"])}


class TestLimits:
    @pytest.fixture(autouse=True)
    def limits(self, monkeypatch, time_machine):
        monkeypatch.setattr(rate_limits, "LIMITS", {"key": "6/m", "address": "8/m"})
        time_machine.move_to("2026-03-02T10:00:00Z", tick=False)

    def test_the_key_s_limit_is_shared_with_rest(self, tools, api):
        statuses = [tools.post(PING).status_code for _ in range(3)]
        statuses += [api.get("/workouts").status_code for _ in range(3)]
        assert statuses == [200] * 6
        response = tools.post(PING)
        assert http_error(response) == (429, "rate_limited")
        assert response["Retry-After"] == "60"
        assert api.get("/workouts").status_code == 429

    def test_calls_with_a_bad_key_count_against_the_address(self, nobodys_tools, tools):
        assert [nobodys_tools.post(PING).status_code for _ in range(9)] == [401] * 8 + [429]
        assert tools.post(PING).status_code == 429

    def test_responses_have_the_requests_that_are_left(self, tools):
        assert left(tools.post(PING)) == {"address": 7, "key": 5}

    def test_a_batch_counts_each_message(self, tools):
        assert left(tools.post([PING] * 5)) == {"address": 3, "key": 1}

    def test_a_batch_over_the_limit_does_nothing(self, tools, account):
        log = request("tools/call", {"name": "log_weight", "arguments": {"weight_kg": 80}})
        assert http_error(tools.post([log] * 7)) == (429, "rate_limited")
        assert not account.weight_logs.exists()


def test_256_kb_are_read_and_one_byte_more_is_not(tools):
    body = json.dumps(PING).encode()
    assert tools.post(body.ljust(262_144)).status_code == 200
    assert http_error(tools.post(body.ljust(262_145))) == (413, "payload_too_large")


@pytest.mark.parametrize(
    "content_type", ["", "text/plain", "application/json; charset=latin-1", "multipart/form-data"]
)
def test_only_utf8_json_is_read(tools, content_type):
    assert http_error(tools.post(PING, content_type=content_type)) == (415, "unsupported_media_type")


def test_parameters_of_the_content_type_are_fine(tools):
    assert tools.post(PING, content_type="application/json; charset=utf-8").status_code == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        (None, 200),
        ("application/json", 200),
        ("application/json, text/event-stream", 200),
        ("application/*;q=0.5", 200),
        ("*/*", 200),
        ("text/event-stream", 406),
        ("text/html", 406),
        ("application/json;q=0", 406),
    ],
)
def test_a_client_must_take_json(tools, accept, status):
    response = tools.post(PING, **({"Accept": accept} if accept else {}))
    assert response.status_code == status
    assert status == 200 or http_error(response) == (406, "not_acceptable")


def test_checks_come_in_the_order_of_the_specification(tools, nobodys_tools):
    bad = {"body": b"not json".ljust(262_145), "content_type": "text/plain", "Accept": "text/html"}
    assert nobodys_tools.post(**bad, Origin="http://evil.example").status_code == 403
    assert nobodys_tools.post(**bad).status_code == 401
    assert tools.client.put("/mcp", headers={"api-key": tools.key}).status_code == 405
    assert tools.post(**bad).status_code == 413
    assert tools.post(**bad | {"body": b"not json"}).status_code == 415
    assert tools.post(b"not json", Accept="text/html").status_code == 406
    assert tools.post(b"not json").status_code == 400


def test_an_unreachable_database_is_503_before_the_key_is_known(tools, monkeypatch):
    from django.db import OperationalError

    def fail(*args):
        raise OperationalError("secret detail")

    monkeypatch.setattr("accounts.models.ApiKey.look_up", fail)
    response = tools.post(PING)
    assert http_error(response) == (503, "unavailable")
    assert response["Retry-After"]
    assert b"secret" not in response.content


def test_the_log_names_method_tool_and_outcome_but_no_argument(tools, caplog):
    with caplog.at_level("INFO", "mcp_endpoint"):
        tools.call("log_weight", {"weight_kg": 81.25})
        tools.call("log_weight", {"notes": "private"})
        tools.legacy("private")
    lines = [record for record in caplog.records if record.name == "mcp_endpoint"]
    assert [(line.method, line.tool, line.outcome) for line in lines] == [
        ("tools/call", "log_weight", "ok"),
        ("tools/call", "log_weight", "refused"),
        ("private", "-", -32601),
    ]
    assert {line.key for line in lines} == {f"{tools.key[:8]}…{tools.key[-4:]}"}
    assert all(line.milliseconds >= 0 for line in lines)
    assert "81.25" not in caplog.text
