"""The Model Context Protocol over JSON-RPC 2.0: one message in, one Reply out.

Two eras share the address. Legacy is 2025-03-26 to 2025-11-25, which opens with `initialize`; modern
is 2026-07-28, where every request describes itself. No state is kept in either, so a legacy request
needs no `initialize` before it. Comments name the section of the MCP specification that decides.
"""

import logging
import time
from base64 import b64decode, b64encode
from dataclasses import dataclass, field

from django.conf import settings

from accounts.models import ApiKey
from fitness.api.errors import ApiError
from mcp_endpoint.instructions import instructions
from mcp_endpoint.tool import failed
from mcp_endpoint.tools import TOOLS, definitions

log = logging.getLogger("mcp_endpoint")

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")
BATCHING = "2025-03-26"
MAX_BATCH = 25

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

# A legacy client takes 404 for "session terminated" and any other refusal for the end of its
# connection, so what it can act on is a 200. Modern: streamable-http, "Protocol Version Header".
LEGACY_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400}
MODERN_STATUS = {
    **LEGACY_STATUS,
    INVALID_PARAMS: 400,
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
}

SERVER = {
    "name": "fitness-tracking-service",
    "title": settings.SPECTACULAR_SETTINGS["TITLE"],
    "version": settings.SPECTACULAR_SETTINGS["VERSION"],
}
READ_ONLY_KEY = (
    "nothing was stored, because this API key may only read. Ask the user for a key with read and write "
    "scope; it can be created in the app under Settings, Developer."
)


@dataclass(frozen=True)
class Client:
    """Who calls: the key, and the routing headers of the request (None where they are missing)."""

    key: ApiKey
    version: str | None = None
    method: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Reply:
    """What goes back over HTTP; a body of None is an empty one."""

    status: int
    body: dict | list | None = None
    headers: dict = field(default_factory=dict)


class ProtocolError(Exception):
    """A JSON-RPC error. Its HTTP status follows from the code and the era unless it is given."""

    def __init__(self, code, message, data=None, status=None, headers=None):
        super().__init__(message)
        self.code, self.message, self.data = code, message, data
        self.status, self.headers = status, headers or {}

    def reply(self, message_id=None, statuses=LEGACY_STATUS):
        error = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        body = {"jsonrpc": "2.0", "id": message_id, "error": error}
        return Reply(self.status or statuses.get(self.code, 200), body, self.headers)


def answer(payload, client):
    """The Reply to the JSON value of one POST: a message, or a batch of them."""
    return answer_batch(payload, client) if isinstance(payload, list) else answer_message(payload, client)


def answer_batch(messages, client):
    """Batches belong to 2025-03-26 alone (basic/index, "Batching"), and to clients that name no version."""
    if client.version not in (None, BATCHING) or not 0 < len(messages) <= MAX_BATCH:
        message = f"A batch needs 1 to {MAX_BATCH} messages and protocol version {BATCHING}."
        return ProtocolError(INVALID_REQUEST, message).reply()
    replies = [answer_in_batch(message, client) for message in messages]
    bodies = [reply.body for reply in replies if reply.body is not None]
    return Reply(200, bodies) if bodies else Reply(202)


def answer_in_batch(message, client):
    if isinstance(message, dict) and message.get("method") == "initialize":
        return ProtocolError(INVALID_REQUEST, "initialize must not be part of a batch.").reply(id_of(message))
    return answer_message(message, client)


def answer_message(message, client):
    """The Reply to one message. An error carries the message's id wherever that could be read."""
    started = time.perf_counter()
    modern = is_modern(message, client)
    try:
        reply = respond(message, client, modern)
    except ProtocolError as error:
        reply = error.reply(id_of(message), MODERN_STATUS if modern else LEGACY_STATUS)
    except Exception:
        log.exception("unforeseen, outside of a tool")
        text = "Something went wrong here. The X-Request-Id of this answer is in the log."
        reply = ProtocolError(INTERNAL_ERROR, text).reply(id_of(message))
    note(message, client, reply, started)
    return reply


def note(message, client, reply, started):
    """One line in the log: method, tool, outcome, time and key, but never arguments."""
    method = message.get("method") if isinstance(message, dict) else None
    params = message.get("params") if isinstance(message, dict) else None
    tool = params.get("name") if isinstance(params, dict) else None
    body = reply.body or {}
    failed_call = body.get("result", {}).get("isError")
    outcome = body["error"]["code"] if "error" in body else "refused" if failed_call else "ok"
    log.info(
        "%s %s %s",
        method[:64] if isinstance(method, str) else "-",
        tool if isinstance(tool, str) and tool in TOOLS else "-",
        outcome,
        extra={
            "milliseconds": round((time.perf_counter() - started) * 1000, 1),
            "key": client.key.hint,
        },
    )


def respond(message, client, modern):
    check_envelope(message)
    if "method" not in message:
        if modern:  # S26 streamable-http, "Sending Messages": clients MUST NOT send responses
            raise ProtocolError(INVALID_REQUEST, "The server sends no requests, so it takes no responses.")
        return Reply(202)
    if "id" not in message:
        if modern and client.version:
            check_version(client.version)
        return Reply(202)
    result = modern_result(message, client) if modern else legacy_result(message, client)
    return Reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


