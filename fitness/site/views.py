"""The views of no single app: start screen, API reference, deletion of an account."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.web.forms import PasswordForm
from accounts.web.requests import AccountRequest
from fitness.addresses import site_address
from fitness.site import account_data
from fitness.site.home import home_context


def home(request: HttpRequest) -> HttpResponse:
    context: dict[str, Any] = {"site": site_address(request)}
    if not request.user.is_authenticated:
        return render(request, "landing.html", context)
    context |= home_context(request.user, request.GET.get("days", ""))
    return render(request, "home.html", context)


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
        messages.success(request, _("Your account and everything in it are deleted."))
        return redirect("home")
    return render(request, "accounts/delete_account.html", {"form": form})
