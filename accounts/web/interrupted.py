"""Forms that somebody sends after the session has ended: nothing of them is lost without a word.

1. `login_required` answers such a POST with the way to the sign-in. `Interrupted` keeps its fields in the
   session of the visitor for an hour. The POST has passed the check of its token, so it comes from a page of
   this site.
2. With them it keeps the account that signed in last with this browser, which a signed cookie names. No page
   of an account before that one passes the check, as each sign-in changes the tokens.
3. When that account signs in, `resume` shows what was entered, and one button sends it, with a new token.
   Another account is shown nothing, the fields are deleted, and a message says so.
4. Somebody may sign in again in another tab, while a form is open. Its token is refused then, but the session
   holds the secret of the tokens before the sign-in: `resume` offers that form as well.

Not kept are forms of the settings and of the admin, which change rights and have passwords, files, and forms
without a field, such as the question before a deletion. The sign-in leads back to their page, and says that
nothing was saved.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.middleware import csrf
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import Account
from accounts.web.known_browsers import LIFETIME
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.web import errors
from fitness.web.middleware import for_screens

KEPT, SECRET_BEFORE = "interrupted", "csrf_secret_before"  # keys of a session's data
KEPT_SECONDS = 3600
NOT_KEPT = ("/admin", "/settings/account", "/settings/data", "/settings/developer", "/sign-")
TOKEN = "csrfmiddlewaretoken"
NOT_SENT_AGAIN = {TOKEN, "discard"}  # whether to discard a workout is asked anew
NOT_SHOWN = {"form", "form_id", "next", "started_at_was"}
SHOWN = 20  # of the fields of a long form
SIGN_IN_TO_SAVE = "You were signed out. Sign in to save what you entered."
NOT_SAVED = "You were signed out, so this was not saved. Sign in and do it again."
OF_ANOTHER = "What was sent before you signed in belongs to another account, and was not saved."


@for_screens
class Interrupted:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method == "POST":
            if asks_to_sign_in(request, response):
                return sign_in_first(request, response)
            forget_sent(request, response)
        if response.status_code == 405 and request.method in ("GET", "HEAD"):
            return errors.render_error(request, 405)
        return response


def asks_to_sign_in(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether it is the response of `login_required` or of the admin, which would lead back by a GET."""
    target = urlsplit(response.headers.get("Location", ""))
    leads_back = QueryDict(target.query).get("next") == request.get_full_path()
    is_page = request.path == reverse("authorize")  # which asks anew, with what its address says
    is_sign_in = target.path in (reverse("sign-in"), reverse("admin:login"))
    return is_sign_in and leads_back and not is_page and not request.user.is_authenticated


def sign_in_first(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    page = page_of(request)
    if keep(request, last_account(request)):
        expire_soon(request, KEPT_SECONDS)
        page = reverse("resume")
        messages.info(request, SIGN_IN_TO_SAVE)
    else:
        messages.warning(request, NOT_SAVED)
    if request.path.startswith("/admin/"):  # whose forms have pages at their own addresses
        return response
    return HttpResponseRedirect(f"{reverse('sign-in')}?{urlencode({'next': page})}")


def page_of(request: HttpRequest) -> str:
    """The page of this site from which the form was sent, as the browser says."""
    referer = urlsplit(request.headers.get("Referer", ""))
    if referer.netloc != request.get_host():
        return reverse("home")
    return referer.path + (f"?{referer.query}" if referer.query else "")


# --- Who signed in last with a browser -------------------------------------------------------------


def remember_account(response: HttpResponseBase, account: Account) -> None:
    response.set_signed_cookie(
        settings.ACCOUNT_COOKIE_NAME,
        str(account.pk),
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def last_account(request: HttpRequest) -> str:
    return request.get_signed_cookie(settings.ACCOUNT_COOKIE_NAME, default="") or ""


# --- What is kept in a session ---------------------------------------------------------------------


@dataclass(frozen=True)
class KeptForm:
    account: str  # its id
    at: float
    page: str
    name: str  # of the URL
    address: str
    body: str

    @property
    def title(self) -> str:
        return self.name.replace("-", " ").capitalize()

    @property
    def fields(self) -> list[tuple[str, str]]:
        return [(name, value) for name, values in QueryDict(self.body).lists() for value in values]

    @property
    def shown(self) -> list[tuple[str, str]]:
        """What was entered, without the tokens that hold the rows of a form together."""
        tokens = {name.rpartition("-")[0] for name, _ in self.fields}
        return [
            (name.rpartition("-")[2].replace("_", " ").capitalize(), "yes" if value == "on" else value)
            for name, value in self.fields
            if value.strip() and value not in tokens and name not in NOT_SHOWN
        ]


def keep(request: HttpRequest, account: str) -> bool:
    """Keeps the form for the account, where there is one. Returns whether it is kept."""
    fields = request.POST.copy()
    for name in NOT_SENT_AGAIN:
        fields.pop(name, None)
    if not (account and fields) or request.FILES or request.path.startswith(NOT_KEPT):
        return False
    try:
        rate_limits.count(request, "interrupted", account)
    except RateLimited:
        return False
    name = (request.resolver_match and request.resolver_match.url_name) or ""
    form = KeptForm(account, time.time(), page_of(request), name, request.get_full_path(), fields.urlencode())
    request.session[KEPT] = asdict(form)
    return True


def kept_form(request: HttpRequest, account: Account) -> KeptForm | None:
    stored = request.session.get(KEPT)
    if stored is None or stored["account"] != str(account.pk) or time.time() - stored["at"] > KEPT_SECONDS:
        return None
    return KeptForm(**stored)


def expire_soon(request: HttpRequest, seconds: int) -> None:
    """The session of a visitor ends in so many seconds, but not before the form in it."""
    request.session.set_expiry(max(seconds, KEPT_SECONDS if KEPT in request.session else 0))


def forget_sent(request: HttpRequest, response: HttpResponseBase) -> None:
    """Deletes the form that was sent again: it is saved, or its page shows it with what is wrong."""
    is_kept_now = response.headers.get("Location") == reverse("resume")
    if response.status_code >= 400 or is_kept_now or not request.user.is_authenticated:
        return
    if request.session.get(KEPT, {}).get("address") == request.get_full_path():
        del request.session[KEPT]


# --- After the sign-in -----------------------------------------------------------------------------


def waits(request: HttpRequest, account: Account) -> bool:
    """Whether a form of the account is kept. Any other is deleted."""
    if kept_form(request, account):
        return True
    other = request.session.pop(KEPT, None)
    if other and other["account"] != str(account.pk):
        messages.warning(request, OF_ANOTHER)
    return False


@login_required
def resume(request: AccountRequest) -> HttpResponse:
    """Offers to send the form that was kept, or on POST deletes it."""
    form = kept_form(request, request.user)
    if form is None:
        return redirect("home")
    if request.method == "POST":
        del request.session[KEPT]
        messages.info(request, "It was not saved.")
        return redirect(form.page)
    context = {"form": form, "shown": form.shown[:SHOWN], "more": max(len(form.shown) - SHOWN, 0)}
    return render(request, "accounts/resume.html", context)


# --- Pages that were open while their account signed in again --------------------------------------


def accept_pages_before(request: HttpRequest, account: Account, secret: str | None) -> None:
    """After a sign-in: `secret` is the one of the tokens before it, if they are of pages of the account."""
    if secret and last_account(request) == str(account.pk):
        request.session[SECRET_BEFORE] = secret
    else:
        request.session.pop(SECRET_BEFORE, None)


def expired_form(request: HttpRequest, reason: str) -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW."""
    if request.user.is_authenticated and has_token_before(request) and keep(request, str(request.user.pk)):
        return redirect("resume")
    return errors.expired_form(request, reason)


def has_token_before(request: HttpRequest) -> bool:
    token, secret = request.POST.get(TOKEN, ""), request.session.get(SECRET_BEFORE)
    if secret is None or len(token) != csrf.CSRF_TOKEN_LENGTH or csrf.invalid_token_chars_re.search(token):
        return False
    return bool(csrf._does_token_match(token, secret))  # type: ignore[attr-defined]  # undocumented
