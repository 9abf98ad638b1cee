"""The tools behind a real server: chunked bodies, and headers that are sent twice."""

import json

import pytest

from tests.mcp_endpoint.conftest import MODERN, meta, request
from tests.operations.test_live_server import JSON, LIMIT, chunked, post, raw

CHUNKED = "Transfer-Encoding: chunked"
PING = json.dumps(request("ping")).encode()


@pytest.fixture(scope="module")
def key(server):
    return server.key("sockets@example.org")


def test_a_chunked_message_is_read_whole_up_to_the_limit(server, key):
    for body, status in ((PING, 200), (PING.ljust(LIMIT), 200), (PING.ljust(LIMIT + 1), 413)):
        assert raw(server, post(key, chunked(body), JSON, CHUNKED, path="/mcp"))[0] == status


def test_a_length_over_the_limit_is_413_and_the_body_unread(server, key):
    status, text = raw(server, post(key, b"", JSON, f"Content-Length: {LIMIT + 1}", path="/mcp"))
    assert (status, json.loads(text)["error"]["data"]["code"]) == (413, "payload_too_large")


@pytest.mark.parametrize("twice", ["Mcp-Method: tools/list", f"MCP-Protocol-Version: {MODERN}"])
def test_a_routing_header_that_comes_twice_is_a_mismatch(server, key, twice):
    body = json.dumps(request("tools/list", {"_meta": meta()})).encode()
    headers = [
        JSON,
        f"Content-Length: {len(body)}",
        "Mcp-Method: tools/list",
        f"MCP-Protocol-Version: {MODERN}",
    ]
    assert raw(server, post(key, body, *headers, path="/mcp"))[0] == 200
    status, text = raw(server, post(key, body, *headers, twice, path="/mcp"))
    assert (status, json.loads(text)["error"]["code"]) == (400, -32020)
