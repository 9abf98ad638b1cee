"""What the provider says of itself (OpenID Connect Discovery 1.0), kept in memory for an hour."""

import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts.oidc.asking import Conversation, ProviderError
from fitness.addresses import is_local, split

PATH = "/.well-known/openid-configuration"
KEPT_SECONDS = 3600


@dataclass(frozen=True)
class Metadata:
    """The part of the provider's document that is used. An endpoint that it has not is empty."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    end_session_endpoint: str
    scopes: frozenset[str]
    secret_methods: frozenset[str]  # by which clients prove who they are
    names_itself: bool  # in the address that the browser comes back with (RFC 9207)


@dataclass(frozen=True)
class Kept:
    metadata: Metadata
    of: str
    at: float


kept: Kept | None = None


def metadata(conversation: Conversation) -> Metadata:
    """Raises ProviderError."""
    global kept
    if (found := metadata_in_memory()) is None:
        found = read(conversation.get(settings.OIDC_ISSUER.rstrip("/") + PATH))
        kept = Kept(found, settings.OIDC_ISSUER, time.monotonic())
    return found


def metadata_in_memory() -> Metadata | None:
    """None unless it was read within the hour."""
    if kept is None or kept.of != settings.OIDC_ISSUER or time.monotonic() - kept.at >= KEPT_SECONDS:
        return None
    return kept.metadata


def read(document: dict[str, Any]) -> Metadata:
    issuer = document.get("issuer")
    # A slash at the end is easily lost on the way into the settings, and names nobody else.
    if not isinstance(issuer, str) or issuer.rstrip("/") != settings.OIDC_ISSUER.rstrip("/"):
        raise ProviderError(f"OIDC_ISSUER is {settings.OIDC_ISSUER}, but there is {issuer!r:.200}")
    return Metadata(
        issuer=issuer,
        authorization_endpoint=endpoint(document, "authorization_endpoint"),
        token_endpoint=endpoint(document, "token_endpoint"),
        jwks_uri=endpoint(document, "jwks_uri"),
        userinfo_endpoint=endpoint(document, "userinfo_endpoint", is_needed=False),
        end_session_endpoint=endpoint(document, "end_session_endpoint", is_needed=False),
        scopes=texts(document, "scopes_supported"),
        secret_methods=texts(document, "token_endpoint_auth_methods_supported"),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
    )


def endpoint(document: dict[str, Any], name: str, *, is_needed: bool = True) -> str:
    address = document.get(name)
    if address is None and not is_needed:
        return ""
    if not isinstance(address, str) or not is_safe(address):
        raise ProviderError(f"the provider's {name} is no https address: {address!r:.200}")
    return address


def is_safe(address: str) -> bool:
    """Whether it is https, or on this machine: whoever reads http can also write it, and be anybody."""
    parts = split(address)
    if parts is None or not parts.hostname or parts.port == 0:
        return False
    is_plain = address.isascii() and address.isprintable() and " " not in address and "#" not in address
    is_http_here = parts.scheme == "http" and is_local(parts.hostname)
    return is_plain and (parts.scheme == "https" or is_http_here) and "@" not in parts.netloc


def texts(document: dict[str, Any], name: str) -> frozenset[str]:
    values = document.get(name)
    listed = values if isinstance(values, list) else []
    return frozenset(text for text in listed if isinstance(text, str))
