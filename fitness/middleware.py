"""The middleware of every request and of the screens. The API has its own: fitness/api/middleware.py."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_supported_language_variant
from django.utils.translation import gettext as _
from django.utils.translation.trans_real import parse_accept_lang_header
from uuid_utils.compat import uuid7

from fitness import logs
from fitness.addresses import LARGE_UPLOAD_PATH, PICTURES_PATH, PROBE_PATHS, UPLOAD_PATH
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.api.middleware import Middleware, limit_body
from fitness.api.rate_limits import client_address
from fitness.web.compression import compressed
from fitness.web.errors import EXPIRED_FORM, render_error, render_exception
from fitness.web.language import activate_language_of, in_language
from fitness.web.local_time import zone_of
from fitness.web.middleware import for_screens
from fitness.web.shortcuts import too_many_requests

log = logging.getLogger("fitness.requests")

FACTOR_PASSED = "second_factor"  # in the session: whether it began with a second factor, or got one since

# As static files: the same for everybody, from memory, not counted. A browser requests them with each page.
BROWSER_FILES = ("/service-worker.js", "/manifest.webmanifest")

LEFT_TO_GUNICORN = PIECE_BYTES = 65_536

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def opens_without_factor(view: View) -> View:
    """For the views that somebody needs who is required to set up a second factor and has none."""
    view.opens_without_factor = True  # type: ignore[attr-defined]
    return view


class WholeBody(Middleware):
    """Reads what a refusal has left of a body that a proxy sends, up to the largest that any address takes.

    gunicorn closes a connection on which more than 64 KB are left, and a proxy that still sends answers 502
    instead of the refusal. A proxy has all of the body; a client that comes by itself may wait for the answer
    before it sends any, so nobody waits for its body.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        length = int(request.META.get("CONTENT_LENGTH") or 0)
        if LEFT_TO_GUNICORN < length <= settings.MAX_UPLOAD_BYTES:
            drain(request)
        return response


def drain(request: HttpRequest) -> None:
    """Reads what is left of a body where a proxy sends it."""
    if settings.TRUSTED_PROXIES:
        with suppress(UnreadablePostError):  # the client is gone
            while request.read(PIECE_BYTES):
                pass


class RequestLog(Middleware):
    """Gives each request an id and logs one line: method, path, status, time, address, and what is noted.

    That is the account and the key of the request, and of an error the code and the place (`logs.note`).
    Neither the query string nor the body is logged: they may hold personal data. The line of a probe that
    found all well is one for LOG_LEVEL=DEBUG.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        request_id = uuid7().hex
        address = client_address(request)
        noted: dict[str, str] = {}
        id_token = logs.request_id.set(request_id)
        address_token = logs.client_address.set(address)
        noted_token = logs.noted.set(noted)
        try:
            response = self.get_response(request)
            response.headers["X-Request-Id"] = request_id
            if request.method == "HEAD" and isinstance(response, HttpResponse):
                response.content = b""  # gunicorn complains of one; its length stays in the headers
            is_probe = request.path in PROBE_PATHS and response.status_code == 200 and "code" not in noted
            log.log(
                logging.DEBUG if is_probe else logging.INFO,
                "request",
                extra={
                    "method": request.method,
                    "path": request.path,
                    "status": response.status_code,
                    "milliseconds": round((time.perf_counter() - started) * 1000, 1),
                    "address": address,
                    **noted,
                },
            )
            return response
        finally:
            logs.noted.reset(noted_token)
            logs.client_address.reset(address_token)
            logs.request_id.reset(id_token)


@for_screens
class WebGuard(Middleware):
    """Limits the requests for screens, and keeps the screens of signed-in people out of caches.

    1. Requests of programs pass: fitness.api.middleware.ApiGuard limits those of the API, mcp_endpoint.views
       those of tools. So do those for BROWSER_FILES and pictures.
    2. The client's address is counted against the limit "pages": 429 over it.
    3. A body over 256 KB, or a file to import over 20 MB, of a health app over 500 MB, gets a 413, before a
       view or the CSRF check reads it.
    4. Once the view is resolved, the account of a signed-in person is counted where the address was. A file
       of somebody else gets a 403 unread.
    5. Somebody who must have a second factor (REQUIRE_SECOND_FACTOR), and whose session has none, is led to
       the page that sets one up. Views marked by `opens_without_factor` are open, everything else is not.
    6. The response gets `Cache-Control: private, no-store` if the browser holds a session.
    7. The response is compressed (fitness/web/compression.py).

    Example of a failure: somebody reloads /workouts 601 times in a minute. Step 2 counts the 601st request,
    and the response is the error screen "Too many requests" with Retry-After, without a query.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_browser_file(request):
            return self.get_response(request)
        response = self.error_response(request) or self.get_response(request)
        if has_session(request, response):
            patch_cache_control(response, private=True, no_store=True)
        return compressed(request, response)

    def error_response(self, request: HttpRequest) -> HttpResponse | None:
        """Steps 2 and 3: the error screen, or None for a request within the limits."""
        try:
            rate_limits.count(request, "pages", client_address(request))
            limit_body(request, max_body_bytes(request))
        except RateLimited as exc:
            return over_page_limit(request, exc)
        except Exception as exc:
            return render_exception(request, exc)
        return None

    def process_view(self, request: HttpRequest, view: object, *arguments: object) -> HttpResponse | None:
        """Steps 4 and 5. Not in __call__: reading the account takes a query, which error screens avoid."""
        if not is_for_screen(request):
            return None
        if not request.user.is_authenticated:
            # A cookie that is no session's opened the way for a file: nobody reads it.
            return render_error(request, 403, EXPIRED_FORM) if is_large(request) else None
        logs.note(account=str(request.user.pk))
        try:
            rate_limits.count(request, "pages", str(request.user.pk))
        except RateLimited as exc:
            return over_page_limit(request, exc)
        if lacks_factor(request) and not getattr(view, "opens_without_factor", False):
            return redirect("factors")
        return None


