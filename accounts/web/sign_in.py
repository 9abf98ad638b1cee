"""Signing in, in one step or two.

1. The password is right (SignInForm, with its limits).
2. An account without a second factor is signed in.
3. Otherwise nobody is signed in yet. The session of the visitor gets a new key, and holds for 5 minutes which
   account waits for its factor. It opens the pages that ask for the factor, and nothing else.
4. An authenticator code, a passkey or a recovery code signs the account in. A passkey does so without step 1.
   So does the household's provider (accounts/web/oidc), which leads to step 3 with OIDC_ASK_FACTOR.

If the password changes or the account is deactivated between 1 and 4, the sign-in begins anew.

Example of a failure: somebody knows the password alone and opens /settings behind step 3. The page redirects
to the sign-in, as it does for every visitor.
"""

import time
from dataclasses import asdict, dataclass

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from accounts import audit, factors
from accounts.models import Account
from accounts.sessions import PROVIDER_SESSION
from accounts.web import fresh, known_browsers, signed_out
from accounts.web.forms import SignInForm
from accounts.web.passkeys import are_offered_at
from fitness import logs
from fitness.middleware import FACTOR_PASSED

BACKEND = "django.contrib.auth.backends.ModelBackend"
PENDING = "pending_sign_in"
ID_TOKEN = "provider_id_token"  # in the session: signs out at the provider
PENDING_SECONDS = 300


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
    known_browsers.remember(request, response, account, is_first=is_first)
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

    # Django's signs in here.
    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        account = form.get_user()
        if factors.has_factor(account):
            form.attempt.await_factor()
            begin_second_step(self.request, PendingSignIn(account, self.get_success_url()))
            return redirect("factor")
        form.attempt.succeed()
        audit.log_event(audit.Event.SIGNED_IN, account)
        return complete_sign_in(self.request, account, self.get_success_url(), with_factor=False)
