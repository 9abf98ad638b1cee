"""What comes before any page."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.api.middleware import close_if_unread, is_for_programs, limit_body
from fitness.api.rate_limits import client_address
from fitness.web.errors import refused_page
from fitness.web.shortcuts import too_many_requests


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
                rate_limits.count(request, "pages", client_address(request))
            limit_body(request)
        except RateLimited as exc:
            return too_many_pages(request, exc)
        except Exception as exc:
            return refused_page(request, exc)
        return None

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        """Counts the account: here, because views ask who is signed in anyway, and error pages do not."""
        if not is_counted(request) or not request.user.is_authenticated:
            return None
        try:
            rate_limits.count(request, "pages", str(request.user.pk))
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
