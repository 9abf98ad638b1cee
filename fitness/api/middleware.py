"""The first checks of every request under /api, and the headers of all requests of programs."""

import re
from collections.abc import Callable
from io import BytesIO

from csp.middleware import CSPMiddleware
from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from gunicorn.http.errors import ParseException

from fitness.api import rate_limits
from fitness.api.errors import error_response
from fitness.api.exceptions import PayloadTooLarge

GetResponse = Callable[[HttpRequest], HttpResponseBase]
ErrorResponse = Callable[[Exception], HttpResponseBase]


class Middleware:
    """Keeps the middleware or view that is called next."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response


class ApiGuard(Middleware):
    """Guards what is under /api, and gives all answers to programs the headers of screens for browsers.

    These are made once, here.
    """

    def __init__(self, get_response: GetResponse) -> None:
        super().__init__(get_response)
        request, screen = HttpRequest(), HttpResponse()
        for middleware in (CSPMiddleware(get_response), XFrameOptionsMiddleware(get_response)):
            middleware.process_response(request, screen)
        self.headers = {name: screen[name] for name in ("Content-Security-Policy", "X-Frame-Options")}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_for_programs(request):
            return self.get_response(request)
        if is_api(request):
            response = guarded(request, self.get_response, error_response)
        else:
            response = self.get_response(request)
        for name, value in self.headers.items():
            response.headers[name] = value
        return response


def guarded(request: HttpRequest, get_response: GetResponse, refuse: ErrorResponse) -> HttpResponseBase:
    """The response to a program, after checks that need neither a key nor the database.

    1. The limit of the client's address. Example: the 301st request of a minute -> 429 rate_limited.
    2. The size of the body. Example: a body of 300 KB -> 413 payload_too_large.
    3. `get_response`. What it and the checks raise becomes the response that `refuse` makes.
    4. The RateLimit headers, and Cache-Control: no-store unless the view has set another.
    """
    try:
        rate_limits.count(request, "address", rate_limits.client_address(request))
        limit_body(request)
        response = get_response(request)
    except Exception as exc:
        response = refuse(exc)
    for name, value in rate_limits.headers(request).items():
        response.headers[name] = value
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def is_api(request: HttpRequest) -> bool:
    return request.path == "/api" or request.path.startswith("/api/")


FOR_PROGRAMS = re.compile(r"/(api|mcp|\.well-known)(/|$)|/(token|register|revoke)$")


def is_for_programs(request: HttpRequest) -> bool:
    """Whether programs call the address: their errors are JSON, not an HTML page."""
    return FOR_PROGRAMS.match(request.path) is not None


def limit_body(request: HttpRequest, max_bytes: int = settings.MAX_BODY_BYTES) -> None:
    """Raises PayloadTooLarge for a body over `max_bytes`, before it is read.

    A chunked body is read here, up to the limit, and its CONTENT_LENGTH set: WSGI servers pass chunked bodies
    without one, and Django would read them as empty.
    """
    if "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        try:
            body = request.META["wsgi.input"].read(max_bytes + 1)
        except (OSError, ParseException) as error:  # broken chunks, or a client that went away
            raise UnreadablePostError("the chunks of the body are malformed") from error
        if len(body) > max_bytes:
            raise PayloadTooLarge()
        request.META["CONTENT_LENGTH"] = str(len(body))
        request._stream = BytesIO(body)
    if int(request.META.get("CONTENT_LENGTH") or 0) > max_bytes:
        raise PayloadTooLarge()
