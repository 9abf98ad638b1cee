"""The views of no single app: start screen, API reference, export and deletion of an account."""

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from accounts.web.forms import PasswordForm
from accounts.web.requests import AccountRequest
from fitness.addresses import site_address
from fitness.site import account_data
from fitness.site.home import home_context


def home(request: HttpRequest) -> HttpResponse:
    context = {"site": site_address(request)}
    if not request.user.is_authenticated:
        return render(request, "landing.html", context)
    return render(request, "home.html", {**context, **home_context(request.user)})


def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "docs.html")


@login_required
@never_cache
def export(request: AccountRequest) -> StreamingHttpResponse:
    """All data of the account in one JSON document, streamed while it is read from the database."""
    name = f"fitness-{timezone.now():%Y-%m-%d}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    pieces = account_data.export(request.user)
    return StreamingHttpResponse(pieces, content_type="application/json", headers=headers)


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
