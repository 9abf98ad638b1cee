"""The settings of second factors. Whatever changes them needs a fresh sign-in (accounts/web/fresh.py)."""

import secrets
from base64 import b32encode
from urllib.parse import quote
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import factors, mail
from accounts.factors.models import (
    MAX_PASSKEYS,
    SECRET_BYTES,
    Authenticator,
    Passkey,
    RecoveryCode,
    provisioning_address,
)
from accounts.web import fresh
from accounts.web.factors.forms import NewPasskeyForm, PasskeyForm, SetUpAuthenticatorForm, opened
from accounts.web.passkeys import are_offered_at, new_challenge, take_challenge
from accounts.web.requests import AccountRequest
from fitness.middleware import FACTOR_PASSED, lacks_factor, opens_without_factor
from fitness.web.compression import uncompressed
from fitness.web.shortcuts import render_confirm

SETUP_ENDED = gettext_lazy(
    "That took too long. Here is a new key: scan it again, in place of the one before."
)


@opens_without_factor
@login_required
@never_cache
def overview(request: AccountRequest) -> HttpResponse:
    account = request.user
    context = {
        "authenticator": Authenticator.objects.filter(account=account).first(),
        "passkeys": account.passkeys.all(),
        "codes_left": account.recovery_codes.unused().count(),
        "passkeys_offered": are_offered_at(request),
        "passkey_origin": settings.PASSKEY_ORIGIN,
        "is_missing": lacks_factor(request),
    }
    return render(request, "accounts/factors/overview.html", context)


# --- The authenticator app -------------------------------------------------------------------------


@opens_without_factor
@sensitive_post_parameters()
@login_required
@never_cache
@fresh.required_to_open
def set_up_authenticator(request: AccountRequest) -> HttpResponse:
    account = request.user
    secret = opened(account, request.POST.get("sealed", ""))
    if request.method == "POST" and secret is None:
        messages.warning(request, SETUP_ENDED)
        return redirect("set-up-authenticator")
    form = SetUpAuthenticatorForm(
        account, secret or secrets.token_bytes(SECRET_BYTES), request.POST if secret else None
    )
    if form.is_valid():
        start_session_with_factor(request)
        session = request.session.session_key
        codes = factors.add_authenticator(account, form.secret, form.step, session=session)
        mail.notify("factors_changed", account, what=gettext_lazy("An authenticator app was added."))
        messages.success(request, _("The authenticator app is set up."))
        return render_codes(request, codes) if codes else redirect("factors")
    return render_setup(request, form)


def render_setup(request: AccountRequest, form: SetUpAuthenticatorForm) -> HttpResponse:
    import segno  # takes megabytes, for this page alone

    address = provisioning_address(request.user, form.secret)
    text = b32encode(form.secret).decode()
    context = {
        "form": form,
        "picture": segno.make(address, micro=False).svg_inline(
            scale=4, light="#fff", title=_("QR code of the key"), svgclass="qr", lineclass=None
        ),
        "address": address,
        "key": " ".join(text[start : start + 4] for start in range(0, len(text), 4)),
    }
    return uncompressed(render(request, "accounts/factors/set_up_authenticator.html", context))


@login_required
@never_cache
@fresh.required
def remove_authenticator(request: AccountRequest) -> HttpResponse:
    authenticator = get_object_or_404(Authenticator, account=request.user)
    question, text = _("Remove the authenticator app?"), _("Its codes do not sign you in any more.")
    return remove(request, authenticator, question, text)


# --- Recovery codes --------------------------------------------------------------------------------


@login_required
@never_cache
@fresh.required
def make_recovery_codes(request: AccountRequest) -> HttpResponse:
    if not factors.has_factor(request.user):
        return redirect("factors")
    if request.method == "POST":
        return render_codes(request, RecoveryCode.objects.replace(request.user))
    return render_confirm(
        request,
        _("Make new recovery codes?"),
        _("Those that you have do not work any more afterwards."),
        _("Make new codes"),
        reverse("factors"),
    )


