"""Signing in, in one step or two.

1. The password is right (SignInForm, with its limits). A link of `manage.py sign_in_link` takes its place:
   its page asks first, as programs that look at links, such as those of chats, would use it up.
2. An account without a second factor is signed in.
3. Otherwise nobody is signed in yet. The session of the visitor gets a new key, and holds for 5 minutes which
   account waits for its factor. It opens the pages that ask for the factor, and nothing else.
4. An authenticator code, a passkey or a recovery code signs the account in. A passkey does so without step 1.
   So does the household's provider (accounts/web/oidc), which leads to step 3 with OIDC_ASK_FACTOR.
5. A cookie of the browser gets a mark of the account, which nobody can make without SECRET_KEY. A mail
   reports a sign-in with a browser that has none. Nothing is stored.

If the password changes or the account is deactivated between 1 and 4, the sign-in begins anew.

Example of a failure: somebody knows the password alone and opens /settings behind step 3. The page redirects
to the sign-in, as it does for every visitor.
"""

import datetime
import time
from dataclasses import asdict, dataclass

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts import audit, browsers, factors, links, mail
from accounts.models import Account
from accounts.models.account import store_last_login
from accounts.sessions import PROVIDER_SESSION
from accounts.web import fresh, signed_out
from accounts.web.forms import SignInForm
from accounts.web.passkeys import are_offered_at
from accounts.web.recovery import keeps_address_private
from fitness import logs
from fitness.logs import client_address
from fitness.middleware import FACTOR_PASSED

BACKEND = "django.contrib.auth.backends.ModelBackend"
PENDING = "pending_sign_in"
ID_TOKEN = "provider_id_token"  # in the session: signs out at the provider
PENDING_SECONDS = 300
MAX_MARKS = 10  # of accounts, in the cookie of a browser
LIFETIME = datetime.timedelta(days=400)  # browsers keep no cookie longer


@dataclass(frozen=True)
class ProviderSession:
    """By which session at the household's provider somebody signs in."""

    digest: str
    id_token: str
    proved_at: float

    def note(self, session: SessionBase) -> None:
        session[PROVIDER_SESSION], session[ID_TOKEN] = self.digest, self.id_token


def complete_sign_in(
    request: HttpRequest,
    account: Account,
    address: str,
    *,
    with_factor: bool,
    provider: ProviderSession | None = None,
) -> HttpResponseRedirect:
    """Signs the account in, and leads to an address of this site. Nothing else in the project does."""
    is_first = account.state.last_login is None
    request.session.pop(PENDING, None)
    request.session.set_expiry(None)  # that of a visitor ends soon
    login(request, account, backend=BACKEND)
    logs.note(account=str(account.pk))
    request.session[FACTOR_PASSED] = with_factor
    if provider:
        provider.note(request.session)
    fresh.mark(request, provider.proved_at if provider else None)
    signed_out.add_message(request, is_last=True)
    response = HttpResponseRedirect(address)
    remember_browser(request, response, account, is_first=is_first)
    return response


@dataclass(frozen=True)
class PendingSignIn:
    """A sign-in whose password was right, and whose factor is not given yet."""

    account: Account
    next: str  # an address of this site
    provider: ProviderSession | None = None  # in place of the password


def begin_second_step(request: HttpRequest, pending: PendingSignIn) -> None:
    request.session.cycle_key()
    request.session.set_expiry(PENDING_SECONDS)
    request.session[PENDING] = {
        "account": str(pending.account.pk),
        "password": pending.account.get_session_auth_hash(),
        "at": time.time(),
        "next": pending.next,
        **({"provider": asdict(pending.provider)} if pending.provider else {}),
    }


def pending_sign_in(request: HttpRequest) -> PendingSignIn | None:
    stored = request.session.get(PENDING)
    if stored is None or not 0 <= time.time() - stored["at"] <= PENDING_SECONDS:
        return None
    account = Account.objects.filter(pk=stored["account"], is_active=True).first()
    if account is None or not constant_time_compare(stored["password"], account.get_session_auth_hash()):
        return None
    provider = ProviderSession(**stored["provider"]) if "provider" in stored else None
    return PendingSignIn(account, stored["next"], provider)


