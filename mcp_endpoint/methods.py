"""The methods of the protocol in its two eras, which differ in how a connection opens and what errors are.

Legacy, 2025-03-26 to 2025-11-25: a client opens with `initialize`. No state is kept, so no request needs one
before it. Modern, 2026-07-28: every request describes itself, in params._meta and in headers. Section names
are those of the MCP specification of that version. Each method takes (params, client).
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from django.conf import settings

from fitness.api.errors import ApiError
from fitness.json import Fragment, dumps
from mcp_endpoint.corrections import ALL_TOOLS, CORRECTIONS
from mcp_endpoint.instructions import instructions
from mcp_endpoint.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    LEGACY_VERSIONS,
    METHOD_NOT_FOUND,
    VERSION_KEY,
    Client,
    Message,
    Methods,
    Params,
    ProtocolError,
    Reply,
    Result,
    check_cursor,
    meta_of,
    params_of,
)
from mcp_endpoint.prompts import get_prompt, list_prompts
from mcp_endpoint.schemas import read_as
from mcp_endpoint.tool import Tool, error_result
from mcp_endpoint.tools import TOOLS
from mcp_endpoint.ui import pages as ui
from mcp_endpoint.ui.buttons import PRESS_BUTTON

VERSION = "2026-07-28"
SUPPORTED = [VERSION, *LEGACY_VERSIONS]

CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

# The parameter that the header Mcp-Name repeats, by method (streamable-http, "Request Metadata").
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

# basic/transports/streamable-http, "Protocol Version Header"
STATUSES = {INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404, HEADER_MISMATCH: 400, UNSUPPORTED_VERSION: 400}

SERVER = {
    "name": "fitness-tracking-service",
    "title": settings.SPECTACULAR_SETTINGS["TITLE"],
    "version": settings.SPECTACULAR_SETTINGS["VERSION"],
}
READ_ONLY_KEY = (
    "nothing was stored, because this API key may only read. Ask the user for a key with read and write "
    "scope; it can be created in the app under Settings, Developer."
)
READ_ONLY_CONNECTION = (
    "nothing was stored, because this connection may only read. Ask the user to connect again and allow "
    "writing, or to use a key with read and write scope."
)


def respond(message: Message, client: Client) -> Reply:
    """The reply, in the modern era where the header or `_meta` names a version that is not a legacy one.

    A message that names none is one of the oldest version (basic/versioning, "Backward Compatibility").
    """
    meta = meta_of(message)
    named = [] if client.version is None else [client.version]
    named += [meta[VERSION_KEY]] if VERSION_KEY in meta else []
    is_modern = any(version not in LEGACY_VERSIONS for version in named)
    return respond_modern(message, client) if is_modern else respond_legacy(message, client)


def result_of(methods: Methods, message: Message, client: Client) -> Result:
    """What the method of a request returns; methods of resources exist for a host that shows pages."""
    known = {**methods, **ui.METHODS} if client.shows_pages else methods
    if message["method"] not in known:
        raise unknown_method(message)
    return known[message["method"]](params_of(message), client)


def success(message: Message, result: Result, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result}, headers or {})


def unknown_method(message: Message) -> ProtocolError:
    return ProtocolError(METHOD_NOT_FOUND, f"Unknown method: {message['method'][:64]}")


class WriteScopeRequired(ProtocolError):
    """A tool that writes was called with a key that may only read: 403, as the MCP specification requires.

    (basic/authorization, "Runtime Insufficient Scope Errors")
    """

    def __init__(self, tool: Tool, client: Client) -> None:
        reason = READ_ONLY_CONNECTION if client.key.is_connection else READ_ONLY_KEY
        if tool.name in CORRECTIONS:
            reason = f"{reason} For this tool it must be one that may also correct and delete."
        super().__init__(
            INVALID_REQUEST,
            f"{tool.name} failed: {reason}",
            data={"code": "insufficient_scope"},
            status=403,
            headers={"WWW-Authenticate": client.write_challenge()},
        )


def capabilities(client: Client) -> Result:
    return {"tools": {}, "prompts": {}, **(ui.CAPABILITIES if client.shows_pages else {})}


def list_tools(params: Params, client: Client) -> Result:
    check_cursor(params, "tools")
    return {"tools": definitions(client.key.may_correct, client.shows_pages)}


@cache
def definitions(may_correct: bool, shows_pages: bool) -> Fragment:
    """The array of tools/list as JSON; it is the same for every key that may do the same."""
    tools = ALL_TOOLS if may_correct else TOOLS
    listed = [tool.definition for tool in tools.values()]
    return Fragment(dumps(ui.with_pages(listed) if shows_pages else listed))


def call_tool(params: Params, client: Client) -> Result:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "params.name must be the name of a tool.")
    tool = find_tool(name, client)
    arguments = {} if arguments in (None, "") else read_as(dict, arguments)
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "params.arguments must be an object.")
    if tool.writes and not client.key.may_write:
        raise WriteScopeRequired(tool, client)
    call = ui.call if client.shows_pages else Tool.call
    result = call(tool, client.key.account, arguments)
    client.key.use.refusals += result["isError"]
    client.key.use.writes += tool.writes and not result["isError"]
    return result


def find_tool(name: str, client: Client) -> Tool:
    """Raises ProtocolError for a tool that does not exist, or not for this client.

    A key that may only read gets the tools that correct here: that it may not write is the first to say.
    """
    key = client.key
    if name == PRESS_BUTTON.name and client.shows_pages:
        return PRESS_BUTTON
    tool = ALL_TOOLS.get(name)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:64]}")
    is_beyond_scope = tool.writes and not key.may_write
    if name in CORRECTIONS and not (key.may_correct or is_beyond_scope):
        way_out = "corrections need a key that may also correct and delete: Settings, Developer."
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name}; {way_out}")
    return tool


METHODS: Methods = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
}


def respond_legacy(message: Message, client: Client) -> Reply:
    """A notification, and a response of the client, is accepted; nothing is done.

    An unknown method is a 200: a legacy client takes 404 for "session terminated", and any other error status
    for the end of its connection.
    """
    if "method" not in message or "id" not in message:
        return Reply(202)
    if message["method"] != "initialize":
        client = replace(client, shows_pages=client.session == ui.SESSION)
        return success(message, result_of(LEGACY_METHODS, message, client))
    client = replace(client, shows_pages=ui.shows_pages(params_of(message).get("capabilities")))
    session = {"Mcp-Session-Id": ui.SESSION} if client.shows_pages else {}
    return success(message, result_of(LEGACY_METHODS, message, client), session)


def initialize(params: Params, client: Client) -> Result:
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, "params.protocolVersion must be a string.")
    return {
        "protocolVersion": version if version in LEGACY_VERSIONS else LEGACY_VERSIONS[0],
        "capabilities": capabilities(client),
        "serverInfo": SERVER,
        "instructions": instructions(client.key),
    }


def call_tool_in_session(params: Params, client: Client) -> Result:
    """A missing scope is an error of the tool where the client names its version.

    A 403 would end its whole session, and the model would never read the reason.
    """
    try:
        return call_tool(params, client)
    except WriteScopeRequired as error:
        if client.version is None:
            raise
        client.key.use.refusals += 1
        return error_result(error.message, ApiError(403, READ_ONLY_KEY))


LEGACY_METHODS: Methods = {
    **METHODS,
    "initialize": initialize,
    "ping": lambda params, client: {},
    "tools/call": call_tool_in_session,
}


def respond_modern(message: Message, client: Client) -> Reply:
    try:
        if "method" not in message:  # streamable-http, "Sending Messages": clients MUST NOT send responses
            raise ProtocolError(INVALID_REQUEST, "The server sends no requests, so it takes no responses.")
        if "id" not in message:
            if client.version:
                check_version(client.version)
            return Reply(202)
        return success(message, modern_result(message, client))
    except ProtocolError as error:
        error.status = error.status or STATUSES.get(error.code)
        raise


def modern_result(message: Message, client: Client) -> Result:
    """The result of a request.

    1. `initialize` does not exist in this era: 404, before anything else is checked.
    2. The request must describe itself. Example: no clientCapabilities in `_meta` -> 400, -32602.
    3. Its headers must equal what they repeat. Example: Mcp-Name names another tool -> 400, -32020.
    4. The version must be supported. Example: 2099-01-01 -> 400, -32022, with the supported ones.
    5. The method runs, and its result gets what all results of this era have.
    """
    meta = meta_of(message)
    if message["method"] == "initialize" and VERSION in (client.version, meta.get(VERSION_KEY)):
        raise unknown_method(message)
    check_request(message, meta, client)
    client = replace(client, shows_pages=ui.shows_pages(meta[CAPABILITIES_KEY]))
    result = result_of(MODERN_METHODS, message, client)
    caching = CACHING.get(message["method"], {})
    own_meta = {**result.get("_meta", {}), SERVER_KEY: SERVER}
    return {**result, "resultType": "complete", "_meta": own_meta, **caching}


def check_request(message: Message, meta: dict[str, Any], client: Client) -> None:
    """basic/index, "Per-request protocol fields", and streamable-http, "Server Validation"."""
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.")
    if client.version is None or client.version != meta[VERSION_KEY]:
        raise mismatch("MCP-Protocol-Version", f"params._meta[{VERSION_KEY}]")
    if client.method != message["method"]:
        raise mismatch("Mcp-Method", "method")
    source = NAMES.get(message["method"])
    name = message["params"].get(source) if source else None
    if name is not None and decoded(client.name) != name:
        raise mismatch("Mcp-Name", f"params.{source}")
    check_version(client.version)
    if not isinstance(meta[CAPABILITIES_KEY], dict):
        raise ProtocolError(INVALID_PARAMS, f"params._meta[{CAPABILITIES_KEY}] must be an object.")


def check_version(version: str) -> None:
    if version != VERSION:
        data = {"supported": SUPPORTED, "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "This protocol version is not supported.", data)


def decoded(header: str | None) -> str | None:
    """A header's text, decoded from `=?base64?...?=`, an encoding for text that headers may not hold.

    None for a missing header, and for base64 that is malformed or not canonical.
    """
    if header is None or not (header.startswith("=?base64?") and header.endswith("?=")):
        return header
    payload = header[len("=?base64?") : -len("?=")]
    try:
        value = b64decode(payload, validate=True)
        return value.decode() if b64encode(value).decode() == payload else None
    except ValueError:
        return None


def mismatch(header: str, place: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, f"The header {header} must be sent and equal {place}.")


def discover(params: Params, client: Client) -> Result:
    return {
        "supportedVersions": SUPPORTED,
        "capabilities": capabilities(client),
        "instructions": instructions(client.key),
    }


MODERN_METHODS: Methods = {**METHODS, "server/discover": discover}
# server/utilities/caching. The list of tools depends on what the key may do, so a shared cache would give one
# key the list of another. The instructions of server/discover are those of one account, and contain the time.
CACHING: Mapping[str, Result] = {
    "server/discover": {"ttlMs": 0, "cacheScope": "private"},
    "tools/list": {"ttlMs": 300_000, "cacheScope": "private"},
    **{name: {"ttlMs": 300_000, "cacheScope": "public"} for name in ("prompts/list", *ui.METHODS)},
}
