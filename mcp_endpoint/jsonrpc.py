"""The Model Context Protocol over JSON-RPC 2.0: the value of one POST in, one Reply out.

Two eras share the address (legacy.py, modern.py). One message, step by step:

1. `is_modern` decides the era, by the version that the header or the message names.
2. `check_envelope`: JSON-RPC 2.0. Example: `"id": null` -> 400, -32600.
3. A notification or a response is accepted without a body (202); nothing is done.
4. The era's `handle` checks the request and runs its method. Example: an unknown tool -> -32602.
5. One line is logged: method, tool, outcome, time and key, never arguments.

A ProtocolError anywhere becomes a JSON-RPC error, with the id of its message where that can be read.
"""

import logging
import time
from typing import Any

from mcp_endpoint import legacy, modern
from mcp_endpoint.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    STATUSES,
    Client,
    Message,
    ProtocolError,
    Reply,
    id_of,
)
from mcp_endpoint.tools import TOOLS

log = logging.getLogger("mcp_endpoint")

MAX_BATCH = 25


def handle(payload: object, client: Client) -> Reply:
    """The Reply to the JSON value of one POST: a message, or a batch of them."""
    return handle_batch(payload, client) if isinstance(payload, list) else handle_message(payload, client)


def handle_batch(messages: list[object], client: Client) -> Reply:
    """Only 2025-03-26 has batches (basic/index, "Batching"); a client that names no version may send one."""
    if client.version not in (None, legacy.BATCHING) or not 0 < len(messages) <= MAX_BATCH:
        text = f"A batch needs 1 to {MAX_BATCH} messages and protocol version {legacy.BATCHING}."
        return ProtocolError(INVALID_REQUEST, text).reply()
    replies = [handle_in_batch(message, client) for message in messages]
    bodies: list[Any] = [reply.body for reply in replies if reply.body is not None]
    return Reply(200, bodies) if bodies else Reply(202)


def handle_in_batch(message: object, client: Client) -> Reply:
    if isinstance(message, dict) and message.get("method") == "initialize":
        return ProtocolError(INVALID_REQUEST, "initialize must not be part of a batch.").reply(id_of(message))
    return handle_message(message, client)


def handle_message(message: object, client: Client) -> Reply:
    started = time.perf_counter()
    is_modern = modern.is_modern(message, client)
    try:
        reply = respond(check_envelope(message), client, is_modern)
    except ProtocolError as error:
        reply = error.reply(id_of(message), modern.MODERN_STATUSES if is_modern else STATUSES)
    except Exception:
        log.exception("unforeseen, outside of a tool")
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


def respond(message: Message, client: Client, is_modern: bool) -> Reply:
    if "method" not in message:
        if is_modern:  # streamable-http, "Sending Messages": clients MUST NOT send responses
            raise ProtocolError(INVALID_REQUEST, "The server sends no requests, so it takes no responses.")
        return Reply(202)
    if "id" not in message:
        if is_modern and client.version:
            modern.check_version(client.version)
        return Reply(202)
    result = modern.handle(message, client) if is_modern else legacy.handle(message, client)
    return Reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


def log_message(message: object, client: Client, reply: Reply, started: float) -> None:
    """One line: method, tool, outcome, time and key, but never arguments. `started` is of perf_counter."""
    method = message.get("method") if isinstance(message, dict) else None
    params = message.get("params") if isinstance(message, dict) else None
    tool = params.get("name") if isinstance(params, dict) else None
    log.info(
        "%s %s %s",
        method[:64] if isinstance(method, str) else "-",
        tool if isinstance(tool, str) and tool in TOOLS else "-",
        outcome_of(reply),
        extra={
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
