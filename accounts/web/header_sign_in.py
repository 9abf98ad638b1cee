"""Signing in by the header of a proxy (accounts/web/header.py). Loaded where AUTH_HEADER is set.

At each request for a screen that has the header:

1. The session is of the account with this email: the request goes on, without a statement.
2. It is of another one: it ends. At the proxy somebody else has signed in.
3. A page is asked for, and there is such an account, or there may be one (`new_account`): it is signed in,
   and the same page is asked for again. So is who sends a form that signs in or up, whatever it says. Any
   other form goes on without an account: the sign-in leads back to its page (accounts/web/signed_out.py).

The header takes the place of the password alone. An account with a second factor is asked for it, and where
REQUIRE_SECOND_FACTOR says so, one without has to set it up. API and tools know no header: they need keys.

Example of a failure: the proxy names somebody who has no account, and SIGN_UP is "invite". Unless an
invitation is for that email, every page is "Accounts here are by invitation", with 403.
"""

import logging

from django.conf import settings
from django.contrib.auth import logout
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts import audit, factors
from accounts.invitations import Invitation
from accounts.models import Account
from accounts.web.consent import keeps_opener
from accounts.web.header import HeaderRefused, named_email
from accounts.web.sign_in import PendingSignIn, begin_second_step, complete_sign_in, pending_sign_in
from accounts.web.views import render_not_invited
from fitness.api.middleware import Middleware
from fitness.middleware import is_counted, proposed
from fitness.web.errors import render_error
from fitness.web.language import in_english
from fitness.web.middleware import for_screens
from fitness.web.shortcuts import next_address

log = logging.getLogger("fitness.accounts")

REFUSED = gettext_lazy("The proxy in front of this service is not set up right")
DEACTIVATED = (
    gettext_lazy("This account is deactivated"),
    gettext_lazy("Ask whoever runs this service: an account that rests opens again as it was."),
)
CALENDAR = "calendar-feed"  # which programs read, that keep no cookie


@for_screens
class HeaderSignIn(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        """Not in __call__: reading the account takes a query, which error screens avoid."""
        if not is_counted(request) or is_calendar(request):
            return None
        try:
            email = named_email(request)
        except HeaderRefused as refusal:
            with in_english():  # the log is in English
                log.warning("a header that names an account is refused: %s", refusal)
            return render_error(request, 400, (str(REFUSED), str(refusal)))
        if email is None or is_signed_in(request, email) or is_asked_for_factor(request, email):
            return None
        return sign_in(request, email) if request.method == "GET" or is_sign_in_form(request) else None


def is_calendar(request: HttpRequest) -> bool:
    return request.resolver_match is not None and request.resolver_match.url_name == CALENDAR


def is_signed_in(request: HttpRequest, email: str) -> bool:
    """Whether the session is of the account with this email. One of another account ends."""
    if not request.user.is_authenticated:
        return False
    if request.user.email == email:
        return True
    audit.log_event(audit.Event.SIGNED_OUT_BY_PROXY, request.user)
    logout(request)
    return False


def is_sign_in_form(request: HttpRequest) -> bool:
    """Whether it is a form that signs in or up: nobody may do so with the email of another one."""
    return request.path in (reverse("sign-in"), reverse("sign-up"))


def is_asked_for_factor(request: HttpRequest, email: str) -> bool:
    """Whether it is for a page of the second step, which has begun for the account with this email."""
    is_of_step = request.path.startswith(f"{reverse('sign-in')}/")
    pending = pending_sign_in(request) if is_of_step else None
    return pending is not None and pending.account.email == email


@keeps_opener
def sign_in(request: HttpRequest, email: str) -> HttpResponse:
    account = Account.objects.filter(email=email).first() or new_account(request, email)
    if account is None:
        return render_not_invited(request)
    if not account.is_active:
        title, text = map(str, DEACTIVATED)
        return render_error(request, 403, (title, text))
    if factors.has_factor(account):
        if not request.accepts("text/html"):  # of a script: Train says that somebody has to sign in
            return HttpResponse(status=401)
        begin_second_step(request, PendingSignIn(account, address_after(request)))
        return redirect("factor")
    audit.log_event(audit.Event.SIGNED_IN, account, detail=f"by {settings.AUTH_HEADER}")
    return complete_sign_in(request, account, address_after(request), with_factor=False)


def address_after(request: HttpRequest) -> str:
    """The page that was asked for; where that signs people in, the one behind it."""
    is_on_the_way = request.path.startswith("/sign-")
    return next_address(request, reverse("home")) if is_on_the_way else request.get_full_path()


def new_account(request: HttpRequest, email: str) -> Account | None:
    """An account without a password, where SIGN_UP or an invitation allows it.

    The invitation is that of the link that was opened, or one for this email.
    """
    invitation = invitation_for(request, email)
    try:
        with transaction.atomic():
            if not invitation and not Account.objects.still_may_sign_up():
                return None
            account = Account.objects.create_user(email, language=proposed(request))
            if invitation and not invitation.use(account):
                transaction.set_rollback(True)
                return None
            audit.log_event(audit.Event.SIGNED_UP, account, detail=f"by {settings.AUTH_HEADER}")
    except IntegrityError:  # another request of the same page was first
        return Account.objects.filter(email=email).first()
    return account


def invitation_for(request: HttpRequest, email: str) -> Invitation | None:
    opened = Invitation.objects.look_up(request.GET.get("invitation", ""))
    if opened and opened.email in ("", email):
        return opened
    if settings.SIGN_UP == "closed":
        return None
    return Invitation.objects.valid().filter(email=email).first()
