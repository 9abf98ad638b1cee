"""The middleware of packages for screens; requests of programs, without session or form, pass by."""

from typing import Any

from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware

from fitness.api.middleware import is_for_programs


def for_screens(middleware: Any) -> Any:
    """The class of a middleware that requests of programs pass by, but for its `process_view`, if any."""

    class ForScreens(middleware):  # type: ignore[misc]  # a base that is chosen at run time
        def __call__(self, request: HttpRequest) -> HttpResponseBase:
            handle = self.get_response if is_for_programs(request) else super().__call__
            response: HttpResponseBase = handle(request)
            return response

    return ForScreens


Authentication = for_screens(AuthenticationMiddleware)
ContentSecurityPolicy = for_screens(CSPMiddleware)
Session = for_screens(SessionMiddleware)
CsrfCheck = for_screens(CsrfViewMiddleware)
Messages = for_screens(MessageMiddleware)
FrameOptions = for_screens(XFrameOptionsMiddleware)
