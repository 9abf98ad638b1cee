"""What belongs to no app: start page, API reference, health, and what concerns the whole account."""

import os
from pathlib import Path

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db import connection, transaction
from django.http import StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.web.forms import DeleteAccountForm
from accounts.web.views import site_address
from fitness.api import rate_limits
from fitness.api.errors import DATABASE_FAULTS
from fitness.api.renderers import json_response
from fitness.site import account_data
from fitness.site.home import home as home_of

MIN_FREE_BYTES = 10_000_000  # SQLite's journal takes some megabytes


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
    pieces = account_data.export(request.user)
    return StreamingHttpResponse(pieces, content_type="application/json", headers=headers)


@sensitive_post_parameters()
@login_required
@never_cache
def delete_account(request):
    form = DeleteAccountForm(request.user, request.POST or None)
    if form.is_valid():
        with transaction.atomic():
            account_data.delete(request.user)
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
    if not rate_limits.shared_counters_available():
        return json_response({"status": "degraded", "counters": "each process counts for itself"})
    return json_response({"status": "ok"})


def disk_is_full() -> bool:
    """Whether SQLite may soon find no place for a write. A database server's disk is its own to watch."""
    if connection.vendor != "sqlite":
        return False
    disk = os.statvfs(Path(connection.settings_dict["NAME"]).parent)
    return disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES
