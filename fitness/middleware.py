"""What happens around every request, page or API."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from uuid_utils.compat import uuid7

from fitness import logs, views
from fitness.api import ratelimit
from fitness.api.exceptions import RateLimited
from fitness.api.middleware import bound_body, close_if_unread, is_for_programs
from fitness.api.ratelimit import client_address
from fitness.pages import too_many_requests

log = logging.getLogger("fitness.requests")


class RequestLog:
    """Gives each request an id and writes one line about it: what, who, outcome, time.

    Neither the query string nor the body is logged: they may hold what people would not share.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        started = time.perf_counter()
        request_id = logs.request_id.set(uuid7().hex)
        address = logs.client_address.set(client_address(request))
        try:
            response = self.get_response(request)
            response.headers["X-Request-Id"] = logs.request_id.get()
            log.info(
                "%s %s %s",
                request.method,
                request.path,
                response.status_code,
                extra={
                    "milliseconds": round((time.perf_counter() - started) * 1000, 1),
                    "key": getattr(request, "key_hint", None),
                },
            )
            return response
        finally:
            logs.client_address.reset(address)
            logs.request_id.reset(request_id)


class PageGuard:
    """What comes before any page: its limit and the size of its body. And what no cache may keep of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_for_programs(request):
            return self.get_response(request)
        response = self.refusal(request) or self.get_response(request)
        if has_session(request, response):
            patch_cache_control(response, private=True, no_store=True)
        close_if_unread(request, response)
        return response

    def refusal(self, request: HttpRequest) -> HttpResponse | None:
        """The page for a request that is refused before anybody asks what it is about."""
        try:
            if is_counted(request):
                ratelimit.count(request, "pages", client_address(request))
            bound_body(request)
        except RateLimited as exc:
            return too_many_pages(request, exc)
        except Exception as exc:
            return views.refused_page(request, exc)
        return None

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        """Counts the account: here, because views ask who is signed in anyway, and error pages do not."""
        if not is_counted(request) or not request.user.is_authenticated:
            return None
        try:
            ratelimit.count(request, "pages", str(request.user.pk))
        except RateLimited as exc:
            return too_many_pages(request, exc)
        return None


def is_counted(request: HttpRequest) -> bool:
    """Whether a request is for a page: not one of a program, nor of what watches the service."""
    return not is_for_programs(request) and request.path not in ("/healthz", "/readyz")


def too_many_pages(request: HttpRequest, exc: RateLimited) -> HttpResponse:
    return too_many_requests(request, exc.wait, "You, or others at your address, open pages too fast.")


def has_session(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether somebody is signed in, or was, or is from now on; asks neither session nor database."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES or settings.SESSION_COOKIE_NAME in response.cookies
