"""Signing in by the header in which a proxy names who is signed in there (AUTH_HEADER, where this is loaded).

1. The header counts from AUTH_PROXIES alone. What decides is where the connection comes from: X-Forwarded-For
   is a header as well, and whoever may write the one may write the other. TRUSTED_PROXIES has no say here.
2. Its value is an email. Accounts have nothing else that is theirs alone: two may have one display name, and
   everybody may change their own.
3. Both are checked at each request for a screen. A header that fails a check is refused, not ignored: a page
   without an account would hide from the operator that anybody can write the header, or that the proxy has
   another address by now.
4. The session is of the account with this email: the request goes on, without a statement. It is of another
   one: it ends. At the proxy somebody else has signed in.
5. A page is asked for, and there is such an account, or there may be one (`new_account`): it is signed in,
   and the same page is asked for again. So is who sends a form that signs in or up, whatever it says. Any
   other form goes on without an account: the sign-in leads back to its page (accounts/web/signed_out.py).

The header takes the place of the password alone. An account with a second factor is asked for it, and where
REQUIRE_SECOND_FACTOR says so, one without has to set it up. API and tools know no header: they need keys.

Examples of failures: somebody reaches the service beside the proxy, and sends `Remote-Email: me@example.org`.
The answer is 400, whoever they are signed in as, and the log has a line with their address. The proxy names
somebody who has no account, and SIGN_UP is "invite". Unless an invitation is for that email, every page is
"Accounts here are by invitation", with 403.
"""

import ipaddress
import logging

from django.conf import settings
from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from accounts import audit, factors
from accounts.invitations import Invitation, NotInvited, store_newcomer
from accounts.models import Account
from accounts.web.consent import keeps_opener
from accounts.web.recovery_forms import EmailField
from accounts.web.sign_in import PendingSignIn, begin_second_step, complete_sign_in, pending_sign_in
from accounts.web.views import render_not_invited
from fitness.api.middleware import Middleware
from fitness.middleware import is_for_screen, proposed
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
EMAIL = EmailField()
WRONG_PEER = gettext_lazy("{header} came from {peer}, which AUTH_PROXIES does not name.")
NOT_ASCII = gettext_lazy("{header} is not in ASCII. The proxy must name a domain as DNS does: xn--….")
NO_EMAIL = gettext_lazy("{header} has no email. AUTH_HEADER must be the header with the email.")


@for_screens
class HeaderSignIn(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        """Not in __call__: reading the account takes a query, which error screens avoid."""
        if not is_for_screen(request) or is_calendar(request):
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


class HeaderRefused(Exception):
    """Its text is for the person who reads the page, and for the log."""


def named_email(request: HttpRequest) -> str | None:
    """The email that the proxy names, as accounts have it; None without the header. Raises HeaderRefused."""
    name = settings.AUTH_HEADER
    value = request.headers.get(name, "").strip()
    if not value:
        return None
    peer = request.META.get("REMOTE_ADDR", "")
    if not is_proxy(peer):
        raise HeaderRefused(format_lazy(WRONG_PEER, header=name, peer=peer))
    if not value.isascii():  # WSGI reads bytes as Latin-1: other letters than the proxy has sent
        raise HeaderRefused(format_lazy(NOT_ASCII, header=name))
    try:
        return EMAIL.clean(value)
    except ValidationError:
        raise HeaderRefused(format_lazy(NO_EMAIL, header=name)) from None


def is_proxy(peer: str) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address  # of a socket for both versions
    return any(address in network for network in settings.AUTH_PROXIES)


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
    account, invitation = Account(email=email, language=proposed(request)), invitation_for(request, email)
    account.set_unusable_password()
    try:
        with transaction.atomic():
            return store_newcomer(account, invitation, detail=f"by {settings.AUTH_HEADER}")
    except NotInvited:
        return None
    except IntegrityError:  # another request of the same page was first
        return Account.objects.filter(email=email).first()


def invitation_for(request: HttpRequest, email: str) -> Invitation | None:
    opened = Invitation.objects.look_up(request.GET.get("invitation", ""))
    if opened and opened.email in ("", email):
        return opened
    if settings.SIGN_UP == "closed":
        return None
    return Invitation.objects.valid().filter(email=email).first()
