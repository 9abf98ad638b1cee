"""Sign-up and the settings screens."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.db.models import Max
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import audit
from accounts.forms import (
    ChangePasswordForm,
    FormAlreadyUsed,
    KeyForm,
    ProfileForm,
    SignUpForm,
    UnitsForm,
)
from accounts.models import MAX_ACTIVE_KEYS
from fitness.api import ratelimit
from fitness.api.exceptions import RateLimited
from fitness.pages import too_many_requests

FORM_ALREADY_USED = (
    "That form has already made its key. If you did not copy the key, revoke it and create another."
)
TOO_MANY_SIGN_UPS = "Many accounts were asked for from your network."


def site_address(request):
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"


@sensitive_post_parameters()
def sign_up(request):
    if request.user.is_authenticated:
        return redirect("home")
    if request.method == "POST":
        try:
            ratelimit.count(request, "sign-up", ratelimit.client_address(request))
        except RateLimited as error:
            return too_many_requests(request, error.wait, TOO_MANY_SIGN_UPS)
    form = SignUpForm(request.POST or None)
    if form.is_valid() and (account := form.save()):
        login(request, account)
        audit.note("signed up", account.pk)
        return redirect("home")
    return render(request, "accounts/sign_up.html", {"form": form})


@login_required
def profile(request):
    form = ProfileForm(request.POST or None, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, "Your profile is saved.")
        return redirect("profile")
    return render(request, "accounts/profile.html", {"form": form})


@sensitive_post_parameters()
@login_required
def account(request):
    form = ChangePasswordForm(request.user, request.POST or None)
    if form.is_valid():
        update_session_auth_hash(request, form.save())
        audit.note("password changed", request.user.pk)
        messages.success(request, "Your password is changed.")
        return redirect("account")
    context = {"form": form, "units_form": UnitsForm(instance=request.user)}
    return render(request, "accounts/account.html", context)


@login_required
@require_POST
def set_units(request):
    form = UnitsForm(request.POST, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, f"Weights are shown in {request.user.get_units_display().lower()}.")
    return redirect("account")


@login_required
@never_cache
def developer(request):
    newest_key = request.user.api_keys.aggregate(newest=Max("pk", default=0))["newest"]
    form = KeyForm(request.POST or None, initial={"newest_key": newest_key})
    if form.is_valid():
        return create_key(request, form)
    return developer_page(request, form)


def create_key(request, form):
    """The one page that shows a key: it stands in no session, message or address."""
    try:
        issued = form.issue(request.user)
    except FormAlreadyUsed:
        messages.warning(request, FORM_ALREADY_USED)
        return redirect("developer")
    if issued is None:
        return developer_page(request, form)
    key, record = issued
    context = {"key": key, "record": record, "site": site_address(request)}
    return render(request, "accounts/key_created.html", context)


def developer_page(request, form):
    keys = list(request.user.api_keys.all())
    context = {
        "form": form,
        "active": [key for key in keys if key.is_active],
        "ended": [key for key in keys if not key.is_active],
        "limit": MAX_ACTIVE_KEYS,
    }
    return render(request, "accounts/developer.html", context)


@login_required
def revoke_key(request, pk):
    key = get_object_or_404(request.user.api_keys, pk=pk)
    if request.method == "POST":
        key.revoke()
        messages.success(request, f"“{key.name}” is revoked.")
        return redirect("developer")
    return render(request, "accounts/revoke_key.html", {"key": key})
