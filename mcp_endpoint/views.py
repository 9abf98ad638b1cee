"""The address of the tools, /mcp: the HTTP part of the protocol (basic/transports).

1. The limit of the client's address. Example: the 301st request of a minute -> 429 rate_limited.
2. Origin: a browser sends it. Example: `Origin: https://evil.example` -> 403 foreign_origin.
3. The key or the access token, and its limit. Example: none -> 401 invalid_key, with the metadata of OAuth.
4. POST. Example: GET -> 405 method_not_allowed.
5. The body's size, the media type, Accept. Example: a body of 300 KB -> 413 payload_too_large.
6. JSON. Example: `{"jsonrpc":` -> 400, JSON-RPC code -32700.
7. Each further message of a batch counts against both limits. Example: a batch of 25 from a key with 10
   requests left -> 429, and no message is carried out.
8. mcp_endpoint.jsonrpc.handle.

Every error is a JSON-RPC error, because clients show its message whatever the status, and ignore other
bodies.
"""

from functools import partial

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
from mcp_endpoint.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MAX_BATCH,
    PARSE_ERROR,
    Client,
    ProtocolError,
    Reply,
    handle,
)
from mcp_endpoint.methods import respond

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
    check_accept(request)
    payload = parsed(request)
    if isinstance(payload, list):
        count_batch(request, key, payload)
    return handle(payload, client_of(request, key), respond)


def check_origin(request: HttpRequest) -> None:
    """In a browser only this site may call, even where another site's name leads to this address
    (DNS rebinding).
    """
    origin = request.headers.get("Origin")
    if origin is None:
        return
    own = {f"{request.scheme}://{request.get_host()}", settings.PUBLIC_URL}
    if origin.lower() not in {site.lower() for site in own if site}:
        raise http_error(403, "foreign_origin", "Pages of another site may not call this address.")


def check_accept(request: HttpRequest) -> None:
    """Responses are JSON and never an event stream, so a client need not accept one."""
    if request.headers.get("Accept") and not request.accepts("application/json"):
        raise http_error(406, "not_acceptable", "Answers are application/json; accept that.")


def parsed(request: HttpRequest) -> object:
    try:
        payload: object = loads(request.body, MAX_DEPTH + LEVELS_AROUND_ARGUMENTS)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"The body is not valid JSON: {error}.") from None
    return payload


def count_batch(request: HttpRequest, key: ApiKey, messages: list[object]) -> None:
    """Counts each message of a batch as a request, before any of them is carried out."""
    for _ in messages[1:MAX_BATCH]:
        rate_limits.count(request, "address", rate_limits.client_address(request))
        rate_limits.count(request, "key", str(key.pk))


def client_of(request: HttpRequest, key: ApiKey) -> Client:
    names = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id")
    found = (request.headers.get(name) for name in names)
    values = (value.strip() if value is not None else None for value in found)
    write_challenge = partial(challenge, request, error="insufficient_scope", scope="write")
    version, method, name, session = values
    return Client(key, write_challenge, version, method, name, session)


def http_error(status: int, code: str, message: str, **headers: str) -> ProtocolError:
    return ProtocolError(INVALID_REQUEST, message, {"code": code}, status, headers)


def protocol_error(request: HttpRequest, exc: Exception) -> ProtocolError:
    """The ProtocolError with the status, the code and the message of an error response of REST."""
    error = api_error(exc)
    headers = dict(error.headers)
    if error.status == 401:
        headers["WWW-Authenticate"] = unauthorized_challenge(request, error.message)
    code = INVALID_REQUEST if error.status < 500 else INTERNAL_ERROR
    return ProtocolError(code, error.message, {"code": error.code}, error.status, headers)


def unauthorized_challenge(request: HttpRequest, message: str) -> str:
    """Without a credential there is nothing that could be wrong with it (RFC 6750, 3.1)."""
    is_bare = "Authorization" not in request.headers and "api-key" not in request.headers
    wrong = {} if is_bare else {"error": "invalid_token", "error_description": message}
    return challenge(request, **wrong, scope="read write")
