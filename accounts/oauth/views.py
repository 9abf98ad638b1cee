"""The addresses of OAuth that programs call. What people see of it is accounts/web/consent.py.

1. The checks that every call of a program passes (fitness.api.middleware.guarded).
2. 404 where OAuth is off; 204 for the question of a browser whether a page may ask (OPTIONS); 405 for other
   methods.
3. The view. Example: POST /token with a code that was used -> 400 `{"error": "invalid_grant", …}`.

Every answer is JSON, and never an HTML page: programs give up on those. No cookie is read, so a program in a
page of any other site may ask, and read every answer.
"""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from accounts.oauth import metadata, registration, tokens
from accounts.oauth.errors import OAuthError
from fitness import logs
from fitness.addresses import site_address
from fitness.api import rate_limits
from fitness.api.errors import api_error, shortened
from fitness.api.exceptions import RateLimited
from fitness.api.middleware import guarded
from fitness.api.parsers import check_media_type, loads
from fitness.api.renderers import json_response

METADATA_HEADERS = {"Cache-Control": "public, max-age=300"}
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, MCP-Protocol-Version",
    "Access-Control-Max-Age": "600",
}
FORM = "application/x-www-form-urlencoded"
NOTHING_HERE = OAuthError("not_found", "There is nothing at this address.", 404)

View = Callable[[HttpRequest], HttpResponse]


def endpoint(*methods: str) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """For views of programs that answer these methods, or all; they may raise OAuthError."""

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        def checked(request: HttpRequest) -> HttpResponse:
            if not metadata.is_on(request):
                raise NOTHING_HERE
            allowed = ", ".join(methods)
            if methods and request.method == "OPTIONS":
                headers = {**PREFLIGHT_HEADERS, "Access-Control-Allow-Methods": allowed}
                return HttpResponse(status=204, headers=headers)
            if methods and request.method not in methods:
                allow = {"Allow": f"{allowed}, OPTIONS"}
                raise OAuthError("invalid_request", f"Send {allowed}.", 405, allow)
            return view(request)

        @csrf_exempt
        @wraps(view)
        def answer(request: HttpRequest, *_: str) -> HttpResponseBase:
            response = guarded(request, checked, error_response)
            response.headers["Access-Control-Allow-Origin"] = "*"
            return response

        return answer

    return decorate


def error_response(exc: Exception) -> HttpResponse:
    """The response to an OAuthError; to other exceptions that of the API, in the form of OAuth."""
    if isinstance(exc, OAuthError):
        logs.note(code=exc.error)
        return json_response(exc.body, exc.status, exc.headers)
    error = api_error(exc)
    headers = {name: value for name, value in error.headers.items() if name != "WWW-Authenticate"}
    return json_response(OAuthError(error.code, error.message).body, error.status, headers)


@endpoint()
def nothing(request: HttpRequest) -> HttpResponse:
    """For addresses that programs try and that do not exist: a real 404."""
    raise NOTHING_HERE


@endpoint("GET", "HEAD")
def protected_resource(request: HttpRequest) -> HttpResponse:
    """What programs read first (RFC 9728)."""
    address = site_address(request)
    known = {
        "resource": metadata.resource(request),
        "authorization_servers": [address],
        "scopes_supported": metadata.SCOPES,
        "bearer_methods_supported": ["header"],
        "resource_name": settings.SPECTACULAR_SETTINGS["TITLE"],
        "resource_documentation": f"{address}/docs",
    }
    return json_response(known, headers=METADATA_HEADERS)


@endpoint("GET", "HEAD")
def authorization_server(request: HttpRequest) -> HttpResponse:
    """What they read next (RFC 8414)."""
    address = site_address(request)
    known = {
        "issuer": address,
        "authorization_endpoint": f"{address}/authorize",
        "token_endpoint": f"{address}/token",
        "registration_endpoint": f"{address}/register",
        "revocation_endpoint": f"{address}/revoke",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": True,
        "scopes_supported": [*metadata.SCOPES, metadata.OFFLINE],
        "service_documentation": f"{address}/docs",
    }
    if settings.OAUTH_CLIENT_DOCUMENTS:
        known["client_id_metadata_document_supported"] = True
    return json_response(known, headers=METADATA_HEADERS)


@endpoint("POST")
def token(request: HttpRequest) -> HttpResponse:
    return json_response(tokens.exchange(form(request), metadata.resource(request)))


@endpoint("POST")
def revoke(request: HttpRequest) -> HttpResponse:
    tokens.revoke(form(request))
    return json_response({})


@endpoint("POST")
def register(request: HttpRequest) -> HttpResponse:
    try:
        rate_limits.count(request, "register", rate_limits.client_address(request))
    except RateLimited as error:
        wait = {"Retry-After": str(error.wait)}
        raise OAuthError(
            "rate_limited", "Too many programs from your network registered.", 429, wait
        ) from None
    check_media_type(request)
    if len(request.body) > registration.MAX_BODY_BYTES:
        raise OAuthError("invalid_client_metadata", "The body is longer than 16 KB.", 413)
    try:
        claimed = loads(request.body)
    except ValueError as error:
        raise OAuthError("invalid_client_metadata", f"Not valid JSON: {shortened(error)}.") from None
    if not isinstance(claimed, dict):
        raise OAuthError("invalid_client_metadata", "Send a JSON object.")
    return json_response(registration.document(registration.register(claimed)), 201)


def form(request: HttpRequest) -> dict[str, str]:
    """The parameters of a form. Raises OAuthError for another media type, or one that is given twice."""
    charset = (request.content_params or {}).get("charset", "utf-8")
    if request.content_type != FORM or charset.lower() not in ("utf-8", "utf8"):
        raise OAuthError("invalid_request", f"Send the parameters as {FORM} in UTF-8.")
    repeated = [name for name, values in request.POST.lists() if len(values) > 1]
    if repeated:
        raise OAuthError("invalid_request", f"{repeated[0][:40]} is given more than once.")
    return {name: str(value) for name, value in request.POST.items()}
