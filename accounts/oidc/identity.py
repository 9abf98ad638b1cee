"""Who has signed in at the provider."""

import time
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts.models import has_domain, normalize_email
from accounts.oidc import authorization
from accounts.oidc.asking import Conversation, ProviderError
from accounts.oidc.authorization import Secrets
from accounts.oidc.discovery import Metadata

MAX_EMAIL = 254
MAX_NAME = 200
MAX_GROUPS = 1_000


@dataclass(frozen=True)
class Identity:
    """What the provider says of somebody. Issuer and subject name them, and nothing else does."""

    issuer: str
    subject: str
    email: str  # "" where it is none
    email_verified: bool
    name: str
    groups: tuple[str, ...]
    sid: str  # of the provider's session; "" where it has none
    id_token: str
    proved_at: float  # when the provider asked who they are; it may have answered for a browser it knows


def identity_of(conversation: Conversation, metadata: Metadata, code: str, secret: Secrets) -> Identity:
    """Exchanges a code, and checks what it is worth. Raises ProviderError."""
    from accounts.oidc import tokens  # 10 MB with joserfc, for those alone that come from the provider

    given = authorization.exchange(conversation, metadata, code, secret.verifier)
    claims = tokens.id_token_claims(
        conversation, metadata, given.id_token, nonce=secret.nonce, access_token=given.access_token
    )
    if lacks_something(claims) and metadata.userinfo_endpoint:
        told = userinfo(conversation, metadata, given.access_token, claims["sub"])
        claims = completed(claims, told)
    return read(metadata, claims, given.id_token)


def lacks_something(claims: dict[str, Any]) -> bool:
    """Some providers put no more than the subject into the ID token."""
    return "email" not in claims or (bool(settings.OIDC_STAFF_GROUP) and "groups" not in claims)


def completed(claims: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """The claims of the ID token with what the userinfo adds, which calls no email verified but its own."""
    is_of_another = told.get("email") != claims.get("email", told.get("email"))
    return {**told, **({"email_verified": False} if is_of_another else {}), **claims}


def userinfo(
    conversation: Conversation, metadata: Metadata, access_token: str, subject: str
) -> dict[str, Any]:
    bearer = {"Authorization": f"Bearer {access_token}"}
    claims = conversation.get(metadata.userinfo_endpoint, bearer)
    if claims.get("sub") != subject:
        raise ProviderError("the provider's userinfo is about somebody else")
    return claims


def read(metadata: Metadata, claims: dict[str, Any], id_token: str) -> Identity:
    told = claims.get("groups")
    groups = [told] if isinstance(told, str) else told  # some providers write one group without a list
    return Identity(
        issuer=metadata.issuer,
        subject=claims["sub"],
        email=email_in(claims),
        email_verified=claims.get("email_verified") is True,
        name=printable(claims.get("name"))[:MAX_NAME],
        groups=tuple(map(plain, groups[:MAX_GROUPS])) if isinstance(groups, list) else (),
        sid=plain(claims.get("sid")),
        id_token=id_token,
        proved_at=time_in(claims.get("auth_time")),
    )


def email_in(claims: dict[str, Any]) -> str:
    told = plain(claims.get("email"))
    try:
        validate_email(told)
        has_domain(told)
    except ValidationError:
        return ""
    email = normalize_email(told)
    return email if is_itself(told) and len(email) <= MAX_EMAIL else ""


def is_itself(email: str) -> bool:
    """Whether it stays the same person's in lower case, and with its domain as mail servers have it.

    The Kelvin sign becomes the k of somebody else, and the domain straße.de the other domain strasse.de.
    """
    local, _, domain = email.rpartition("@")
    domain = domain.lower()
    return local.isascii() and domain.encode("idna").decode("idna") == domain


def time_in(told: object) -> float:
    """Seconds since 1970; now where the provider names no time."""
    now = time.time()
    return max(0.0, min(told, now)) if isinstance(told, int | float) else now


def plain(value: object) -> str:
    """A text that says what it shows; "" for anything else, which would not be what it looks like."""
    return value if isinstance(value, str) and value.isprintable() else ""


def printable(value: object) -> str:
    """A text as a column takes it: databases refuse NUL."""
    return "".join(filter(str.isprintable, value)) if isinstance(value, str) else ""
