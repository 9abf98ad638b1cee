"""JSON-RPC and the two eras of the Model Context Protocol, message by message."""

from base64 import b64encode

import pytest

from tests.mcp_endpoint.conftest import MODERN, PREFIX, meta, request

LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26"]
EVERY_VERSION = [MODERN, *LEGACY]
SERVER_INFO = {"name", "title", "version"}

MALFORMED = {
    "cut off": b'{"jsonrpc": ',
    "blank": b" ",
    "NaN": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}',
    "1e999": b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}',
    "5,000 digits": b'{"jsonrpc": "2.0", "id": ' + b"1" * 5000 + b', "method": "ping"}',
    "duplicate key": b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}',
    "lone surrogate": b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}',
    "NUL": b'{"jsonrpc": "2.0", "id": "\\u0000", "method": "ping"}',
    "invalid UTF-8": b'{"jsonrpc": "2.0", "id": "\xff", "method": "ping"}',
    "byte order mark": b'\xef\xbb\xbf{"jsonrpc": "2.0", "id": 1, "method": "ping"}',
    "very deep": b"[" * 100_000,
    "two values": b"{} {}",
}


def error(response):
    """(HTTP status, JSON-RPC code, id) of an error."""
    body = response.json()
    assert body.keys() == {"jsonrpc", "id", "error"}
    return response.status_code, body["error"]["code"], body["id"]


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_not_json_is_a_parse_error(tools, body):
    assert error(tools.post(body)) == (400, -32700, None)


INVALID = [
    (1, None),
    ("ping", None),
    (None, None),
    ({}, None),
    ({"jsonrpc": "2.0", "id": 1}, 1),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 1),
    ({"id": "a", "method": "ping"}, "a"),
    (request("ping", id=None), None),
    (request("ping", id=True), None),
    (request("ping", id=1.5), None),
    (request("ping", id=10**20), None),
    (request("ping", id={}), None),
    (request(7), 1),
    (request(None), 1),
]


@pytest.mark.parametrize(("body", "message_id"), INVALID)
@pytest.mark.parametrize("version", [None, "2025-11-25", MODERN])
def test_what_is_not_a_message_is_an_invalid_request(tools, body, message_id, version):
    headers = {"MCP_Protocol_Version": version} if version else {}
    assert error(tools.post(body, **headers)) == (400, -32600, message_id)


@pytest.mark.parametrize("message_id", [0, -7, 2**62, "", "a", "ü"])
def test_an_id_comes_back_as_it_was(tools, message_id):
    assert tools.post(request("ping", id=message_id)).json()["id"] == message_id


# --- Which era ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [None, *LEGACY])
def test_a_legacy_request_needs_no_handshake(tools, version):
    headers = {"MCP_Protocol_Version": version} if version else {}
    result = tools.post(request("tools/list"), **headers).json()["result"]
    assert result.keys() == {"tools"}


@pytest.mark.parametrize("version", ["1999-01-01", "v999", "2024-11-05", ""])
def test_an_unknown_version_is_400(tools, version):
    assert tools.legacy("ping", version=version).status_code == 400


def test_meta_alone_makes_a_request_modern_and_then_asks_for_the_headers(tools):
    response = tools.post(request("tools/list", {"_meta": meta()}))
    assert error(response) == (400, -32020, 1)


def test_meta_of_a_legacy_version_leaves_a_request_legacy(tools):
    response = tools.post(request("ping", {"_meta": {f"{PREFIX}protocolVersion": "2025-11-25"}}))
    assert response.json()["result"] == {}


def test_session_headers_are_ignored(tools):
    response = tools.legacy("ping", Mcp_Session_Id="made up", Last_Event_ID="7")
    assert (response.status_code, "Mcp-Session-Id" in response) == (200, False)


