"""What belongs to no app: start page, API reference, health, error pages."""

import os
import sys
from pathlib import Path

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import DisallowedHost
from django.db import connection, transaction
from django.http import StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.forms import DeleteAccountForm
from accounts.pages import site_address
from fitness import everything
from fitness.api import ratelimit
from fitness.api.addresses import own_address
from fitness.api.errors import DATABASE_FAULTS, refusal_of
from fitness.api.middleware import is_api, is_for_programs
from fitness.api.renderers import json_response
from fitness.api.views import refuse, unrouted
from fitness.home import home as home_of

LEAST_FREE_BYTES = 10_000_000  # SQLite's journal takes some megabytes

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


def home(request):
    context = {"site": site_address(request)}
    if not request.user.is_authenticated:
        return render(request, "landing.html", context)
    return render(request, "home.html", {**context, **home_of(request.user)})


def docs(request):
    return render(request, "docs.html")


@login_required
@never_cache
def export(request):
    """Everything of the account in one JSON document, streamed as it is read."""
    name = f"fitness-{timezone.now():%Y-%m-%d}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    pieces = everything.archive(request.user)
    return StreamingHttpResponse(pieces, content_type="application/json", headers=headers)


@sensitive_post_parameters()
@login_required
@never_cache
def delete_account(request):
    form = DeleteAccountForm(request.user, request.POST or None)
    if form.is_valid():
        with transaction.atomic():
            everything.erase(request.user)
            logout(request)
        messages.success(request, "Your account and everything in it are deleted.")
        return redirect("home")
    return render(request, "accounts/delete_account.html", {"form": form})


def healthz(request):
    """The process answers."""
    return json_response({"status": "ok"})


def readyz(request):
    """503 without the database; "degraded" on a full disk, and while the shared counters do not answer."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DATABASE_FAULTS:
        return json_response({"status": "unavailable", "database": "does not answer"}, 503)
    if disk_is_full():
        return json_response({"status": "degraded", "disk": "is full: writes may be refused"})
    if not ratelimit.shared_counters_answer():
        return json_response({"status": "degraded", "counters": "each process counts for itself"})
    return json_response({"status": "ok"})


def disk_is_full() -> bool:
    """Whether SQLite may soon find no place for a write. A database server's disk is its own to watch."""
    if connection.vendor != "sqlite":
        return False
    disk = os.statvfs(Path(connection.settings_dict["NAME"]).parent)
    return disk.f_bavail * disk.f_frsize < LEAST_FREE_BYTES


def bad_request(request, exception=None):
    if is_for_programs(request):
        return refuse(exception)
    return error_page(request, 400, other_address() if isinstance(exception, DisallowedHost) else None)


def other_address() -> tuple[str, str]:
    """The words of an error page for somebody whose browser used an address that is not the service's."""
    return (
        "The service is not at this address",
        f"It answers at {own_address()} alone. If you run it, set PUBLIC_URL to what the address bar shows "
        "up to the first single slash, and start it again.",
    )


def forbidden(request, exception=None):
    return error_page(request, 403)


def not_found(request, exception=None):
    return unrouted(request) if is_api(request) else error_page(request, 404)


def server_error(request):
    """Also meets database faults from outside the API's views, which are 503, not 500."""
    exc = sys.exc_info()[1]
    return refuse(exc) if is_for_programs(request) else refused_page(request, exc)


def refused_page(request, exc):
    """The error page for an exception that the API answers with its envelope."""
    refusal = refusal_of(exc)
    response = error_page(request, refusal.status)
    for name, value in refusal.headers.items():
        response.headers[name] = value
    return response


def expired_form(request, reason):
    return error_page(request, 403, EXPIRED_FORM)


def error_page(request, status, words=None):
    title, text = words or ERROR_PAGES[status]
    return render(request, "error.html", {"status": status, "title": title, "text": text}, status=status)