def check_envelope(message):
    """JSON-RPC 2.0, and what MCP adds to it: an id is a string or an integer, never null."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'Send one JSON object with "jsonrpc": "2.0".')
    if "method" not in message and not message.keys() & {"result", "error"}:
        raise ProtocolError(INVALID_REQUEST, "A message needs a method.")
    if "method" in message and not isinstance(message["method"], str):
        raise ProtocolError(INVALID_REQUEST, "method must be a string.")
    if "method" in message and "id" in message and id_of(message) is None:
        raise ProtocolError(INVALID_REQUEST, "id must be a string or an integer of at most 64 bits.")


def id_of(message):
    """The id of a message, or None where it has none that a reply can carry."""
    message_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(message_id, str):
        return message_id
    whole = isinstance(message_id, int) and not isinstance(message_id, bool)
    return message_id if whole and abs(message_id) < 2**63 else None


# --- Eras ---------------------------------------------------------------------------------------


def is_modern(message, client):
    """S26 basic/versioning, "Backward Compatibility": the header or `_meta` names a version that is
    not a legacy one. A message that names none is taken for the oldest.
    """
    meta = meta_of(message)
    header_is_modern = client.version is not None and client.version not in LEGACY
    return header_is_modern or (VERSION_KEY in meta and meta[VERSION_KEY] not in LEGACY)


def meta_of(message):
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def legacy_result(message, client):
    method = LEGACY_METHODS.get(message["method"])
    if method is None:
        raise unknown_method(message)
    return method(params_of(message), client)


def modern_result(message, client):
    meta = meta_of(message)
    # A modern client that still says `initialize` is told so before anything else.
    if message["method"] == "initialize" and MODERN in (client.version, meta.get(VERSION_KEY)):
        raise unknown_method(message)
    check_modern(message, meta, client)
    method = MODERN_METHODS.get(message["method"])
    if method is None:
        raise unknown_method(message)
    result = {**method(params_of(message), client), "resultType": "complete", "_meta": {SERVER_KEY: SERVER}}
    return result | CACHING.get(message["method"], {})


def check_modern(message, meta, client):
    """S26 basic/index, "Per-request protocol fields", and streamable-http, "Server Validation"."""
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.")
    if client.version is None or client.version != meta[VERSION_KEY]:
        raise mismatch("MCP-Protocol-Version", f"params._meta[{VERSION_KEY}]")
    if client.method != message["method"]:
        raise mismatch("Mcp-Method", "method")
    name = message["params"].get("name")
    if message["method"] == "tools/call" and name is not None and decoded(client.name) != name:
        raise mismatch("Mcp-Name", "params.name")
    check_version(client.version)
    if not isinstance(meta[CAPABILITIES_KEY], dict):
        raise ProtocolError(INVALID_PARAMS, f"params._meta[{CAPABILITIES_KEY}] must be an object.")


def check_version(version):
    if version != MODERN:
        data = {"supported": [MODERN, *LEGACY], "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "This protocol version is not supported.", data)


def decoded(header):
    """A header value, out of the `=?base64?…?=` that carries text which headers cannot.

    None for a missing one, and for base64 that is malformed or not canonical.
    """
    if header is None or not (header.startswith("=?base64?") and header.endswith("?=")):
        return header
    payload = header[len("=?base64?") : -len("?=")]
    try:
        value = b64decode(payload, validate=True)
        return value.decode() if b64encode(value).decode() == payload else None
    except ValueError:
        return None


def mismatch(header, place):
    return ProtocolError(HEADER_MISMATCH, f"The header {header} must be sent and equal {place}.")


def unknown_method(message):
    return ProtocolError(METHOD_NOT_FOUND, f"Unknown method: {message['method'][:64]}")


def params_of(message):
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params must be an object.")
    return params


# --- Methods: (params, client) -> result --------------------------------------------------------


def initialize(params, client):
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, "params.protocolVersion must be a string.")
    return {
        "protocolVersion": version if version in LEGACY else LEGACY[0],
        "capabilities": {"tools": {}},
        "serverInfo": SERVER,
        "instructions": instructions(client.key.account),
    }


def discover(params, client):
    return {
        "supportedVersions": [MODERN, *LEGACY],
        "capabilities": {"tools": {}},
        "instructions": instructions(client.key.account),
    }


def ping(params, client):
    return {}


def list_tools(params, client):
    if params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "There is one page of tools; leave cursor out.")
    return {"tools": definitions()}


def call_tool(params, client):
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "params.name must be the name of a tool.")
    if name not in TOOLS:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:64]}")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "params.arguments must be an object.")
    tool = TOOLS[name]
    if tool.writes and not client.key.may_write:
        return refuse_to_write(tool, client)
    return tool.call(client.key.account, arguments)


def refuse_to_write(tool, client):
    """403 as the authorization section asks ("Runtime Insufficient Scope"), but not for legacy clients:
    it would end their whole session, and the model would never learn why.
    """
    sentence = f"{tool.name} failed: {READ_ONLY_KEY}"
    if client.version in LEGACY:
        return failed(sentence, ApiError(403, READ_ONLY_KEY))
    raise ProtocolError(
        INVALID_REQUEST,
        sentence,
        data={"code": "insufficient_scope"},
        status=403,
        headers={"WWW-Authenticate": 'Bearer realm="api", error="insufficient_scope", scope="write"'},
    )


LEGACY_METHODS = {
    "initialize": initialize,
    "ping": ping,
    "tools/list": list_tools,
    "tools/call": call_tool,
}
MODERN_METHODS = {
    "server/discover": discover,
    "tools/list": list_tools,
    "tools/call": call_tool,
}
# S26 server/utilities/caching. The list is the same for all keys; the instructions of server/discover are the
# account's own and name the time.
CACHING = {
    "server/discover": {"ttlMs": 0, "cacheScope": "private"},
    "tools/list": {"ttlMs": 300_000, "cacheScope": "public"},
}
