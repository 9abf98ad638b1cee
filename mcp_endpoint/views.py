"""The address of the tools: what HTTP asks before a message is read (mcp: basic/transports)."""

from django.conf import settings
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt

from accounts.api.authentication import authenticate
from fitness.api import rate_limits
from fitness.api.errors import api_error
from fitness.api.middleware import close_if_unread, limit_body
from fitness.api.parsers import MAX_DEPTH, check_media_type, loads
from fitness.api.renderers import json_response
from mcp_endpoint.protocol import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MAX_BATCH,
    PARSE_ERROR,
    Client,
    ProtocolError,
    answer,
)

AROUND_ARGUMENTS = 2  # levels of a message that its arguments stand in


@csrf_exempt
def endpoint(request):
    try:
        reply = serve(request)
    except ProtocolError as error:
        reply = error.reply()
    except Exception as exc:
        reply = refused(exc).reply()
    headers = {"Cache-Control": "no-store", **rate_limits.headers(request), **reply.headers}
    if reply.body is None:
        response = HttpResponse(status=reply.status, headers=headers, content_type="application/json")
    else:
        response = json_response(reply.body, reply.status, headers)
    close_if_unread(request, response)
    return response


def serve(request):
    """The Reply to a request. Raises ProtocolError, or an exception that has an envelope in REST."""
    rate_limits.count(request, "address", rate_limits.client_address(request))
    check_origin(request)
    key = authenticate(request)
    rate_limits.count(request, "key", str(key.pk))
    if request.method != "POST":
        raise refusal(405, "method_not_allowed", "Send POST; there is no stream to GET.", Allow="POST")
    limit_body(request)
    check_media_type(request)
    check_accept(request)
    payload = parsed(request)
    if isinstance(payload, list):
        count_batch(request, key, payload)
    return answer(payload, client_of(request, key))


def check_origin(request):
    """A browser's page may only call from this site, whatever name another site has for this address."""
    origin = request.headers.get("Origin")
    own = {f"{request.scheme}://{request.get_host()}", settings.PUBLIC_URL}
    if origin is not None and origin.lower() not in {site.lower() for site in own if site}:
        raise refusal(403, "foreign_origin", "Pages of another site may not call this address.")


def check_accept(request):
    """Answers are JSON and never an event stream, so a client need not accept one."""
    if request.headers.get("Accept") and not request.accepts("application/json"):
        raise refusal(406, "not_acceptable", "Answers are application/json; accept that.")


def parsed(request):
    try:
        return loads(request.body, MAX_DEPTH + AROUND_ARGUMENTS)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(PARSE_ERROR, f"The body is not valid JSON: {error}.") from None


def count_batch(request, key, messages):
    """Each message of a batch counts as a request; one too many and none of them is carried out."""
    for _ in messages[1:MAX_BATCH]:
        rate_limits.count(request, "address", rate_limits.client_address(request))
        rate_limits.count(request, "key", str(key.pk))


def client_of(request, key):
    names = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")
    values = (request.headers.get(name) for name in names)
    return Client(key, *(value.strip() if value is not None else None for value in values))


def refusal(status, code, message, **headers):
    return ProtocolError(INVALID_REQUEST, message, {"code": code}, status, headers)


def refused(exc):
    """The ProtocolError for an exception that REST would answer with its envelope.

    Clients show the message of a JSON-RPC error at any status, and of no other body.
    """
    refusal = api_error(exc)
    headers = dict(refusal.headers)
    if refusal.status == 401:  # RFC 6750, 3; no resource_metadata, because there is no OAuth here
        challenge = f'Bearer realm="api", error="invalid_token", error_description="{refusal.message}"'
        headers["WWW-Authenticate"] = challenge
    code = INVALID_REQUEST if refusal.status < 500 else INTERNAL_ERROR
    return ProtocolError(code, refusal.message, {"code": refusal.code}, refusal.status, headers)
