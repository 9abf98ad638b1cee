"""The page on which a person connects a program, and the connections in the settings (accounts/oauth).

1. What is wrong with the request is said before anybody signs in: here, or to the program.
2. The person signs in, freshly: a connection opens the account as a key does (accounts/web/fresh.py).
3. The page asks, also the second time. The decision is posted to the address of the page, so that nothing of
   the request can be changed on the way.
4. The browser returns to the program, with a code or with `access_denied`.

Browsers apply a page's `form-action` to every redirect behind its form, also to those of the program: so this
page has none. And a program that opened it in a window of its own listens to that window: so this page, and
those of the sign-in in front of it, stay in the program's browsing context group.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from csp.decorators import csp_replace
from django import forms
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import mail
from accounts.models import MAX_ACTIVE_CONNECTIONS, Account, ApiKey
from accounts.oauth import metadata
from accounts.oauth.authorization import AuthorizationRequest, RefusedRequest, Untrusted, read
from accounts.oauth.redirects import Redirect, split
from accounts.oauth.tokens import has_all_connections, new_code
from accounts.web import fresh
from accounts.web.forms import RightsForm
from accounts.web.requests import AccountRequest, user_of
from accounts.web.sign_in import pending_sign_in
from fitness.web.errors import not_found

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class ConsentForm(RightsForm):
    """What the person allows: at most what the program asked for."""

    scope = forms.ChoiceField(label=gettext_lazy("It may"), choices=ApiKey.Scope, widget=forms.RadioSelect)
    expires = forms.ChoiceField(
        label=gettext_lazy("Expires after"),
        choices=ApiKey.Expires,
        initial=ApiKey.Expires.YEAR,
        widget=forms.RadioSelect,
    )

    def __init__(self, asked: AuthorizationRequest, data: Any = None) -> None:
        super().__init__(data, initial={"scope": asked.scope})
        if asked.scope == ApiKey.Scope.READ:
            cast(forms.ChoiceField, self.fields["scope"]).choices = [
                (ApiKey.Scope.READ, ApiKey.Scope.READ.label)
            ]
            del self.fields["may_correct"]


def keeps_opener(view: View) -> View:
    """For pages on the way to the consent: a window that a program has opened stays known to it."""

    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        is_on_the_way = leads_to_consent(request)
        response = view(request, *args, **kwargs)
        if is_on_the_way:
            response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
        return response

    return cast(View, opened)


def leads_to_consent(request: HttpRequest) -> bool:
    addresses = [request.path, request.GET.get("next", ""), request.POST.get("next", "")]
    if pending := pending_sign_in(request):
        addresses.append(pending.next)
    return any(map(is_consent, addresses))


def is_consent(address: str) -> bool:
    parts = split(address)
    return parts is not None and parts.path == reverse("authorize")


@keeps_opener
@csp_replace({"form-action": None})
@never_cache
@require_http_methods(["GET", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    if not metadata.is_on(request):
        return not_found(request)
    try:
        asked = read(request)
    except Untrusted as error:
        notice = {"title": _("This cannot be connected"), "text": str(error)}
        return render(request, "accounts/notice.html", notice, status=400)
    except RefusedRequest as refusal:
        return Redirect(refusal.location)
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if request.POST.get("decision") == "cancel":
        return Redirect(asked.refusal("access_denied", "The person did not allow it.").location)
    if not fresh.is_fresh(request):
        return fresh.ask(request)
    return decide(cast(AccountRequest, request), asked)


def decide(request: AccountRequest, asked: AuthorizationRequest) -> HttpResponse:
    account = user_of(request)
    is_full = has_all_connections(account, asked.client)
    form = ConsentForm(asked, request.POST if request.POST.get("decision") == "connect" else None)
    if form.is_valid() and not is_full:
        return connect(account, asked, form)
    context = {"asked": asked, "form": form, "is_full": is_full, "limit": MAX_ACTIVE_CONNECTIONS}
    return render(request, "accounts/consent.html", context)


def connect(account: Account, asked: AuthorizationRequest, form: ConsentForm) -> HttpResponse:
    code = new_code(
        account,
        client=asked.client,
        redirect_uri=asked.redirect_uri,
        names_redirect_uri=asked.names_redirect_uri,
        code_challenge=asked.code_challenge,
        **form.cleaned_data,
    )
    writes = form.cleaned_data["scope"] == ApiKey.Scope.READ_WRITE
    corrects = form.cleaned_data.get("may_correct", False)
    mail.notify("connected", account, asked=asked, writes=writes, corrects=corrects)
    return Redirect(asked.response(code=code))
