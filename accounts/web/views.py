"""The sign-up and the settings."""

from copy import copy
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Max, Prefetch
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import factors, links, mail
from accounts.first_account import FirstAccount
from accounts.invitations import DAYS_VALID, Invitation, NotInvited
from accounts.models import MAX_ACTIVE_KEYS, Account, ApiKey, ApiKeyQuerySet, ProviderTie
from accounts.oauth import metadata
from accounts.web import fresh
from accounts.web.forms import (
    ChangePasswordForm,
    FormAlreadyUsed,
    KeyForm,
    ProfileForm,
    SignUpForm,
    TimeZoneForm,
    UnitsForm,
)
from accounts.web.recovery import NOT_SENT, mail_at_most, mail_owner, what_stays
from accounts.web.requests import AccountRequest
from accounts.web.sessions import shown_sessions
from accounts.web.sign_in import complete_sign_in
from fitness.addresses import is_local, site_address
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.web.compression import uncompressed
from fitness.web.language import activate_language_of
from fitness.web.shortcuts import next_address, redirect_back, too_many_requests

FORM_ALREADY_USED = gettext_lazy(
    "That form has already made its key. If you did not copy the key, revoke it and create another."
)
NOT_INVITED = {
    "closed": (
        gettext_lazy("This service takes no new accounts"),
        gettext_lazy(
            "Sign-up is closed. If you should have an account, ask whoever runs this service to make you one."
        ),
    ),
    "invite": (
        gettext_lazy("Accounts here are by invitation"),
        gettext_lazy(
            "Ask whoever runs this service for an invitation: a link that works once, within %(days)s days."
        ),
    ),
    "link": (
        gettext_lazy("This invitation does not work any more"),
        gettext_lazy(
            "A link works once, within %(days)s days, and can be withdrawn; or a part of it is missing. Ask "
            "whoever runs this service for a new one."
        ),
    ),
}
FIRST_IS_SPENT = gettext_lazy(
    "The link for the first account does not work any more: there is or was an account, or a newer link. "
    "manage.py promote gives an account all rights."
)
SHOWN_IN = {
    Account.Units.KG.value: gettext_lazy("Weights are shown in kilograms (kg)."),
    Account.Units.LB.value: gettext_lazy("Weights are shown in pounds (lb)."),
}
TOO_MANY_SIGN_UPS = gettext_lazy("Many accounts were asked for from your network.")


@sensitive_post_parameters()
@never_cache
def sign_up(request: HttpRequest) -> HttpResponse:
    address = next_address(request, reverse("home"))
    if request.user.is_authenticated:
        return HttpResponseRedirect(address)
    if request.method == "POST":
        try:
            rate_limits.count(request, "sign-up", rate_limits.client_address(request))
        except RateLimited as error:
            return too_many_requests(request, error.wait, str(TOO_MANY_SIGN_UPS))
    first = request.GET.get("first", "")
    invitation = Invitation.objects.look_up(request.GET.get("invitation", ""))
    is_admitted = invitation or Account.objects.may_sign_up()
    if not (FirstAccount.objects.is_valid(first) if first else is_admitted):
        return render_not_invited(request)
    if settings.OIDC_ONLY:
        return render_sign_up(request, None, invitation)
    may_claim = Account.objects.may_claim() and rate_limits.is_from_this_machine(request)
    form = SignUpForm(invitation, request.POST or None, may_claim=may_claim, first=first)
    try:
        if form.is_valid():
            account = form.create_account()
            if settings.SENDS_MAIL:
                return mail_new_account(request, form.cleaned_data["email"], account)
            if account:
                return complete_sign_in(request, account, address, with_factor=False)
    except NotInvited:
        return render_not_invited(request)
    return render_sign_up(request, form, invitation)


def render_sign_up(
    request: HttpRequest, form: SignUpForm | None, invitation: Invitation | None
) -> HttpResponse:
    query = {name: request.GET[name] for name in ("next", "invitation") if request.GET.get(name)}
    context = {
        "form": form,
        "invitation": invitation,
        "is_first": "first" in request.GET,
        "next": request.GET.get("next", ""),
        "provider_name": settings.OIDC_NAME,
        "provider_query": urlencode(query),
    }
    return render(request, "accounts/sign_up.html", context)


def mail_new_account(request: HttpRequest, email: str, account: Account | None) -> HttpResponse:
    """Answers alike whether the account is new or the email was taken; the mail says which."""
    is_sent = True
    try:
        if account:
            mail_at_most(request, "confirm_email", email, link=links.EmailTokens(email).link(account))
        elif owner := Account.objects.filter(email=email).first():
            mail_owner(request, owner)
    except mail.NotSent:
        is_sent = False
        messages.error(request, NOT_SENT)
    context = {"email": email, "is_sent": is_sent, "next": request.GET.get("next", "")}
    return render(request, "accounts/signed_up.html", context)


def render_not_invited(request: HttpRequest) -> HttpResponse:
    """The 403 screen that explains why there is no form, and what to do about it.

    Whoever has the link for the first account runs the service: it leads on, with what else gives all rights.
    """
    if "first" in request.GET:
        messages.warning(request, FIRST_IS_SPENT)
        return redirect("sign-up")
    reason = "link" if settings.SIGN_UP != "closed" and "invitation" in request.GET else settings.SIGN_UP
    title, text = NOT_INVITED[reason]
    context = {"title": title, "text": text % {"days": DAYS_VALID}}
    return render(request, "accounts/not_invited.html", context, status=403)


