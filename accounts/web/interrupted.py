"""Forms that somebody sends after the session has ended: nothing of them is lost without a word.

1. `login_required` answers such a POST with the way to the sign-in. `Interrupted` keeps its fields in the
   session of the visitor for an hour, with those of up to four others. The POST has passed the check of its
   token, so it comes from a page of this site.
2. With them it keeps the account that signed in last with this browser, which a signed cookie names. No page
   of an account before that one passes the check, as each sign-in changes the tokens.
3. When that account signs in, `resume` shows what was entered, and one button sends it, with a new token.
   The field KEPT_FORM names the form, which is deleted then; the next one is shown, and after the last the
   page that the sign-in was for. While one waits, a line on each page (`base.html`) says so.
   Another account is shown nothing, the fields are deleted, and a message says so.
4. Somebody may sign in again in another tab, while a form is open. Its token is refused then, but the session
   holds the secret of the tokens before the sign-in: `resume` offers that form as well.

Not kept are forms of the settings and of the admin, which change rights and have passwords, files, and forms
without a field, such as the question before a deletion. The sign-in leads back to their page, and says that
nothing was saved.
"""

import secrets
import time
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
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Account
from accounts.web.kept_names import shown_name
from accounts.web.known_browsers import LIFETIME
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.api.middleware import Middleware
from fitness.web import errors
from fitness.web.middleware import for_screens

# Keys of a session's data.
KEPT, THEN, SECRET_BEFORE = "kept_forms", "after_kept_forms", "csrf_secret_before"
KEPT_SECONDS = 3600
MAX_FORMS = 5
MAX_BYTES = 262_144  # of all forms together
NOT_KEPT = (
    "/admin",
    "/authorize",
    "/settings/account",
    "/settings/alerts",
    "/settings/data",
    "/settings/developer",
    "/sign-",
)
TOKEN = "csrfmiddlewaretoken"
KEPT_FORM = "kept_form"  # the field that names the form which is sent again
NOT_SENT_AGAIN = {TOKEN, KEPT_FORM, "discard"}  # whether to discard a workout is asked anew
# Django's reason for a token that does not match. Origin and referer are checked before it.
WRONG_TOKEN = "CSRF token from POST incorrect."
NOT_SHOWN = {"form", "form_id", "next", "started_at_was"}
SHOWN = 20  # of the fields of a long form
SIGN_IN_TO_SAVE = gettext_lazy("You were signed out. Sign in to save what you entered.")
DROPPED = gettext_lazy("The oldest form that was waiting was dropped, as too many were.")
NOT_SAVED = gettext_lazy("You were signed out, so this was not saved. Sign in and do it again.")
OF_ANOTHER = gettext_lazy("What was sent before you signed in belongs to another account, and was not saved.")


