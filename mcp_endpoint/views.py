"""The address of the tools, /mcp: the HTTP part of the protocol (basic/transports).

1. The limit of the client's address. Example: the 301st request of a minute -> 429 rate_limited.
2. Origin: a browser sends it. Example: `Origin: https://evil.example` -> 403 foreign_origin.
3. The key or the access token, and its limit. Example: none -> 401 invalid_key, with the metadata of OAuth.
4. POST. Example: GET -> 405 method_not_allowed.
5. The body's size, the media type, Accept. Example: a body of 300 KB -> 413 payload_too_large.
6. JSON. Example: `{"jsonrpc":` -> 400, JSON-RPC code -32700.
7. Each further message of a batch counts against both limits. Example: a batch of 25 from a key with 10
   requests left -> 429, and no message is carried out.
8. Each message: JSON-RPC 2.0. Example: `"id": null` -> 400, -32600. Then mcp_endpoint.methods.respond accepts
   a notification without a body (202), or checks a request and runs its method. Example: an unknown tool ->
   -32602. One line is logged: method, tool, outcome, time and key, never arguments.

Every error is a JSON-RPC error, because clients show its message whatever the status, and ignore other
bodies.
"""

import logging
import time
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from accounts.api.authentication import KeyOrTokenAuthentication
from accounts.models import ApiKey
from accounts.oauth.metadata import challenge
from fitness.api import rate_limits
from fitness.api.errors import api_error
from fitness.api.middleware import limit_body
from fitness.api.parsers import MAX_DEPTH, check_media_type, loads
from fitness.api.renderers import json_response
from fitness.metrics import TOOL_CALLS
from mcp_endpoint.corrections import ALL_TOOLS
from mcp_endpoint.jsonrpc import (
    BATCHING,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MAX_BATCH,
    PARSE_ERROR,
    Client,
    ProtocolError,
    Reply,
    check_envelope,
    id_of,
)
from mcp_endpoint.methods import respond
from mcp_endpoint.ui.buttons import PRESS_BUTTON

log = logging.getLogger("mcp_endpoint")

LEVELS_AROUND_ARGUMENTS = 2  # of JSON: the message, its params


@csrf_exempt
def endpoint(request: HttpRequest) -> HttpResponse:
    try:
        reply = serve(request)
    except ProtocolError as error:
        reply = error.reply()
    except Exception as exc:
        reply = protocol_error(request, exc).reply()
    headers = {"Cache-Control": "no-store", **rate_limits.headers(request), **reply.headers}
    if reply.body is None:
        return HttpResponse(status=reply.status, headers=headers, content_type="application/json")
    return json_response(reply.body, reply.status, headers)


def serve(request: HttpRequest) -> Reply:
    """Raises ProtocolError, or an exception of which fitness.api.errors makes an error response."""
    rate_limits.count(request, "address", rate_limits.client_address(request))
    check_origin(request)
    _, key = KeyOrTokenAuthentication().authenticate(request)
    request.auth = key  # type: ignore[attr-defined]  # where DRF has it: CountKeyUse reads it
    rate_limits.count(request, "key", str(key.pk))
    if request.method != "POST":
        raise http_error(405, "method_not_allowed", "Send POST; there is no stream to GET.", Allow="POST")
    limit_body(request)
    check_media_type(request)
    if request.headers.get("Accept") and not request.accepts("application/json"):
        raise http_error(406, "not_acceptable", "Answers are application/json; accept that.")
    try:
        payload: object = loads(request.body, MAX_DEPTH + LEVELS_AROUND_ARGUMENTS)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"The body is not valid JSON: {error}.") from None
    client = client_of(request, key)
    if not isinstance(payload, list):
        return handle_message(payload, client)
    for _ in payload[1:MAX_BATCH]:  # before any of them is carried out
        rate_limits.count(request, "address", rate_limits.client_address(request))
        rate_limits.count(request, "key", str(key.pk))
    return handle_batch(payload, client)


def check_origin(request: HttpRequest) -> None:
    """In a browser only this site may call, also where another name leads here (DNS rebinding)."""
    origin = request.headers.get("Origin")
    if origin is None:
        return
    own = {f"{request.scheme}://{request.get_host()}", settings.PUBLIC_URL}
    if origin.lower() not in {site.lower() for site in own if site}:
        raise http_error(403, "foreign_origin", "Pages of another site may not call this address.")


def client_of(request: HttpRequest, key: ApiKey) -> Client:
    names = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id")
    found = [request.headers.get(name) for name in names]
    version, method, name, session = (value and value.strip() for value in found)
    write_challenge = partial(challenge, request, error="insufficient_scope", scope="write")
    return Client(key, write_challenge, version, method, name, session)


def handle_batch(messages: list[object], client: Client) -> Reply:
    """Only 2025-03-26 has batches (basic/index, "Batching"); a client that names no version may send one."""
    if client.version not in (None, BATCHING) or not 0 < len(messages) <= MAX_BATCH:
        text = f"A batch needs 1 to {MAX_BATCH} messages and protocol version {BATCHING}."
        return ProtocolError(INVALID_REQUEST, text).reply()
    replies = []
    for message in messages:
        if isinstance(message, dict) and message.get("method") == "initialize":
            error = ProtocolError(INVALID_REQUEST, "initialize must not be part of a batch.")
            replies.append(error.reply(id_of(message)))
        else:
            replies.append(handle_message(message, client))
    bodies: list[Any] = [reply.body for reply in replies if reply.body is not None]
    return Reply(200, bodies) if bodies else Reply(202)


def handle_message(message: object, client: Client) -> Reply:
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


def log_message(message: object, client: Client, reply: Reply, started: float) -> None:
    """One line: method, tool, outcome, time and key, but never arguments. `started` is of perf_counter."""
    method = message.get("method") if isinstance(message, dict) else None
    params = message.get("params") if isinstance(message, dict) else None
    name = params.get("name") if isinstance(params, dict) else None
    is_tool = isinstance(name, str) and (name in ALL_TOOLS or name == PRESS_BUTTON.name)
    tool = name if is_tool else "-"
    if method == "tools/call":
        TOOL_CALLS.labels(tool, reply.outcome).inc()
    log.info(
        "message",
        extra={
            "method": method[:64] if isinstance(method, str) else "-",
            "tool": tool,
            "outcome": reply.outcome,
            "milliseconds": round((time.perf_counter() - started) * 1000, 1),
            "key": client.key.hint,
        },
    )


def http_error(status: int, code: str, message: str, **headers: str) -> ProtocolError:
    return ProtocolError(INVALID_REQUEST, message, {"code": code}, status, headers)


def protocol_error(request: HttpRequest, exc: Exception) -> ProtocolError:
    """The ProtocolError with the status, the code and the message of an error response of REST."""
    error = api_error(exc)
    headers = dict(error.headers)
    if error.status == 401:
        # Without a credential there is nothing that could be wrong with it (RFC 6750, 3.1).
        is_bare = "Authorization" not in request.headers and "api-key" not in request.headers
        wrong = {} if is_bare else {"error": "invalid_token", "error_description": error.message}
        headers["WWW-Authenticate"] = challenge(request, **wrong, scope="read write")
    code = INVALID_REQUEST if error.status < 500 else INTERNAL_ERROR
    return ProtocolError(code, error.message, {"code": error.code}, error.status, headers)
