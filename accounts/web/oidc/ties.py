"""Ties an account to somebody at the provider, who has just signed in there, and ends that."""

import time
from dataclasses import asdict, dataclass

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.oidc import people
from accounts.oidc.identity import Identity
from accounts.web import fresh
from accounts.web.consent import keep_opener
from accounts.web.oidc.flows import Flow
from accounts.web.requests import AccountRequest
from fitness.web.shortcuts import render_confirm

PROPOSED = "proposed_tie"  # in the session
SECONDS = 600


@dataclass(frozen=True)
class Proposed:
    """A tie that its account has not agreed to yet."""

    issuer: str
    subject: str
    label: str  # whom the page names
    next: str
    at: float


def propose(request: HttpRequest, address: str, who: Identity) -> None:
    label = who.email or who.name or who.subject
    request.session[PROPOSED] = asdict(Proposed(who.issuer, who.subject, label, address, time.time()))


def proposed(request: HttpRequest) -> Proposed | None:
    stored = request.session.get(PROPOSED)
    found = Proposed(**stored) if stored else None
    return found if found and 0 <= time.time() - found.at <= SECONDS else None


def propose_from_settings(request: HttpRequest, flow: Flow, who: Identity) -> HttpResponse:
    propose(request, flow.next, who)
    return redirect("tie-provider")


def ask_to_sign_in(request: HttpRequest, address: str, who: Identity) -> HttpResponse:
    """For somebody with an account of the same email, which may be another person's."""
    propose(request, address, who)
    if not request.user.is_authenticated:
        request.session.set_expiry(SECONDS)
    text = _(
        "There is an account with %(email)s. Sign in to it once as you did before: then %(provider)s can "
        "open it."
    )
    if settings.OIDC_ONLY:
        text = _(
            "There is an account with %(email)s. Sign in to it once with a passkey, or ask whoever runs this "
            "service: then %(provider)s can open it."
        )
    messages.info(request, text % {"email": who.email, "provider": settings.OIDC_NAME})
    return HttpResponseRedirect(f"{reverse('sign-in')}?{urlencode({'next': reverse('tie-provider')})}")


@require_http_methods(["GET", "POST"])
@login_required
@never_cache
@fresh.required
def tie(request: AccountRequest) -> HttpResponse:
    """Asks, and on POST ties what the page has named."""
    found = proposed(request)
    if found is None:
        messages.info(request, _("That took too long. Please begin again."))
        return redirect("account")
    if request.method == "POST":
        return store(request, found)
    response = render(request, "accounts/tie_provider.html", {"tie": found, "name": settings.OIDC_NAME})
    return keep_opener(response, found.next)


def store(request: AccountRequest, found: Proposed) -> HttpResponse:
    del request.session[PROPOSED]
    try:
        people.tie(request.user, found.issuer, found.subject)
    except people.AlreadyTied:
        text = _(
            "%(provider)s opens another account for %(person)s already, or somebody else there opens this "
            "one. End that first."
        )
        messages.error(request, text % {"provider": settings.OIDC_NAME, "person": found.label})
        return redirect("account")
    people.notify_tied(request.user, found.label)
    text = _("%(provider)s opens your account from now on.")
    messages.success(request, text % {"provider": settings.OIDC_NAME})
    return HttpResponseRedirect(found.next)


@require_http_methods(["GET", "POST"])
@login_required
@never_cache
@fresh.required
def untie(request: AccountRequest) -> HttpResponse:
    name = {"provider": settings.OIDC_NAME}
    if request.method != "POST":
        question = _("Disconnect %(provider)s?") % name
        text = _("%(provider)s opens your account no more, and browsers that it signed in are signed out.")
        return render_confirm(request, question, text % name, _("Disconnect"), reverse("account"))
    if people.untie(request.user, session=request.session.session_key):
        messages.success(request, _("%(provider)s does not open your account any more.") % name)
    else:
        messages.error(request, _("Set a password or add a passkey first: nothing else opens your account."))
    return redirect("account")
