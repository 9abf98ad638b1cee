"""JSON-RPC 2.0 as MCP uses it: the value of one POST in, one Reply out.

One message, step by step:

1. `check_envelope`: JSON-RPC 2.0. Example: `"id": null` -> 400, -32600.
2. `respond` (methods.py) accepts a notification without a body (202), or checks the request and runs its
   method. Example: an unknown tool -> -32602.
3. One line is logged: method, tool, outcome, time and key, never arguments.

A ProtocolError anywhere becomes a JSON-RPC error, with the id of its message where that can be read.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from accounts.models import ApiKey
from fitness import logs
from fitness.json import JsonObject
from fitness.metrics import TOOL_CALLS
from mcp_endpoint.corrections import ALL_TOOLS
from mcp_endpoint.ui.buttons import PRESS_BUTTON

log = logging.getLogger("mcp_endpoint")

LEGACY_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
BATCHING = "2025-03-26"  # the one version with batches
MAX_BATCH = 25
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

Message: TypeAlias = JsonObject  # a JSON-RPC message, as the client has sent it
Params: TypeAlias = JsonObject
Result: TypeAlias = Mapping[str, Any]  # of a method, in JSON values and Fragments

# The HTTP status of an error, by its code; that of others is 200.
STATUSES: Mapping[int, int] = {PARSE_ERROR: 400, INVALID_REQUEST: 400}


@dataclass(frozen=True)
class Client:
    """The key of a request, and its routing headers (None where they are missing).

    `write_challenge` makes the WWW-Authenticate header for a key that may only read, `session` is the one id
    that a client may have (see mcp_endpoint/ui), `shows_pages` whether it has said that it shows pages.
    """

    key: ApiKey
    write_challenge: Callable[[], str]
    version: str | None = None
    method: str | None = None
    name: str | None = None
    session: str | None = None
    shows_pages: bool = False


@dataclass(frozen=True)
class Reply:
    """A response over HTTP; its body is empty where `body` is None."""

    status: int
    body: Message | list[Message] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class ProtocolError(Exception):
    """A JSON-RPC error. Its HTTP status follows from the code and the era, unless `status` is given."""

    def __init__(
        self,
        code: int,
        message: str,
        data: dict[str, Any] | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data
        self.status, self.headers = status, headers or {}

    def reply(self, message_id: str | int | None = None) -> Reply:
        logs.note(code=str((self.data or {}).get("code", self.code)))
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        body = {"jsonrpc": "2.0", "id": message_id, "error": error}
        return Reply(self.status or STATUSES.get(self.code, 200), body, self.headers)


Methods = Mapping[str, Callable[[Params, Client], Result]]  # of an era, by their names
Respond = Callable[[Message, Client], Reply]  # of an era; raises ProtocolError


def handle(payload: object, client: Client, respond: Respond) -> Reply:
    """The Reply to the JSON value of one POST: a message, or a batch of them."""
    if isinstance(payload, list):
        return handle_batch(payload, client, respond)
    return handle_message(payload, client, respond)


def handle_batch(messages: list[object], client: Client, respond: Respond) -> Reply:
    """Only 2025-03-26 has batches (basic/index, "Batching"); a client that names no version may send one."""
    if client.version not in (None, BATCHING) or not 0 < len(messages) <= MAX_BATCH:
        text = f"A batch needs 1 to {MAX_BATCH} messages and protocol version {BATCHING}."
        return ProtocolError(INVALID_REQUEST, text).reply()
    replies = [handle_in_batch(message, client, respond) for message in messages]
    bodies: list[Any] = [reply.body for reply in replies if reply.body is not None]
    return Reply(200, bodies) if bodies else Reply(202)


def handle_in_batch(message: object, client: Client, respond: Respond) -> Reply:
    if isinstance(message, dict) and message.get("method") == "initialize":
        return ProtocolError(INVALID_REQUEST, "initialize must not be part of a batch.").reply(id_of(message))
    return handle_message(message, client, respond)


def handle_message(message: object, client: Client, respond: Respond) -> Reply:
    started = time.perf_counter()
    try:
        reply = respond(check_envelope(message), client)
    except ProtocolError as error:
        reply = error.reply(id_of(message))
    except Exception:
        log.exception("unhandled exception, outside of a tool")
        text = "Something went wrong here. The X-Request-Id of this answer is in the log."
        reply = ProtocolError(INTERNAL_ERROR, text).reply(id_of(message))
    log_message(message, client, reply, started)
    return reply


def check_envelope(message: object) -> Message:
    """JSON-RPC 2.0, and what MCP adds to it: an id is a string or an integer, never null."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'Send one JSON object with "jsonrpc": "2.0".')
    if "method" not in message and not message.keys() & {"result", "error"}:
        raise ProtocolError(INVALID_REQUEST, "A message needs a method.")
    if "method" in message and not isinstance(message["method"], str):
        raise ProtocolError(INVALID_REQUEST, "method must be a string.")
    if "method" in message and "id" in message and id_of(message) is None:
        raise ProtocolError(INVALID_REQUEST, "id must be a string or an integer of at most 64 bits.")
    return message


def meta_of(message: Message) -> dict[str, Any]:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def success(message: Message, result: Result) -> Reply:
    return Reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


def log_message(message: object, client: Client, reply: Reply, started: float) -> None:
    """One line: method, tool, outcome, time and key, but never arguments. `started` is of perf_counter."""
    method = message.get("method") if isinstance(message, dict) else None
    params = message.get("params") if isinstance(message, dict) else None
    name = params.get("name") if isinstance(params, dict) else None
    is_tool = isinstance(name, str) and (name in ALL_TOOLS or name == PRESS_BUTTON.name)
    tool = name if is_tool else "-"
    outcome = outcome_of(reply)
    if method == "tools/call":
        TOOL_CALLS.labels(tool, outcome).inc()
    log.info(
        "message",
        extra={
            "method": method[:64] if isinstance(method, str) else "-",
            "tool": tool,
            "outcome": outcome,
            "milliseconds": round((time.perf_counter() - started) * 1000, 1),
            "key": client.key.hint,
        },
    )


def outcome_of(reply: Reply) -> str | int:
    """`ok`, `refused` for a tool's error, or the code of a JSON-RPC error."""
    body = reply.body if isinstance(reply.body, dict) else {}
    if "error" in body:
        code: int = body["error"]["code"]
        return code
    return "refused" if body.get("result", {}).get("isError") else "ok"


def unknown_method(message: Message) -> ProtocolError:
    return ProtocolError(METHOD_NOT_FOUND, f"Unknown method: {message['method'][:64]}")


def params_of(message: Message) -> Params:
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params must be an object.")
    return params


def id_of(message: object) -> str | int | None:
    """The id of a message: a string, or an integer of at most 64 bits. None where it has no such id."""
    message_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(message_id, str):
        return message_id
    if isinstance(message_id, int) and not isinstance(message_id, bool) and abs(message_id) < 2**63:
        return message_id
    return None