class SignInView(LoginView):
    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **context: object) -> dict[str, object]:
        signed_out.add_message(self.request, is_last=False)
        offered = {"passkeys_offered": are_offered_at(self.request), "provider_name": settings.OIDC_NAME}
        return super().get_context_data(**offered, has_passwords=not settings.OIDC_ONLY, **context)

    def get_success_url(self) -> str:
        """Django takes the sign-in itself for a loop, and raises."""
        address = super().get_success_url()
        return address if address.partition("?")[0] != self.request.path else reverse("home")

    def form_valid(self, form: AuthenticationForm) -> HttpResponseRedirect:
        """Django's signs in here, with one factor."""
        assert isinstance(form, SignInForm)
        account = form.get_user()
        if factors.has_factor(account):
            form.attempt.await_factor()
            begin_second_step(self.request, PendingSignIn(account, self.get_success_url()))
            return redirect("factor")
        form.attempt.succeed()
        audit.log_event(audit.Event.SIGNED_IN, account)
        return complete_sign_in(self.request, account, self.get_success_url(), with_factor=False)


@never_cache
def open_sign_in_link(request: HttpRequest) -> HttpResponseBase:
    if request.method == "POST":
        account = use_link(request)
        response = sign_in_by_link(request, account) if account else render_used_link(request)
    else:
        response = ask_to_use_link(request)
    return keeps_address_private(response)


def ask_to_use_link(request: HttpRequest) -> HttpResponse:
    account = links.SIGN_IN.account_of(request.GET)
    if account is None:
        return render_used_link(request)
    return render(request, "accounts/sign_in_link.html", {"email": account.email})


def use_link(request: HttpRequest) -> Account | None:
    """The account of the link, which ends by it; None where it does not work any more."""
    with transaction.atomic():
        account = links.SIGN_IN.locked_account_of(request.GET)
        if account:
            store_last_login(account)
    return account


def sign_in_by_link(request: HttpRequest, account: Account) -> HttpResponse:
    if factors.has_factor(account):
        begin_second_step(request, PendingSignIn(account, reverse("home")))
        return redirect("factor")
    audit.log_event(audit.Event.SIGNED_IN, account, detail="with a link of staff")
    return complete_sign_in(request, account, reverse("home"), with_factor=False)


def render_used_link(request: HttpRequest) -> HttpResponse:
    text = _(
        "A link that signs in works once, within %(minutes)s minutes, and ends with any other sign-in; or a "
        "part of it is missing. Ask whoever runs this service for a new one."
    )
    context = {
        "title": _("This link does not work any more"),
        "text": text % {"minutes": links.SIGN_IN_SECONDS // 60},
    }
    return render(request, "accounts/notice.html", context, status=403)


def remember_browser(
    request: HttpRequest, response: HttpResponseBase, account: Account, *, is_first: bool
) -> None:
    """Marks the browser as one of the account. Tells the account if it was not, unless `is_first` ever."""
    known, mark = marks(request), mark_of(account)
    if mark not in known and not is_first:
        browser = lazy(browsers.name_of, str)(request.headers.get("User-Agent", ""))
        mail.notify("new_browser", account, browser=browser, address=client_address.get())
    response.set_cookie(
        settings.BROWSER_COOKIE_NAME,
        ".".join([mark, *(other for other in known if other != mark)][:MAX_MARKS]),
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def marks(request: HttpRequest) -> list[str]:
    return list(filter(None, request.COOKIES.get(settings.BROWSER_COOKIE_NAME, "").split(".")))


def mark_of(account: Account) -> str:
    """Ends with the password, so that a browser that was lost is a new one afterwards."""
    return salted_hmac("accounts.web.known_browsers", f"{account.pk} {account.password}").hexdigest()[:32]
