"""The pages for requests that are refused or fail. Programs get the API's envelope instead."""

import sys

from django.core.exceptions import DisallowedHost
from django.shortcuts import render

from fitness.addresses import public_address
from fitness.api.errors import api_error
from fitness.api.middleware import is_api, is_for_programs
from fitness.api.views import json_error_response, unrouted

ERROR_PAGES = {
    400: (
        "The request was not understood",
        "Its address, a header or the submitted form is malformed. Go back, reload the page and try again.",
    ),
    403: ("You may not open this page", "Your account does not have the rights that it needs."),
    404: (
        "There is nothing at this address",
        "It may have moved, or the record belongs to another account. Check the address for typing mistakes.",
    ),
    413: (
        "That is too much at once",
        "A page takes up to 256 KB. Go back and send less; longer workouts can be logged over the API.",
    ),
    500: (
        "Something went wrong on our side",
        "The fault is in the log, under the X-Request-Id of this answer. Trying again later may help.",
    ),
    503: (
        "The service will be back in a moment",
        "Your records cannot be reached right now. Wait a little and reload the page.",
    ),
}
EXPIRED_FORM = (
    "This form has expired",
    "You have signed in or out since it was opened, or cookies are blocked. Go back, reload the page and "
    "submit it again.",
)


def bad_request(request, exception=None):
    if is_for_programs(request):
        return json_error_response(exception)
    return error_page(request, 400, other_address() if isinstance(exception, DisallowedHost) else None)


def other_address() -> tuple[str, str]:
    """The words of an error page for somebody whose browser used an address that is not the service's."""
    return (
        "The service is not at this address",
        f"It answers at {public_address()} alone. If you run it, set PUBLIC_URL to what the address bar "
        "shows up to the first single slash, and start it again.",
    )


def forbidden(request, exception=None):
    return error_page(request, 403)


def not_found(request, exception=None):
    return unrouted(request) if is_api(request) else error_page(request, 404)


def server_error(request):
    """Also meets database faults from outside the API's views, which are 503, not 500."""
    exc = sys.exc_info()[1]
    return json_error_response(exc) if is_for_programs(request) else refused_page(request, exc)


def refused_page(request, exc):
    """The error page for an exception that the API answers with its envelope."""
    refusal = api_error(exc)
    response = error_page(request, refusal.status)
    for name, value in refusal.headers.items():
        response.headers[name] = value
    return response


def expired_form(request, reason):
    return error_page(request, 403, EXPIRED_FORM)


def error_page(request, status, words=None):
    title, text = words or ERROR_PAGES[status]
    return render(request, "error.html", {"status": status, "title": title, "text": text}, status=status)
