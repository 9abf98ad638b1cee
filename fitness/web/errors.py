"""The error views of the project, which `fitness/urls.py` names. Programs get the API's envelope instead."""

import sys

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from fitness.addresses import public_address
from fitness.api.errors import CODES, api_error, error_response, unrouted
from fitness.api.middleware import is_api, is_for_programs
from fitness.api.renderers import json_response

ERROR_TEXTS = {  # status: (title, text)
    400: (
        _("The request was not understood"),
        _(
            "Its address, a header or the submitted form is malformed. Go back, reload the page and try "
            "again."
        ),
    ),
    403: (_("You may not open this page"), _("Your account does not have the rights that it needs.")),
    404: (
        _("There is nothing at this address"),
        _(
            "It may have moved, or the record belongs to another account. Check the address for typing "
            "mistakes."
        ),
    ),
    405: (
        _("There is no page at this address"),
        _("It takes what a form sends. Go back to the page with the form, or begin at home."),
    ),
    413: (
        _("That is too much at once"),
        _(
            "A page takes up to 256 KB, a file to import 20 MB, and the export of a health app, which has a "
            "field of its own, 500 MB. Go back and send less: split the file by year, choose the ZIP of an "
            "archive, or log longer workouts over the API."
        ),
    ),
    500: (
        _("Something went wrong on our side"),
        _("The fault is in the log, under the X-Request-Id of this answer. Trying again later may help."),
    ),
    503: (
        _("The service will be back in a moment"),
        _("Your data cannot be reached right now. Wait a little and reload the page."),
    ),
}
EXPIRED_FORM = (
    _("This form has expired"),
    _(
        "You have signed in or out since it was opened, or cookies are blocked. Go back, reload the page and "
        "send it again."
    ),
)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_for_programs(request):
        return error_response(exception)
    is_wrong_host = isinstance(exception, DisallowedHost)
    return render_error(request, 400, wrong_host_texts() if is_wrong_host else None)


def wrong_host_texts() -> tuple[str, str]:
    """The title and text for a request whose Host header is not the address of the service."""
    return (
        gettext("The service is not at this address"),
        gettext(
            "It answers at %(address)s alone. If you run it, set PUBLIC_URL to what the address bar shows up "
            "to the first single slash, and start it again."
        )
        % {"address": public_address()},
    )


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    title, text = ERROR_TEXTS[403]
    return render_error(request, 403, (title, str(exception or "") or text))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return unrouted(request) if is_api(request) else render_error(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls this in the handler of the exception. A database fault becomes a 503, not a 500."""
    exc = sys.exc_info()[1]
    return error_response(exc) if is_for_programs(request) else render_exception(request, exc)


def render_exception(request: HttpRequest, exc: BaseException | None) -> HttpResponse:
    """The error screen with the status and headers of the API's response to the same exception."""
    error = api_error(exc)
    response = render_error(request, error.status)
    for name, value in error.headers.items():
        response.headers[name] = value
    return response


def expired_form(request: HttpRequest, reason: str) -> HttpResponse:
    """The screen for a form whose token is refused."""
    return render_error(request, 403, EXPIRED_FORM)


def render_error(request: HttpRequest, status: int, texts: tuple[str, str] | None = None) -> HttpResponse:
    """Renders an error screen with `texts` (title, text), or with those of the status.

    A script of a screen, which prefers JSON, gets `{"code", "message"}`.
    """
    title, text = map(gettext, texts or ERROR_TEXTS[status])
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        return json_response({"code": CODES[status], "message": text}, status)
    return render(request, "error.html", {"status": status, "title": title, "text": text}, status=status)