def test_initialize_belongs_to_the_legacy_era(tools):
    params = {"protocolVersion": MODERN, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    legacy = tools.post(request("initialize", params)).json()["result"]
    assert legacy["protocolVersion"] == "2025-11-25"
    assert error(tools.legacy("initialize", params, version=MODERN)) == (404, -32601, 1)
    assert error(tools.post(request("initialize", {**params, "_meta": meta()}))) == (404, -32601, 1)
    assert error(tools.modern("initialize", params)) == (404, -32601, 1)


# --- Kinds of messages --------------------------------------------------------------------------

NOTIFICATIONS = ["notifications/initialized", "notifications/cancelled", "whatever"]


@pytest.mark.parametrize("method", NOTIFICATIONS)
@pytest.mark.parametrize("version", [None, *EVERY_VERSION])
def test_a_notification_is_accepted_and_dropped(tools, method, version):
    headers = {"MCP_Protocol_Version": version} if version else {}
    response = tools.post({"jsonrpc": "2.0", "method": method}, **headers)
    assert (response.status_code, response.content) == (202, b"")


def test_a_tool_is_not_called_by_a_notification(tools, account):
    params = {"name": "log_weight", "arguments": {"weight_kg": 80}}
    tools.post({"jsonrpc": "2.0", "method": "tools/call", "params": params})
    assert not account.weight_logs.exists()


def test_a_notification_of_an_unknown_version_gets_the_supported_ones(tools):
    response = tools.post({"jsonrpc": "2.0", "method": "x"}, MCP_Protocol_Version="2099-01-01")
    assert error(response) == (400, -32022, None)


@pytest.mark.parametrize("outcome", [{"result": {}}, {"error": {"code": 1, "message": "x"}}])
def test_a_response_is_dropped_in_the_legacy_era_and_an_error_in_the_modern_one(tools, outcome):
    body = {"jsonrpc": "2.0", "id": 1, **outcome}
    assert tools.post(body, MCP_Protocol_Version="2025-06-18").status_code == 202
    assert error(tools.post(body, MCP_Protocol_Version=MODERN))[:2] == (400, -32600)


# --- Methods ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "given"), [*zip(LEGACY, LEGACY, strict=True), ("2024-11-05", LEGACY[0]), ("x", LEGACY[0])]
)
def test_initialize_agrees_on_a_version(tools, asked, given):
    result = tools.post(request("initialize", {"protocolVersion": asked})).json()["result"]
    assert result.keys() == {"protocolVersion", "capabilities", "serverInfo", "instructions"}
    assert result["protocolVersion"] == given
    assert result["capabilities"] == {"tools": {}, "prompts": {}}
    assert result["serverInfo"].keys() == SERVER_INFO


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": 7}, []])
def test_initialize_needs_a_version(tools, params):
    assert error(tools.post(request("initialize", params))) == (200, -32602, 1)


def test_discover_returns_what_initialize_does(tools):
    result = tools.modern("server/discover").json()["result"]
    assert result.pop("_meta").keys() == {f"{PREFIX}serverInfo"}
    assert "search_exercises" in result.pop("instructions")
    assert result == {
        "resultType": "complete",
        "supportedVersions": EVERY_VERSION,
        "capabilities": {"tools": {}, "prompts": {}},
        "ttlMs": 0,  # the instructions contain the time
        "cacheScope": "private",  # and they are of one account
    }


@pytest.fixture(params=["initialize", "discover"])
def instructions(request, time_machine):
    """Reads the instructions that a client gets, in one of the two ways, at 23:10 UTC on 20 November."""
    time_machine.move_to("2026-11-20T23:10:00Z", tick=False)

    def read(tools):
        if request.param == "discover":
            return tools.modern("server/discover").json()["result"]["instructions"]
        return tools.legacy("initialize", {"protocolVersion": "2025-11-25"}).json()["result"]["instructions"]

    return read


def test_instructions_name_units_and_days_and_what_can_be_corrected(tools, instructions):
    lines = instructions(tools).split("\n")
    assert "Weights are kilograms: 1 lb = 0.45359237 kg, rounded to 0.01." in lines[1]
    assert (
        "It is Friday 20 Nov 2026, 23:10 UTC now; days of the service are UTC days. "
        "The user's own zone is UTC. The user's screens are in kilograms."
    ) in lines
    assert any("Tools cannot change what is saved" in line for line in lines)