def render_codes(request: HttpRequest, codes: list[str]) -> HttpResponse:
    """Responds to the POST with the codes: a redirect would need to store them."""
    text = "\n".join(codes)
    context = {"codes": text, "file": f"data:text/plain;charset=utf-8,{quote(text)}"}
    return uncompressed(render(request, "accounts/factors/recovery_codes.html", context))


# --- Passkeys. What they need is imported when one is used: see accounts/factors/ceremonies.py -------


@opens_without_factor
@sensitive_post_parameters()
@login_required
@never_cache
@fresh.required_to_open
def add_passkey(request: AccountRequest) -> HttpResponse:
    if request.user.passkeys.count() >= MAX_PASSKEYS:
        text = _("An account holds up to %(count)s passkeys. Remove one that you no longer use.")
        messages.error(request, text % {"count": MAX_PASSKEYS})
        return redirect("factors")
    form = NewPasskeyForm(request.POST or None)
    if form.is_valid() and (new := registered_passkey(request, form)):
        start_session_with_factor(request)
        codes = factors.add_passkey(request.user, new, session=request.session.session_key)
        what = format_lazy(gettext_lazy("The passkey “{name}” was added."), name=new.name)
        mail.notify("factors_changed", request.user, what=what)
        messages.success(request, _("The passkey “%(name)s” is added.") % {"name": new.name})
        return render_codes(request, codes) if codes else redirect("factors")
    return render(request, "accounts/factors/add_passkey.html", {"form": form})


@opens_without_factor
@require_POST
@login_required
@never_cache
@fresh.required
def new_passkey_options(request: AccountRequest) -> HttpResponse:
    from accounts.factors import ceremonies

    options = ceremonies.registration_options(request.user, new_challenge(request, "new passkey"))
    return HttpResponse(options, content_type="application/json")


def registered_passkey(request: AccountRequest, form: NewPasskeyForm) -> Passkey | None:
    """The passkey that the form brings; or None, and the reason is among its errors."""
    from accounts.factors import ceremonies

    challenge = take_challenge(request, "new passkey")
    try:
        if challenge is None:
            raise ceremonies.Refused("no challenge")
        values = form.cleaned_data
        return ceremonies.registered(request.user, values["name"], values["credential"], challenge)
    except ceremonies.Refused:
        form.add_error(None, _("The browser's answer could not be checked. Please try again."))
        return None


@login_required
@never_cache
@fresh.required
def rename_passkey(request: AccountRequest, pk: UUID) -> HttpResponse:
    found = get_object_or_404(request.user.passkeys, pk=pk)
    form = PasskeyForm(request.POST or None, instance=found)
    if form.is_valid():
        form.save()
        messages.success(request, _("The passkey is renamed."))
        return redirect("factors")
    return render(request, "accounts/factors/rename_passkey.html", {"form": form})


@login_required
@never_cache
@fresh.required
def remove_passkey(request: AccountRequest, pk: UUID) -> HttpResponse:
    found = get_object_or_404(request.user.passkeys, pk=pk)
    question = _("Remove the passkey “%(name)s”?") % {"name": found.name}
    text = _("It does not sign you in any more. Delete it on the device as well, which goes on offering it.")
    return remove(request, found, question, text)


# --- What they share -------------------------------------------------------------------------------


def start_session_with_factor(request: AccountRequest) -> None:
    """The session goes on under a new key, and counts as one that began with a factor."""
    request.session[FACTOR_PASSED] = True
    request.session.cycle_key()


def remove(
    request: AccountRequest, factor: Authenticator | Passkey, question: str, text: str
) -> HttpResponse:
    if request.method != "POST":
        return render_confirm(request, question, text, _("Remove"), reverse("factors"))
    if not factors.remove(request.user, factor, session=request.session.session_key):
        request.session[FACTOR_PASSED] = False
    what = gettext_lazy("An authenticator app or a passkey was removed.")
    mail.notify("factors_changed", request.user, what=what)
    messages.success(request, _("It is removed, and you are signed out everywhere else."))
    return redirect("factors")
