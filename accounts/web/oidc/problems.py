"""What somebody sees, and what the log says, where the provider signs nobody in."""

import logging
from contextlib import suppress
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit
from accounts.models import Account
from accounts.oidc.asking import ProviderError
from accounts.oidc.people import NotAdmitted, NotInvited
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.web.language import in_english

log = logging.getLogger("fitness.provider")

RETRY_SECONDS = 30
NOT_BEGUN = gettext_lazy(
    "This sign-in was not begun in this browser, or took too long, or was used already. Please begin again."
)


def refused(request: HttpRequest, error: ProviderError, address: str) -> HttpResponse:
    """The page for a problem with the provider itself. Its reason is for the operator: the log has it."""
    log.warning("provider: %s", error)
    name = settings.OIDC_NAME
    if error.is_down:
        title = _("%(provider)s does not answer") % {"provider": name}
        text = _("%(provider)s cannot be reached at the moment. Try again soon, or sign in in another way.")
        response = page(request, title, text % {"provider": name}, address, 503)
        response.headers["Retry-After"] = str(RETRY_SECONDS)
        return response
    store(request, str(error))
    text = _("%(provider)s did not sign you in. Try again; if it goes on, ask whoever runs this service.")
    return page(request, _("You are not signed in"), text % {"provider": name}, address, 403)


def not_begun(request: HttpRequest) -> HttpResponse:
    """For an answer that no sign-in of this browser waits for. Anybody can send one: no row is stored."""
    log.warning("provider: an answer came that this browser has not asked for, or asked for too long ago")
    return page(request, _("You are not signed in"), NOT_BEGUN, reverse("home"), 403)


def not_admitted(request: HttpRequest, error: NotAdmitted, subject: str, address: str) -> HttpResponse:
    is_by_invitation = isinstance(error, NotInvited)
    title = _("Accounts here are by invitation") if is_by_invitation else _("You are not signed in")
    return turned_away(request, title, error, subject, address, error.account)


def turned_away(
    request: HttpRequest, title: str, text: object, subject: str, address: str, account: Account | None = None
) -> HttpResponse:
    """For a `text` that is translated when it is shown: the log and the audit trail have it in English."""
    with in_english():
        log.info("provider: %s", text, extra={"subject": subject})
        store(request, f"{subject}: {text}", account)
    return page(request, title, text, address, 403)


def store(request: HttpRequest, detail: str, account: Account | None = None) -> None:
    """An event, unless its address has had many: anybody can begin a sign-in, and answer it with an error."""
    with suppress(RateLimited):
        rate_limits.count(request, "refusals", rate_limits.client_address(request))
        audit.log_event(audit.Event.PROVIDER_REFUSED, account, detail=detail[:500])


def page(request: HttpRequest, title: str, text: object, address: str, status: int) -> HttpResponse:
    following = f"?{urlencode({'next': address})}" if address != reverse("home") else ""
    context = {"title": title, "text": text, "following": following}
    return render(request, "accounts/provider_problem.html", context, status=status)
