"""The way to the provider and back: the address that asks, and the exchange of the code that it answers."""

import base64
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus

from django.conf import settings
from django.urls import reverse

from accounts.oauth.redirects import with_parameters
from accounts.oauth.tokens import challenge_of
from accounts.oidc.asking import Conversation, ProviderError
from accounts.oidc.discovery import Metadata
from fitness.addresses import public_address

MAX_CODE = 4_096


@dataclass(frozen=True)
class Secrets:
    """What binds an answer to the browser that asked: random, used once, and known to nobody else."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Tokens:
    id_token: str
    access_token: str


def return_address() -> str:
    """The redirect URI, which the provider must know."""
    return f"{public_address()}{reverse('provider-return')}"


def address(metadata: Metadata, secret: Secrets, *, asks_again: bool) -> str:
    """Where the browser goes. `asks_again`: whoever is signed in there proves again who they are."""
    query = {
        "response_type": "code",
        "client_id": settings.OIDC_CLIENT_ID,
        "redirect_uri": return_address(),
        "scope": " ".join(scopes(metadata)),
        "state": secret.state,
        "nonce": secret.nonce,
        "code_challenge": challenge_of(secret.verifier),
        "code_challenge_method": "S256",
        **({"prompt": "login"} if asks_again else {}),
    }
    return with_parameters(metadata.authorization_endpoint, query)


def scopes(metadata: Metadata) -> list[str]:
    """Some providers send groups only if a scope names them; others refuse scopes that they lack."""
    wants_groups = bool(settings.OIDC_STAFF_GROUP) and "groups" in metadata.scopes
    return ["openid", "email", "profile", *["groups"] * wants_groups]


def exchange(conversation: Conversation, metadata: Metadata, code: str, verifier: str) -> Tokens:
    """Raises ProviderError."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": return_address(),
        "code_verifier": verifier,
    }
    headers, proof = client_proof(metadata)
    status, answer = conversation.post(metadata.token_endpoint, {**form, **proof}, headers)
    if status != 200:
        raise ProviderError(refusal(status, answer))
    return Tokens(text(answer, "id_token"), text(answer, "access_token"))


def refusal(status: int, answer: dict[str, Any]) -> str:
    error = str(answer.get("error", ""))[:100]
    named = f"the provider gave no tokens: {status} {error}".strip()
    is_client = error == "invalid_client" or status == 401
    return f"{named}; are OIDC_CLIENT_ID and OIDC_CLIENT_SECRET right?" if is_client else named


def client_proof(metadata: Metadata) -> tuple[dict[str, str], dict[str, str]]:
    """The headers and the fields by which this service proves which client it is."""
    client_id, secret = settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET
    if not secret:
        return {}, {"client_id": client_id}
    methods = metadata.secret_methods or {"client_secret_basic"}
    if "client_secret_basic" in methods:
        pair = f"{quote_plus(client_id)}:{quote_plus(secret)}"  # as RFC 6749, 2.3.1 says
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}, {}
    if "client_secret_post" in methods:
        return {}, {"client_id": client_id, "client_secret": secret}
    raise ProviderError(f"the provider takes no secret of a client, but {', '.join(sorted(methods))}")


def text(answer: dict[str, Any], name: str) -> str:
    value = answer.get(name)
    if not isinstance(value, str) or not value.isascii():
        raise ProviderError(f"the provider's answer has no {name}")
    return value
