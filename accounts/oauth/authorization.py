"""The request that a program makes by opening /authorize in a browser (RFC 6749, 4.1.1).

1. The client and the address to return to. What is wrong here is shown to the person alone (`Untrusted`): the
   address may be anybody's.
2. Everything else goes back to the program, by the address (`RefusedRequest`).
   Example: no `code_challenge` -> `?error=invalid_request&state=…&iss=…`.
3. What the program may ask for is what the person may allow: read, or read and write.
"""

import re
from dataclasses import dataclass, replace

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext_lazy

from accounts.models import ApiKey
from accounts.oauth import client_documents, metadata
from accounts.oauth.models import OAuthClient
from accounts.oauth.redirects import host_of, is_app, is_loopback, is_meant, split, with_parameters
from fitness.addresses import site_address

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
        parts = split(self.redirect_uri)
        return parts is not None and is_loopback(parts)

    @property
    def returns_to_app(self) -> bool:
        parts = split(self.redirect_uri)
        return parts is not None and is_app(parts)

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