@login_required
def profile(request: AccountRequest) -> HttpResponse:
    # A copy: the page of a form with errors looks as what is stored.
    form = ProfileForm(request.POST or None, instance=copy(request.user))
    if form.is_valid():
        activate_language_of(form.save())
        messages.success(request, _("Your settings are saved."))
        return redirect("profile")
    return render(request, "accounts/profile.html", {"form": form})


@sensitive_post_parameters()
@login_required
def account(request: AccountRequest) -> HttpResponse:
    has_password = request.user.may_use_password and request.user.has_usable_password()
    form = ChangePasswordForm(request, request.POST or None) if has_password else None
    if form and form.is_valid():
        form.change()
        mail.notify("password_changed", request.user)
        changed = _(
            "Your password is changed. You are signed out everywhere else, and connected apps have to ask "
            "you again."
        )
        messages.success(request, " ".join([changed, *what_stays(request.user)]))
        return redirect("account")
    context = {
        "form": form,
        "sessions": shown_sessions(request.user, request.session.session_key),
        "current_session": request.session.session_key,
        "sends_mail": settings.SENDS_MAIL,
        "factors": list(factors.factors_of(request.user)),
        "provider_name": settings.OIDC_NAME,
        "provider_tie": ProviderTie.objects.of(request.user),
        "may_use_password": request.user.may_use_password,
    }
    return render(request, "accounts/account.html", context)


@login_required
@require_POST
def set_units(request: AccountRequest) -> HttpResponse:
    """For the first questions on the home screen."""
    form = UnitsForm(request.POST, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, SHOWN_IN[request.user.units])
    return redirect_back(request, reverse("profile"))


@login_required
@require_POST
def set_time_zone(request: AccountRequest) -> HttpResponse:
    """For the offer on the home screen."""
    form = TimeZoneForm(request.POST, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, _("Times are shown in %(zone)s.") % {"zone": request.user.time_zone})
        return redirect_back(request, reverse("profile"))
    messages.error(request, _("This time zone is not known here. Choose one from the list."))
    return redirect("profile")


@login_required
@never_cache
def developer(request: AccountRequest) -> HttpResponse:
    """The keys of the account. A new one needs a fresh sign-in (accounts/web/fresh.py)."""
    if request.method == "POST" and not fresh.is_fresh(request):
        return fresh.ask(request)
    newest_key = request.user.api_keys.pasted().aggregate(newest=Max("pk", default=0))["newest"]
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
    if api_key.may_write:
        mail.notify("key_created", request.user, api_key=api_key)
    context = {"key": key, "api_key": api_key, "site": site_address(request)}
    return uncompressed(render(request, "accounts/key_created.html", context))


def render_developer(request: AccountRequest, form: KeyForm) -> HttpResponse:
    site = site_address(request)
    windows = Prefetch("tokens", request.user.oauth_tokens.windows(), to_attr="windows")
    connections = request.user.api_keys.connections().with_use().prefetch_related(windows)
    context = {
        "form": form if fresh.is_fresh(request) else None,
        **by_state(request.user.api_keys.pasted().with_use(), "active", "ended"),
        **by_state(connections, "connections", "ended_connections"),
        "limit": MAX_ACTIVE_KEYS,
        "site": site,
        "is_https": site.startswith("https:"),
        "is_local": is_local(urlsplit(site).hostname),
        "tools_address": metadata.resource(request) if metadata.is_on(request) else None,
    }
    return render(request, "accounts/developer.html", context)


def by_state(keys: ApiKeyQuerySet, active: str, ended: str) -> dict[str, list[ApiKey]]:
    found = list(keys)
    return {
        active: [key for key in found if key.is_active],
        ended: [key for key in found if not key.is_active],
    }


@login_required
@never_cache
def key_corrections(request: AccountRequest, pk: int) -> HttpResponse:
    """Allowing a key to correct needs a fresh sign-in, as a new key does; to stop it needs none."""
    key = get_object_or_404(request.user.api_keys.active(), pk=pk, scope=ApiKey.Scope.READ_WRITE)
    allows = request.POST.get("may_correct") == "on" if request.method == "POST" else not key.may_correct
    if allows and not fresh.is_fresh(request):
        return fresh.ask(request)
    if request.method == "POST":
        key.allow_corrections(allows)
        text = (
            _("“%(name)s” may correct and delete.")
            if allows
            else _("“%(name)s” may not correct and delete any more.")
        )
        messages.success(request, text % {"name": key.name})
        return redirect("developer")
    return render(request, "accounts/key_corrections.html", {"key": key})


@login_required
def revoke_key(request: AccountRequest, pk: int) -> HttpResponse:
    key = get_object_or_404(request.user.api_keys, pk=pk)
    if request.method == "POST":
        key.revoke()
        text = _("“%(name)s” is disconnected.") if key.is_connection else _("“%(name)s” is revoked.")
        messages.success(request, text % {"name": key.name})
        return redirect("developer")
    return render(request, "accounts/revoke_key.html", {"key": key})