@for_screens
class Interrupted(Middleware):
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
    address = referer.path + (f"?{referer.query}" if referer.query else "")
    is_own = referer.netloc == request.get_host() and url_has_allowed_host_and_scheme(address, None)
    return address if is_own else reverse("home")


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
    token: str
    account: str  # its id
    at: float
    page: str
    name: str  # of the URL
    address: str
    body: str

    @property
    def title(self) -> str:
        return shown_name(self.name)

    @property
    def fields(self) -> list[tuple[str, str]]:
        return [(name, value) for name, values in QueryDict(self.body).lists() for value in values]

    @property
    def shown(self) -> list[tuple[str, str]]:
        """What was entered, without the tokens that hold the rows of a form together."""
        tokens = {name.rpartition("-")[0] for name, _value in self.fields}
        return [
            (shown_name(name.rpartition("-")[2]), _("yes") if value == "on" else value)
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
    token, now = secrets.token_urlsafe(), time.time()
    form = KeptForm(token, account, now, page_of(request), name, request.get_full_path(), fields.urlencode())
    before = [one for one in kept_forms(request, account) if not replaces(request, form, one)]
    kept = bounded([*before, form])
    if not kept:
        return False
    if len(kept) <= len(before):
        messages.warning(request, DROPPED)
    if not before:
        request.session.pop(THEN, None)
    store(request, kept)
    return True


def replaces(request: HttpRequest, form: KeptForm, other: KeptForm) -> bool:
    """Whether the other form is the same one, sent before."""
    is_equal = (form.address, form.body) == (other.address, other.body)
    return is_equal or request.POST.get(KEPT_FORM) == other.token


def bounded(forms: list[KeptForm]) -> list[KeptForm]:
    """The newest forms that there is space for; none if the newest is too large."""
    while len(forms) > MAX_FORMS or sum(len(one.body) for one in forms) > MAX_BYTES:
        forms = forms[1:]
    return forms


def kept_forms(request: HttpRequest, account: str) -> list[KeptForm]:
    """The forms of the account, the oldest first. Deletes those that have expired."""
    stored = [KeptForm(**one) for one in request.session.get(KEPT, [])]
    forms = [one for one in stored if time.time() - one.at <= KEPT_SECONDS]
    if len(forms) < len(stored):
        store(request, forms)
    return [one for one in forms if one.account == account]


def store(request: HttpRequest, forms: list[KeptForm]) -> None:
    if forms:
        request.session[KEPT] = [asdict(one) for one in forms]
    else:
        request.session.pop(KEPT, None)


def expire_soon(request: HttpRequest, seconds: int) -> None:
    """The session of a visitor ends in so many seconds, but not before the form in it."""
    request.session.set_expiry(max(seconds, KEPT_SECONDS if KEPT in request.session else 0))


def forget_sent(request: HttpRequest, response: HttpResponseBase) -> None:
    """Deletes the form that was sent again: it is saved, or its page shows it with what is wrong."""
    is_kept_now = response.headers.get("Location") == reverse("resume")
    if response.status_code >= 400 or is_kept_now or not request.user.is_authenticated:
        return
    if forget(request, request.user) and "Location" in response.headers:
        response.headers["Location"] = next_page(request, request.user, response.headers["Location"])


def forget(request: HttpRequest, account: Account) -> KeptForm | None:
    """Deletes the form that the request names, and returns it."""
    forms = kept_forms(request, str(account.pk)) if KEPT_FORM in request.POST else []
    sent = next((one for one in forms if one.token == request.POST[KEPT_FORM]), None)
    if sent:
        store(request, [one for one in forms if one is not sent])
    return sent


# --- After the sign-in -----------------------------------------------------------------------------


def page_after_sign_in(request: HttpRequest, account: Account, address: str) -> str:
    """`resume` if a form of the account is kept, before the address. Forms of others are deleted."""
    forms = kept_forms(request, str(account.pk))
    if len(forms) < len(request.session.get(KEPT, [])):
        messages.warning(request, OF_ANOTHER)
    store(request, forms)
    request.session.pop(THEN, None)
    if not forms:
        return address
    if address not in (reverse("home"), reverse("resume")):
        request.session[THEN] = address
    return reverse("resume")


def next_page(request: HttpRequest, account: Account, fallback: str) -> str:
    if kept_forms(request, str(account.pk)):
        return reverse("resume")
    address: str = request.session.pop(THEN, fallback)
    return address


def form_waits(request: HttpRequest) -> dict[str, SimpleLazyObject]:
    """For templates: whether a form of the account is kept. Lazy: error screens may not read the account."""
    return {"form_waits": SimpleLazyObject(lambda: bool(kept_forms(request, str(request.user.pk))))}


@login_required
def resume(request: AccountRequest) -> HttpResponse:
    """Offers to send the oldest form that was kept, or on POST deletes the one that is named."""
    if request.method == "POST":
        if form := forget(request, request.user):
            messages.info(request, _("It was not saved."))
        return redirect(next_page(request, request.user, form.page if form else reverse("home")))
    forms = kept_forms(request, str(request.user.pk))
    if not forms:
        return redirect(next_page(request, request.user, reverse("home")))
    form = forms[0]
    context = {
        "form": form,
        "shown": form.shown[:SHOWN],
        "more": max(len(form.shown) - SHOWN, 0),
        "others": len(forms) - 1,
        "form_waits": False,  # says the page itself
    }
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
    is_before = reason == WRONG_TOKEN and request.user.is_authenticated and has_token_before(request)
    if is_before and keep(request, str(request.user.pk)):
        return redirect("resume")
    return errors.expired_form(request, reason)


def has_token_before(request: HttpRequest) -> bool:
    token, secret = request.POST.get(TOKEN, ""), request.session.get(SECRET_BEFORE)
    if secret is None or len(token) != csrf.CSRF_TOKEN_LENGTH or csrf.invalid_token_chars_re.search(token):
        return False
    return bool(csrf._does_token_match(token, secret))  # type: ignore[attr-defined]  # undocumented
