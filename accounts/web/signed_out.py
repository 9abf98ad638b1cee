"""Forms that somebody sends after the session has ended: the sign-in leads back to their page and says so."""

from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest, HttpResponseRedirect, QueryDict
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy

from fitness.api.middleware import Middleware
from fitness.web import errors
from fitness.web.middleware import for_screens

NOT_SAVED = gettext_lazy("You were signed out, so nothing was saved.")
NOTHING_SAVED = "nothing_saved"  # a key of the visitor's session
SESSION_SECONDS = 3600


@for_screens
class SignedOut(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method == "POST" and asks_to_sign_in(request, response):
            return sign_in_first(request, response)
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
    request.session[NOTHING_SAVED] = True
    request.session.set_expiry(SESSION_SECONDS)
    if request.path.startswith("/admin/"):  # whose forms have pages at their own addresses
        return response
    return HttpResponseRedirect(f"{reverse('sign-in')}?{urlencode({'next': page_of(request)})}")


def add_message(request: HttpRequest, *, is_last: bool) -> None:
    """Says it, where a form was not saved: on the page of the sign-in, and last on the one after it."""
    if request.session.get(NOTHING_SAVED):
        messages.warning(request, NOT_SAVED)
        if is_last:
            del request.session[NOTHING_SAVED]


def page_of(request: HttpRequest) -> str:
    """The page of this site from which the form was sent, as the browser says."""
    referer = urlsplit(request.headers.get("Referer", ""))
    address = referer.path + (f"?{referer.query}" if referer.query else "")
    is_own = referer.netloc == request.get_host() and url_has_allowed_host_and_scheme(address, None)
    return address if is_own else reverse("home")