@for_screens
class Localization(Middleware):
    """Puts screens in the time zone and the language of the account.

    Without an account, in a language that the browser proposes. Programs and the admin stay in UTC and in
    English (`fitness.web.language`).
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_for_staff(request) or is_browser_file(request):
            return self.get_response(request)
        with in_language(proposed(request)), timezone.override(None):  # what views activate ends with them
            response = self.get_response(request)
        if not has_session(request, response):
            patch_vary_headers(response, ["Accept-Language"])
        return response

    def process_view(self, request: HttpRequest, *view: object) -> None:
        """Not in __call__: reading the account takes a query, which error screens avoid."""
        if is_for_screen(request) and not is_for_staff(request) and request.user.is_authenticated:
            activate_language_of(request.user)
            timezone.activate(zone_of(request.user.time_zone))


def proposed(request: HttpRequest) -> str:
    """The language that the browser of a request would like best, of those that there are.

    Not by Django's function for it, which reads a cookie first that other services of the same host set.
    """
    for language, _quality in parse_accept_lang_header(request.headers.get("Accept-Language", "")):
        with suppress(LookupError):
            return get_supported_language_variant(language)
    return settings.LANGUAGE_CODE


def is_for_screen(request: HttpRequest) -> bool:
    """Whether it is for a screen: neither for a program, nor for a file that is the same for everybody."""
    return "pages" in rate_limits.usages(request)


def is_for_staff(request: HttpRequest) -> bool:
    return request.path.startswith("/admin/")


def is_browser_file(request: HttpRequest) -> bool:
    is_file = request.path in BROWSER_FILES or request.path.startswith(PICTURES_PATH)
    return is_file and request.method in ("GET", "HEAD")


def lacks_factor(request: HttpRequest) -> bool:
    """Whether the account of a signed-in person must have a second factor, and the session has none."""
    user = request.user
    return user.is_authenticated and user.must_have_factor and not request.session.get(FACTOR_PASSED)


def over_page_limit(request: HttpRequest, exc: RateLimited) -> HttpResponse:
    return too_many_requests(request, exc.wait, _("You, or others at your address, open pages too fast."))


def max_body_bytes(request: HttpRequest) -> int:
    """How large the body of a request for a screen may be: more for a file to import."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return settings.MAX_BODY_BYTES
    # A body in chunks is held in memory until its length is known.
    if request.path == LARGE_UPLOAD_PATH and "Transfer-Encoding" not in request.headers:
        return settings.MAX_LARGE_UPLOAD_BYTES
    return settings.MAX_UPLOAD_BYTES if request.path == UPLOAD_PATH else settings.MAX_BODY_BYTES


def is_large(request: HttpRequest) -> bool:
    """Whether a body is larger than those of all requests but uploads."""
    return int(request.META.get("CONTENT_LENGTH") or 0) > settings.MAX_BODY_BYTES


def has_session(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether somebody is signed in, was, or is from this response on; takes no query."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or settings.SESSION_COOKIE_NAME in response.cookies
