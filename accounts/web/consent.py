"""The page on which a person connects a program, which has opened it in their browser (RFC 6749, 4.1.1).

1. What is wrong with the request is said before anybody signs in. To the person alone, if the client or the
   address to return to is wrong, as that may be anybody's (`Untrusted`). Everything else goes back to the
   program, by the address (`RefusedRequest`).
   Example: no `code_challenge` -> `?error=invalid_request&state=…&iss=…`.
2. The person signs in, freshly: a connection opens the account as a key does (accounts/web/fresh.py).
3. The page asks, also the second time. The decision is posted to the address of the page, so that nothing of
   the request can be changed on the way.
4. The browser returns to the program, with a code or with `access_denied`.

Browsers apply a page's `form-action` to every redirect behind its form, also to those of the program: so this
page has none. And a program that opened it in a window of its own listens to that window: so this page, and
those of the sign-in in front of it, stay in the program's browsing context group.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar, cast

from csp.decorators import csp_replace
from django import forms
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import mail
from accounts.models import MAX_ACTIVE_CONNECTIONS, ApiKey
from accounts.oauth import client_documents, metadata
from accounts.oauth.models import OAuthClient
from accounts.oauth.redirects import Redirect, host_of, is_app, is_loopback, is_meant, with_parameters
from accounts.oauth.tokens import has_all_connections, new_code
from accounts.web import fresh
from accounts.web.forms import RightsForm
from accounts.web.requests import AccountRequest
from accounts.web.sign_in import pending_sign_in
from fitness.addresses import site_address, split
from fitness.web.errors import not_found

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
Response = TypeVar("Response", bound=HttpResponseBase)

CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")  # a SHA-256 in base64url (RFC 7636, 4.2)
UNKNOWN_CLIENT = gettext_lazy(
    "The app that sent you here is not known to this service, or is not known any more. "
    "Remove the connection in the app and add it again."
)
WRONG_ADDRESS = gettext_lazy(
    "The app that sent you here wants to get you back to an address that it has not registered. "
    "Nothing was allowed. Remove the connection in the app and add it again."
)


class Untrusted(Exception):
    """Nobody knows where the request comes from. The text is for the person."""


class RefusedRequest(Exception):
    """What is wrong is for the program, which reads it from the query of the address `location`."""

    def __init__(self, location: str) -> None:
        super().__init__()
        self.location = location


@dataclass(frozen=True)
class AuthorizationRequest:
    """A request that may be put before the person."""

    client: OAuthClient
    redirect_uri: str
    names_redirect_uri: bool
    state: str | None
    issuer: str
    code_challenge: str = ""
    scope: ApiKey.Scope = ApiKey.Scope.READ

    @property
    def host(self) -> str:
        return host_of(self.redirect_uri)

    @property
    def returns_to_this_device(self) -> bool:
        return is_loopback(split(self.redirect_uri))

    @property
    def returns_to_app(self) -> bool:
        return is_app(split(self.redirect_uri))

    def response(self, **parameters: str) -> str:
        """The address that brings the answer to the program (RFC 6749, 4.1.2 and RFC 9207)."""
        state = {} if self.state is None else {"state": self.state}
        return with_parameters(self.redirect_uri, {**parameters, **state, "iss": self.issuer})

    def refusal(self, error: str, description: str) -> RefusedRequest:
        return RefusedRequest(self.response(error=error, error_description=description))


def read(request: HttpRequest) -> AuthorizationRequest:
    """The request in the query of /authorize. Raises Untrusted and RefusedRequest."""
    query = request.GET
    client = client_of(request, query.getlist("client_id"))
    redirect_uri = redirect_uri_of(client, query.getlist("redirect_uri"))
    asked = AuthorizationRequest(
        client=client,
        redirect_uri=redirect_uri,
        names_redirect_uri="redirect_uri" in query,
        state=query.get("state"),
        issuer=site_address(request),
    )
    check(asked, query, metadata.resource(request))
    return replace(asked, code_challenge=query["code_challenge"], scope=asked_scope(asked, query))


def client_of(request: HttpRequest, client_ids: list[str]) -> OAuthClient:
    if len(client_ids) != 1:
        raise Untrusted(UNKNOWN_CLIENT)
    try:
        client = client_documents.client(request, client_ids[0])
    except client_documents.Unusable as error:
        raise Untrusted(str(error)) from None
    if client is None:
        raise Untrusted(UNKNOWN_CLIENT)
    return client


def redirect_uri_of(client: OAuthClient, asked: list[str]) -> str:
    registered: list[str] = client.redirect_uris
    if not asked and len(registered) == 1:
        return registered[0]
    if len(asked) != 1 or not any(is_meant(asked[0], one) for one in registered):
        raise Untrusted(WRONG_ADDRESS)
    return asked[0]


def check(asked: AuthorizationRequest, query: QueryDict, resource: str) -> None:
    """Raises RefusedRequest for what is wrong with the rest of the request."""
    repeated = [name for name, values in query.lists() if len(values) > 1 and name != "resource"]
    if repeated:
        raise asked.refusal("invalid_request", f"{repeated[0][:40]} is given more than once.")
    if query.get("response_type") != "code":
        raise asked.refusal("unsupported_response_type", "response_type must be code.")
    for name in ("request", "request_uri"):
        if name in query:
            raise asked.refusal(f"{name}_not_supported", f"{name} is not supported: send parameters.")
    if query.get("response_mode", "query") != "query":
        raise asked.refusal("invalid_request", "response_mode must be query.")
    if query.get("code_challenge_method") != "S256" or not CHALLENGE.fullmatch(
        query.get("code_challenge", "")
    ):
        raise asked.refusal(
            "invalid_request", "A code_challenge with code_challenge_method S256 is required."
        )
    if any(not metadata.is_same_resource(one, resource) for one in query.getlist("resource")[:2]):
        raise asked.refusal("invalid_target", f"Access is given to {resource} alone.")
    if len(query.getlist("resource")) > 1:
        raise asked.refusal("invalid_target", "Ask for one resource.")
    if query.get("prompt") == "none":
        raise asked.refusal("interaction_required", "The person is always asked.")


def asked_scope(asked: AuthorizationRequest, query: QueryDict) -> ApiKey.Scope:
    """What the program asks for: everything without a scope. Beside known scopes, others are ignored."""
    scopes = set(query.get("scope", "").split()) - {metadata.OFFLINE}
    known = scopes & set(metadata.SCOPES)
    if scopes and not known:
        raise asked.refusal("invalid_scope", f"Known scopes are {', '.join(metadata.SCOPES)}.")
    return ApiKey.Scope.READ if known == {"read"} else ApiKey.Scope.READ_WRITE


# --- The page ---------------------------------------------------------------------------------------


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
        addresses = [request.path, request.GET.get("next", ""), request.POST.get("next", "")]
        if pending := pending_sign_in(request):
            addresses.append(pending.next)
        return keep_opener(view(request, *args, **kwargs), *addresses)

    return cast(View, opened)


def keep_opener(response: Response, *addresses: str) -> Response:
    """For a response that leads to one of these addresses, if that is the page."""
    if any(parts.path == reverse("authorize") for parts in map(split, addresses) if parts):
        response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return response


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
    account = request.user
    is_full = has_all_connections(account, asked.client)
    form = ConsentForm(asked, request.POST if request.POST.get("decision") == "connect" else None)
    if not form.is_valid() or is_full:
        context = {"asked": asked, "form": form, "is_full": is_full, "limit": MAX_ACTIVE_CONNECTIONS}
        return render(request, "accounts/consent.html", context)
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
