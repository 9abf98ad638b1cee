"""The middleware that Django and django-csp have for screens. Requests of programs pass it by.

These know no session, form, message or frame, and the work for them was 23 % of the Python calls of reading
one workout. The headers that browsers obey are constant there (fitness.api.middleware.BrowserHeaders).

Where several for screens follow each other in MIDDLEWARE, a request of a program passes all of them in one
step: the first knows where those behind it lead.
"""

from typing import Any

from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware

from fitness.api.middleware import GetResponse, is_for_programs


def for_screens(middleware: Any) -> Any:
    """The class of a middleware that requests of programs pass by."""

    class ForScreens(middleware):  # type: ignore[misc]  # a base that is chosen at run time
        def __init__(self, get_response: GetResponse) -> None:
            super().__init__(get_response)
            # Django wraps each middleware by functools.wraps, which copies its attributes.
            self.for_programs: GetResponse = getattr(get_response, "for_programs", get_response)

        def __call__(self, request: HttpRequest) -> HttpResponseBase:
            handle = self.for_programs if is_for_programs(request) else super().__call__
            response: HttpResponseBase = handle(request)
            return response

    return ForScreens


Authentication = for_screens(AuthenticationMiddleware)
Policy = for_screens(CSPMiddleware)
Session = for_screens(SessionMiddleware)
Forms = for_screens(CsrfViewMiddleware)
Messages = for_screens(MessageMiddleware)
Frames = for_screens(XFrameOptionsMiddleware)