def test_instructions_are_the_account_s_own(tools, stranger_tools, account, instructions):
    type(account).objects.filter(pk=account.pk).update(units="lb", time_zone="Europe/Berlin")
    assert (
        "days of the service are UTC days. The user's own zone is Europe/Berlin: Saturday 21 Nov 2026, 00:10 "
        "there. The user's screens are in pounds: convert what is said, and answer in lb.\n"
    ) in instructions(tools)
    assert "in pounds" not in instructions(stranger_tools)
    assert "Berlin" not in instructions(stranger_tools)


OF_NEITHER = [
    "subscriptions/listen",
    "resources/list",
    "resources/read",
    "logging/setLevel",
    "completion/complete",
    "tasks/get",
    "Tools/list",
    "",
]


@pytest.mark.parametrize("method", [*OF_NEITHER, "server/discover"])
@pytest.mark.parametrize("version", LEGACY)
def test_an_unknown_method_leaves_a_legacy_session_alive(tools, method, version):
    assert error(tools.legacy(method, version=version)) == (200, -32601, 1)


@pytest.mark.parametrize("method", [*OF_NEITHER, "initialize", "ping"])
def test_an_unknown_method_is_404_for_a_modern_client(tools, method):
    assert error(tools.modern(method)) == (404, -32601, 1)


@pytest.mark.parametrize(
    ("method", "params", "caching"),
    [
        ("tools/list", {}, (300_000, "private")),
        ("tools/call", {"name": "get_profile"}, (None, None)),
        ("prompts/list", {}, (300_000, "public")),
        ("prompts/get", {"name": "weekly_review"}, (None, None)),
    ],
)
def test_modern_results_have_a_type_and_legacy_ones_do_not(tools, method, params, caching):
    modern, legacy = (ask(method, params).json()["result"] for ask in (tools.modern, tools.legacy))
    assert modern["resultType"] == "complete"
    assert modern["_meta"][f"{PREFIX}serverInfo"].keys() == SERVER_INFO
    assert (modern.get("ttlMs"), modern.get("cacheScope")) == caching
    assert {name: modern[name] for name in legacy} == legacy
    assert not {"resultType", "_meta", "ttlMs", "cacheScope"} & legacy.keys()


PARAMS = [
    {"name": 7},
    {"name": None},
    {"name": "no_such_tool"},
    {"name": "get_profile", "arguments": []},
    {"name": "get_profile", "arguments": "none"},
    {},
]


@pytest.mark.parametrize("params", PARAMS)
def test_a_call_of_the_wrong_shape_is_a_protocol_error(tools, params):
    assert error(tools.legacy("tools/call", params)) == (200, -32602, 1)
    name = str(params.get("name", ""))
    if params.get("name") != 7:  # no header can equal it, so it is a mismatch already
        assert error(tools.modern("tools/call", params, Mcp_Name=name)) == (400, -32602, 1)


@pytest.mark.parametrize("params", [[], "x", 7])
def test_params_are_an_object(tools, params):
    assert error(tools.legacy("tools/list", params)) == (200, -32602, 1)


@pytest.mark.parametrize("arguments", [None, {}])
def test_no_arguments_may_be_null_or_left_out(tools, arguments):
    params = {"name": "get_profile", "arguments": arguments}
    assert tools.legacy("tools/call", params).json()["result"]["isError"] is False
    assert tools.legacy("tools/call", {"name": "get_profile"}).json()["result"]["isError"] is False


def test_an_unknown_tool_is_named(tools):
    response = tools.legacy("tools/call", {"name": "no_such_tool"})
    assert response.json()["error"]["message"] == "Unknown tool: no_such_tool"


def test_a_bug_outside_of_a_tool_is_an_internal_error(tools, monkeypatch, caplog):
    monkeypatch.setattr("mcp_endpoint.methods.definitions", lambda: 1 / 0)
    for response in (tools.legacy("tools/list"), tools.modern("tools/list")):
        assert error(response) == (200, -32603, 1)
        assert b"Zero" not in response.content
    assert caplog.text.count("unhandled exception") == 2


# --- What a modern request says of itself -------------------------------------------------------


def without(key):
    return {name: value for name, value in meta().items() if name != f"{PREFIX}{key}"}


def headed(**headers):
    return {"headers": headers}


