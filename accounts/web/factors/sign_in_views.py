"""The second step of a sign-in, and the sign-in with a passkey alone."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import audit, mail
from accounts.factors.models import Authenticator
from accounts.models import Account
from accounts.sign_in_limits import SignInAttempt, log_failure
from accounts.web.factors.forms import AuthenticatorCodeForm, RecoveryCodeForm, SecondStepForm
from accounts.web.passkeys import are_offered_at, new_challenge, take_challenge
from accounts.web.sign_in import PendingSignIn, complete_sign_in, pending_sign_in
from fitness.web.shortcuts import next_address

PENDING_ENDED = gettext_lazy(
    "That took too long, or your password was changed in the meantime. Please sign in again."
)
PASSKEY_REFUSED = gettext_lazy("That passkey did not sign you in. Try again, or sign in in another way.")

SecondStepView = Callable[[HttpRequest, PendingSignIn], HttpResponse]


def second_step(view: SecondStepView) -> Callable[[HttpRequest], HttpResponse]:
    """For views of a sign-in whose password was right; whoever has none begins at the first step."""

    @never_cache
    @sensitive_post_parameters()
    @wraps(view)
    def checked(request: HttpRequest) -> HttpResponse:
        pending = pending_sign_in(request)
        if pending is None:
            messages.warning(request, PENDING_ENDED)
            return redirect("sign-in")
        return view(request, pending)

    return cast(Callable[[HttpRequest], HttpResponse], checked)


def finish(request: HttpRequest, pending: PendingSignIn, factor: str) -> HttpResponse:
    account, provider = pending.account, pending.provider
    SignInAttempt(request, account.email).forget()
    first = f"{settings.OIDC_NAME} and " if provider else ""
    audit.log_event(audit.Event.SIGNED_IN, account, detail=f"with {first}{factor}")
    return complete_sign_in(request, account, pending.next, with_factor=True, provider=provider)


@second_step
def factor(request: HttpRequest, pending: PendingSignIn) -> HttpResponse:
    """Asks for what the account has: a code of its app, or a passkey."""
    form = AuthenticatorCodeForm(request, pending.account, request.POST or None)
    if form.is_valid():
        return finish(request, pending, "an authenticator code")
    return render_second_step(request, pending, form, "accounts/factors/second_step.html")


@second_step
def recovery_code(request: HttpRequest, pending: PendingSignIn) -> HttpResponse:
    form = RecoveryCodeForm(request, pending.account, request.POST or None)
    if form.is_valid():
        used = gettext_lazy("A recovery code was used to sign in.")
        mail.notify("factors_changed", pending.account, what=used)
        left = pending.account.recovery_codes.unused().count()
        text = ngettext(
            "You have %(count)s recovery code left. Make new ones in your settings.",
            "You have %(count)s recovery codes left. Make new ones in your settings.",
            left,
        )
        messages.warning(request, text % {"count": left})
        return finish(request, pending, "a recovery code")
    return render_second_step(request, pending, form, "accounts/factors/recovery_code.html")


def render_second_step(
    request: HttpRequest, pending: PendingSignIn, form: SecondStepForm, template: str
) -> HttpResponse:
    account = pending.account
    context = {
        "form": form,
        "email": account.email,
        "has_authenticator": Authenticator.objects.filter(account=account).exists(),
        "has_passkeys": account.passkeys.exists(),
        "passkeys_offered": are_offered_at(request),
    }
    return render(request, template, context)


# --- Passkeys. What they need is imported when one is used: see accounts/factors/ceremonies.py -------


@require_POST
@second_step
def factor_passkey_options(request: HttpRequest, pending: PendingSignIn) -> HttpResponse:
    from accounts.factors import ceremonies

    options = ceremonies.sign_in_options(pending.account, new_challenge(request, "factor"))
    return HttpResponse(options, content_type="application/json")


@require_POST
@second_step
def factor_passkey(request: HttpRequest, pending: PendingSignIn) -> HttpResponse:
    if not is_answered(request, "factor", pending.account):
        return passkey_refused(request, "factor")
    return finish(request, pending, "a passkey")


@require_POST
@never_cache
def passkey_options(request: HttpRequest) -> HttpResponse:
    from accounts.factors import ceremonies

    options = ceremonies.sign_in_options(None, new_challenge(request, "sign-in"))
    return HttpResponse(options, content_type="application/json")


@require_POST
@never_cache
@sensitive_post_parameters()
def passkey(request: HttpRequest) -> HttpResponse:
    """Signs in without email and password: the passkey names its account."""
    if request.user.is_authenticated:
        return redirect("home")
    account = claimed_account(request)
    if account is None or not is_answered(request, "sign-in", account):
        return passkey_refused(request, "sign-in")
    return finish(request, PendingSignIn(account, next_address(request, reverse("home"))), "a passkey")


def passkey_refused(request: HttpRequest, page: str) -> HttpResponse:
    log_failure()
    messages.error(request, PASSKEY_REFUSED)
    return redirect(page)


def claimed_account(request: HttpRequest) -> Account | None:
    from accounts.factors import ceremonies

    try:
        owner = ceremonies.owner(request.POST.get("credential", ""))
    except ceremonies.Refused:
        return None
    return Account.objects.filter(pk=owner, is_active=True).first()


def is_answered(request: HttpRequest, purpose: str, account: Account) -> bool:
    """Whether a passkey of the account has answered the challenge of the session."""
    from accounts.factors import ceremonies

    challenge = take_challenge(request, purpose)
    if challenge is None:
        return False
    try:
        ceremonies.used(account, request.POST.get("credential", ""), challenge)
    except ceremonies.Refused:
        return False
    return True
