"""The views of no single app: start screen, API reference, deletion of an account."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts.web.forms import PasswordForm
from accounts.web.requests import AccountRequest
from fitness.addresses import site_address
from fitness.site import account_data
from fitness.site.home import first_run, has_data, home_context

FIRST_RUN_COOKIE = "first-run"
FIRST_RUN_SECONDS = 365 * 24 * 3600


def home(request: HttpRequest) -> HttpResponse:
    context: dict[str, Any] = {"site": site_address(request)}
    if not request.user.is_authenticated:
        return render(request, "landing.html", context)
    account = request.user
    context |= home_context(account)
    is_skipped = request.COOKIES.get(FIRST_RUN_COOKIE) == str(account.pk)
    if not is_skipped and not has_data(account, context):
        context["first_run"] = first_run(context, request.GET.get("days", ""))
    return render(request, "home.html", context)


@login_required
@require_POST
def skip_first_run(request: AccountRequest) -> HttpResponse:
    """Asks no more in this browser. Another one may ask until there is data."""
    response = redirect("home")
    response.set_cookie(
        FIRST_RUN_COOKIE,
        str(request.user.pk),
        max_age=FIRST_RUN_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


@login_required
def more(request: AccountRequest) -> HttpResponse:
    """What the bar of a phone has no room for."""
    return render(request, "more.html")


def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "docs.html")


@sensitive_post_parameters()
@login_required
@never_cache
def delete_account(request: AccountRequest) -> HttpResponse:
    form = PasswordForm(request, request.POST or None)
    if form.is_valid():
        with transaction.atomic():
            account_data.delete(request.user)
            logout(request)
        messages.success(request, "Your account and everything in it are deleted.")
        return redirect("home")
    return render(request, "accounts/delete_account.html", {"form": form})
