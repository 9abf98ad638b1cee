"""The sign-up and the settings."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import audit
from accounts.invitations import DAYS_VALID, Invitation
from accounts.models import MAX_ACTIVE_KEYS, Account
from accounts.web.forms import (
    ChangePasswordForm,
    FormAlreadyUsed,
    KeyForm,
    NotInvited,
    ProfileForm,
    SignUpForm,
    UnitsForm,
)
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.web.compression import uncompressed
from fitness.web.shortcuts import too_many_requests

FORM_ALREADY_USED = (
    "That form has already made its key. If you did not copy the key, revoke it and create another."
)
NOT_INVITED = {
    "closed": (
        "This service takes no new accounts",
        "Sign-up is closed. If you should have an account, ask whoever runs this service to make you one.",
    ),
    "invite": (
        "Accounts here are by invitation",
        f"Ask whoever runs this service for an invitation: a link that works once, within {DAYS_VALID} days.",
    ),
    "link": (
        "This invitation does not work any more",
        f"A link works once, within {DAYS_VALID} days, and can be withdrawn; or a part of it is missing. "
        "Ask whoever runs this service for a new one.",
    ),
}
TOO_MANY_SIGN_UPS = "Many accounts were asked for from your network."


def site_address(request: HttpRequest) -> str:
    """The address of the service, without a slash at its end, for links that people copy."""
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"


@sensitive_post_parameters()
@never_cache
def sign_up(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("home")
    if request.method == "POST":
        try:
            rate_limits.count(request, "sign-up", rate_limits.client_address(request))
        except RateLimited as error:
            return too_many_requests(request, error.wait, TOO_MANY_SIGN_UPS)
    invitation = Invitation.objects.look_up(request.GET.get("invitation", ""))
    if not (invitation or Account.objects.may_sign_up()):
        return render_not_invited(request)
    form = SignUpForm(invitation, request.POST or None)
    try:
        if form.is_valid() and (account := form.create_account()):
            login(request, account)
            return redirect("home")
    except NotInvited:
        return render_not_invited(request)
    return render(request, "accounts/sign_up.html", {"form": form, "invitation": invitation})


def render_not_invited(request: HttpRequest) -> HttpResponse:
    """The 403 screen that explains why there is no form, and what to do about it."""
    reason = "link" if settings.SIGN_UP != "closed" and "invitation" in request.GET else settings.SIGN_UP
    title, text = NOT_INVITED[reason]
    return render(request, "accounts/not_invited.html", {"title": title, "text": text}, status=403)


@login_required
def profile(request: AccountRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, "Your profile is saved.")
        return redirect("profile")
    return render(request, "accounts/profile.html", {"form": form})


@sensitive_post_parameters()
@login_required
def account(request: AccountRequest) -> HttpResponse:
    form = ChangePasswordForm(request.user, request.POST or None)
    if form.is_valid():
        update_session_auth_hash(request, form.save())
        audit.log_event("password changed", request.user.pk)
        messages.success(request, "Your password is changed.")
        return redirect("account")
    context = {"form": form, "units_form": UnitsForm(instance=request.user)}
    return render(request, "accounts/account.html", context)


@login_required
@require_POST
def set_units(request: AccountRequest) -> HttpResponse:
    form = UnitsForm(request.POST, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, f"Weights are shown in {request.user.get_units_display().lower()}.")
    return redirect("account")


@login_required
@never_cache
def developer(request: AccountRequest) -> HttpResponse:
    newest_key = request.user.api_keys.aggregate(newest=Max("pk", default=0))["newest"]
    form = KeyForm(request.POST or None, initial={"newest_key": newest_key})
    if form.is_valid():
        return create_key(request, form)
    return render_developer(request, form)


def create_key(request: AccountRequest, form: KeyForm) -> HttpResponse:
    """Responds to the POST with the key: a redirect would need to store it in a session or an address."""
    try:
        issued = form.issue(request.user)
    except FormAlreadyUsed:
        messages.warning(request, FORM_ALREADY_USED)
        return redirect("developer")
    if issued is None:
        return render_developer(request, form)
    key, api_key = issued
    context = {"key": key, "api_key": api_key, "site": site_address(request)}
    return uncompressed(render(request, "accounts/key_created.html", context))


def render_developer(request: AccountRequest, form: KeyForm) -> HttpResponse:
    keys = list(request.user.api_keys.all())
    context = {
        "form": form,
        "active": [key for key in keys if key.is_active],
        "ended": [key for key in keys if not key.is_active],
        "limit": MAX_ACTIVE_KEYS,
    }
    return render(request, "accounts/developer.html", context)


@login_required
def revoke_key(request: AccountRequest, pk: int) -> HttpResponse:
    key = get_object_or_404(request.user.api_keys, pk=pk)
    if request.method == "POST":
        key.revoke()
        messages.success(request, f"“{key.name}” is revoked.")
        return redirect("developer")
    return render(request, "accounts/revoke_key.html", {"key": key})
