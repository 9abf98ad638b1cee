"""The middleware of the screens."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.api.middleware import close_if_unread, is_for_programs, limit_body
from fitness.api.rate_limits import client_address
from fitness.web.errors import render_exception
from fitness.web.shortcuts import too_many_requests


class WebGuard:
    """Limits the requests for screens, and keeps the screens of signed-in people out of caches.

    1. Requests of programs (the API, the tool endpoint) pass: fitness.api.middleware.ApiGuard limits them.
    2. The client's address is counted against the limit "pages": 429 over it.
    3. A body over 256 KB gets a 413, before a view or the CSRF check reads it.
    4. Once the view is resolved, the account of a signed-in person is counted against the same limit.
    5. The response gets `Cache-Control: private, no-store` if the browser holds a session.
    6. A connection with an unread body is closed after an error.

    Example of a failure: somebody reloads /workouts 601 times in a minute. Step 2 counts the 601st request,
    and the response is the error screen "Too many requests" with Retry-After, without a query.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_for_programs(request):
            return self.get_response(request)
        response = self.error_response(request) or self.get_response(request)
        if has_session(request, response):
            patch_cache_control(response, private=True, no_store=True)
        close_if_unread(request, response)
        return response

    def error_response(self, request: HttpRequest) -> HttpResponse | None:
        """Steps 2 and 3: the error screen, or None for a request within the limits."""
        try:
            if is_counted(request):
                rate_limits.count(request, "pages", client_address(request))
            limit_body(request)
        except RateLimited as exc:
            return over_page_limit(request, exc)
        except Exception as exc:
            return render_exception(request, exc)
        return None

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        """Step 4. Not in __call__, because reading the account takes a query that error screens avoid."""
        if not is_counted(request) or not request.user.is_authenticated:
            return None
        try:
            rate_limits.count(request, "pages", str(request.user.pk))
        except RateLimited as exc:
            return over_page_limit(request, exc)
        return None


def is_counted(request: HttpRequest) -> bool:
    """Whether a request is for a screen: not one of a program, and not a health check."""
    return not is_for_programs(request) and request.path not in ("/healthz", "/readyz")


def over_page_limit(request: HttpRequest, exc: RateLimited) -> HttpResponse:
    return too_many_requests(request, exc.wait, "You, or others at your address, open pages too fast.")


def has_session(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether somebody is signed in, was, or is from this response on; takes no query."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or settings.SESSION_COOKIE_NAME in response.cookies