LADDER = [
    ("no _meta", {"meta": None}, -32602),
    ("_meta is no object", {"meta": [1]}, -32602),
    ("no version in _meta", {"meta": without("protocolVersion")}, -32602),
    ("no capabilities in _meta", {"meta": without("clientCapabilities")}, -32602),
    ("capabilities are no object", {"meta": meta(capabilities=[1])}, -32602),
    ("another version in _meta", {"meta": meta("2025-11-25")}, -32020),
    ("a version that is no string", {"meta": meta(7)}, -32020),
    ("another method in the header", headed(Mcp_Method="tools/list"), -32020),
    ("the method in capitals", headed(Mcp_Method="TOOLS/CALL"), -32020),
    ("two methods", headed(Mcp_Method="tools/call,tools/call"), -32020),
    ("another tool in the header", headed(Mcp_Name="get_workout"), -32020),
    ("base64 that is none", headed(Mcp_Name="=?base64?%%%?="), -32020),
    ("base64 that is not canonical", headed(Mcp_Name="=?base64?Z2V0X3Byb2ZpbGX=?="), -32020),
    ("base64 of another name", headed(Mcp_Name="=?base64?Z2V0?="), -32020),
    (
        "an unknown version",
        {"meta": meta("2099-01-01"), **headed(MCP_Protocol_Version="2099-01-01")},
        -32022,
    ),
]


@pytest.mark.parametrize(("change", "code"), [row[1:] for row in LADDER], ids=[row[0] for row in LADDER])
def test_a_modern_request_must_agree_with_its_headers(tools, change, code):
    params = {"name": "get_profile", "_meta": change.get("meta", meta())}
    response = tools.modern("tools/call", params, **change.get("headers", {}))
    assert error(response) == (400, code, 1)


@pytest.mark.parametrize("header", ["Mcp_Method", "Mcp_Name", "MCP_Protocol_Version"])
def test_a_modern_request_needs_its_headers(tools, header):
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": "get_profile"}
    del headers[header]
    response = tools.post(request("tools/call", {"name": "get_profile", "_meta": meta()}), **headers)
    assert error(response) == (400, -32020, 1)


def test_an_unsupported_version_gets_the_supported_ones(tools):
    response = tools.modern("ping", {"_meta": meta("2099-01-01")}, MCP_Protocol_Version="2099-01-01")
    assert response.json()["error"]["data"] == {"supported": EVERY_VERSION, "requested": "2099-01-01"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp_Name": f"=?base64?{b64encode(b'get_profile').decode()}?="},
        {"Mcp_Name": "  get_profile "},
        {"MCP_Protocol_Version": f" {MODERN}"},
        {"Mcp_Param_Anything": "7"},
    ],
)
def test_headers_may_be_encoded_and_padded(tools, headers):
    assert tools.modern("tools/call", {"name": "get_profile"}, **headers).status_code == 200


def test_client_info_is_optional_and_unknown_meta_is_ignored(tools):
    info = {f"{PREFIX}clientInfo": {"name": "x", "version": "1"}, "progressToken": 1}
    for each in (meta(), meta() | info):
        assert tools.modern("tools/list", {"_meta": each}).status_code == 200


# --- Batches ------------------------------------------------------------------------------------

PING = request("ping")
NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.mark.parametrize("headers", [{}, {"MCP_Protocol_Version": "2025-03-26"}])
def test_a_batch_has_its_replies_in_order(tools, headers):
    batch = [request("ping", id=1), NOTE, request("nothing", id="b"), 7, request("initialize", id=3)]
    response = tools.post(batch, **headers)
    assert response.status_code == 200
    assert [(reply["id"], reply.get("error", {}).get("code")) for reply in response.json()] == [
        (1, None),
        ("b", -32601),
        (None, -32600),
        (3, -32600),
    ]


def test_a_batch_of_notifications_is_accepted(tools):
    response = tools.post([NOTE, NOTE])
    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("version", [MODERN, "2025-11-25", "2025-06-18"])
def test_later_versions_have_no_batches(tools, version):
    assert error(tools.post([PING], MCP_Protocol_Version=version)) == (400, -32600, None)


@pytest.mark.parametrize("size", [0, 26])
def test_a_batch_has_1_to_25_messages(tools, size):
    assert error(tools.post([PING] * size)) == (400, -32600, None)
    assert len(tools.post([PING] * 25).json()) == 25
