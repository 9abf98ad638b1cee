"""Checks what the provider has signed: ID tokens, and the logout tokens that it sends by itself.

Its keys are kept in memory for an hour. A provider that changes its keys names a new one in its tokens: an
unknown key is looked for again, at most once a minute, so that forged tokens do not make this service ask on
and on.
"""

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

from django.conf import settings
from django.utils.http import urlsafe_base64_encode
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey
from joserfc.jws import JWSRegistry

from accounts.oidc.asking import Conversation, ProviderError
from accounts.oidc.discovery import Metadata

LEEWAY_SECONDS = 60  # by which the clocks of both may differ
MAX_TOKEN = 16_384
MAX_SUBJECT = 255
MAX_AGE_SECONDS = 600  # of a logout token
KEPT_SECONDS = 3600  # the keys of the provider
AGAIN_SECONDS = 60
MAX_KEYS = 50
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"

KINDS: dict[str, type[RSAKey] | type[ECKey]] = {"RS256": RSAKey, "ES256": ECKey}

Key = RSAKey | ECKey
Claims = dict[str, Any]


def id_token_claims(
    conversation: Conversation, metadata: Metadata, token: str, *, nonce: str, access_token: str
) -> Claims:
    """The claims of an ID token that was made for this sign-in. Raises ProviderError."""
    claims = signed_claims(conversation, metadata, token)
    check_party(claims)
    check_times(claims, "exp", "iat")
    check_subject(claims)
    if claims.get("nonce") != nonce:
        raise ProviderError("the ID token is not of this sign-in: its nonce is another one")
    if "at_hash" in claims and claims["at_hash"] != half_hash(access_token):
        raise ProviderError("the ID token is not of this access token: its at_hash is another one")
    return claims


def logout_claims(conversation: Conversation, metadata: Metadata, token: str) -> Claims:
    """The claims of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). Raises ProviderError."""
    claims = signed_claims(conversation, metadata, token)
    check_times(claims, "iat")
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT_EVENT), dict):
        raise ProviderError("the token is no logout token: its events name no logout")
    if "nonce" in claims:
        raise ProviderError("the token is no logout token: it has a nonce")
    if time.time() - claims["iat"] > MAX_AGE_SECONDS:
        raise ProviderError("the logout token is too old")
    names = [claims[name] for name in ("sub", "sid") if claims.get(name) is not None]
    if not names or not all(map(is_name, [claims.get("jti"), *names])):  # an empty one would be everybody's
        raise ProviderError("the logout token lacks jti, or does not say whose logout it is by sub or sid")
    return claims


def signed_claims(conversation: Conversation, metadata: Metadata, token: str) -> Claims:
    """The claims of a token that the provider has signed for this client."""
    header = header_of(token)
    algorithm, kid = header.get("alg"), header.get("kid")
    if not (isinstance(algorithm, str) and algorithm in KINDS):
        raise ProviderError(f"the token is signed with {algorithm!r:.50}, not with {' or '.join(KINDS)}")
    if not (kid is None or isinstance(kid, str)):
        raise ProviderError("the token's kid is no text")
    key = key_for(conversation, metadata, algorithm, kid)
    # Headers that it does not know are no fault, unless the token says that they are critical.
    registry = JWSRegistry(algorithms=[algorithm], strict_check_header=False)
    try:
        claims = jwt.decode(token, key, registry=registry).claims
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        raise ProviderError(f"the token's signature is wrong: {type(error).__name__}") from error
    check_issuer(claims, metadata)
    return claims


def header_of(token: str) -> dict[str, Any]:
    """What a token says of itself, before it is checked."""
    if len(token) > MAX_TOKEN:
        raise ProviderError(f"the token is over {MAX_TOKEN} characters")
    try:
        first = token.split(".")[0]
        header = json.loads(base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise ProviderError("the token is no JWT")
    return header


def check_issuer(claims: Claims, metadata: Metadata) -> None:
    if claims.get("iss") != metadata.issuer:
        raise ProviderError(f"the token is of another issuer: {claims.get('iss')!r:.200}")
    audience = claims.get("aud")
    if settings.OIDC_CLIENT_ID not in (audience if isinstance(audience, list) else [audience]):
        raise ProviderError(f"the token is for another client: {audience!r:.200}")


def check_party(claims: Claims) -> None:
    """A token for several clients says which of them it was given to."""
    is_for_several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if (is_for_several or "azp" in claims) and claims.get("azp") != settings.OIDC_CLIENT_ID:
        raise ProviderError(f"the token was given to another client: {claims.get('azp')!r:.200}")


def check_times(claims: Claims, *needed: str) -> None:
    """Those that are `needed` are there, and those that are there are right."""
    for name in needed:
        if not is_number(claims.get(name)):
            raise ProviderError(f"the token lacks {name}")
    now = time.time()
    if "exp" in claims and not (is_number(claims["exp"]) and claims["exp"] > now - LEEWAY_SECONDS):
        raise ProviderError("the token has expired; do the clocks of both machines agree?")
    for name in ("iat", "nbf"):
        if name in claims and not (is_number(claims[name]) and claims[name] < now + LEEWAY_SECONDS):
            raise ProviderError("the token is of the future; do the clocks of both machines agree?")


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value != "" and value.isprintable()


def check_subject(claims: Claims) -> None:
    subject = claims.get("sub")
    if not (is_name(subject) and len(subject) <= MAX_SUBJECT):
        raise ProviderError(f"the token names nobody: its sub is {subject!r:.300}")


def half_hash(text: str) -> str:
    """The value of at_hash, for tokens that are signed with SHA-256."""
    return urlsafe_base64_encode(hashlib.sha256(text.encode()).digest()[:16])


@dataclass(frozen=True)
class KeyRing:
    keys: tuple[Key, ...]
    of: str
    at: float


ring = KeyRing((), "", 0)


def key_for(conversation: Conversation, metadata: Metadata, algorithm: str, kid: str | None) -> Key:
    """The key that a token names; the only one of its kind where it names none. Raises ProviderError."""
    age = time.monotonic() - ring.at if ring.of == metadata.jwks_uri else KEPT_SECONDS
    is_unknown = not candidates(algorithm, kid)
    if age >= KEPT_SECONDS or (is_unknown and age >= AGAIN_SECONDS):
        read_keys(conversation, metadata)
    found = candidates(algorithm, kid)
    if len(found) != 1:
        raise ProviderError(f"the token's key {kid!r:.100} for {algorithm} is not one of the provider's")
    return found[0]


def candidates(algorithm: str, kid: str | None) -> list[Key]:
    kind = KINDS[algorithm]
    return [
        key
        for key in ring.keys
        if isinstance(key, kind)
        and (kid is None or key.get("kid") == kid)
        and key.get("use", "sig") == "sig"
        and key.get("alg", algorithm) == algorithm
    ]


def read_keys(conversation: Conversation, metadata: Metadata) -> None:
    global ring
    listed = conversation.get(metadata.jwks_uri).get("keys")
    if not isinstance(listed, list) or len(listed) > MAX_KEYS:
        raise ProviderError("the provider's keys are no list of keys")
    ring = KeyRing(tuple(usable_keys(listed)), metadata.jwks_uri, time.monotonic())


def usable_keys(listed: list[Any]) -> Iterator[Key]:
    """The keys of the kinds in KINDS; a provider may have others, for other purposes."""
    for jwk in listed:
        for kind in KINDS.values():
            if isinstance(jwk, dict) and jwk.get("kty") == kind.key_type:
                try:
                    yield kind.import_key(jwk)
                except (JoseError, ValueError, TypeError, KeyError):
                    continue
