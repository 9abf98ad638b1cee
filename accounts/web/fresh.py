"""A fresh sign-in: what nobody may do in an unattended browser asks for the password again.

The session holds when its owner signed in or gave the password last; at the household's provider, when that
asked them last. Views with `required` open for 5 minutes after that; later they lead to the page that asks,
which leads back.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.models import ProviderTie
from accounts.web.forms import PasswordForm
from accounts.web.requests import AccountRequest
from fitness.middleware import opens_without_factor
from fitness.web.shortcuts import redirect_back

View = TypeVar("View", bound=Callable[..., HttpResponseBase])

FRESH_SECONDS = 300
CONFIRMED_AT = "password_given_at"


def mark(request: HttpRequest, given_at: float | None = None) -> None:
    """The password, or another proof of who is there, was given: just now, or at another time."""
    request.session[CONFIRMED_AT] = time.time() if given_at is None else given_at


def is_fresh(request: HttpRequest) -> bool:
    return is_recent(request.session.get(CONFIRMED_AT, 0))


def is_recent(given_at: float) -> bool:
    return 0 <= time.time() - given_at <= FRESH_SECONDS


def required_to_open(view: View) -> View:
    """For views under `login_required` whose form can be sent later: it carries what a fresh sign-in got."""

    @wraps(view)
    def asking(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        is_open = request.method == "POST" or is_fresh(request)
        return view(request, *args, **kwargs) if is_open else ask(request)

    return cast(View, asking)


def required(view: View) -> View:
    """For views under `login_required` that answer a GET: a POST that comes too late is filled in again."""

    @wraps(view)
    def asking(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(request, *args, **kwargs) if is_fresh(request) else ask(request)

    return cast(View, asking)


def ask(request: HttpRequest) -> HttpResponse:
    """Leads to the page that asks for the password, and from there back to this one."""
    return redirect(f"{reverse('confirm-password')}?{urlencode({'next': request.get_full_path()})}")


@opens_without_factor
@sensitive_post_parameters()
@login_required
@never_cache
def confirm_password(request: AccountRequest) -> HttpResponse:
    form = PasswordForm(request, request.POST or None)
    if form.is_valid():
        mark(request)
        return redirect_back(request, reverse("account"))
    context = {
        "form": form,
        "next": request.POST.get("next", request.GET.get("next", "")),
        "provider_name": settings.OIDC_NAME if ProviderTie.objects.of(request.user) else "",
        "has_password": request.user.may_use_password and request.user.has_usable_password(),
    }
    return render(request, "accounts/confirm_password.html", context)
