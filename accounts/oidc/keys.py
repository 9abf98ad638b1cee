"""The keys with which the provider signs, kept in memory for an hour.

A provider that changes its keys names a new one in its tokens: an unknown key is looked for again, at most
once a minute, so that forged tokens do not make this service ask on and on.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from accounts.oidc.asking import Conversation
from accounts.oidc.discovery import Metadata
from accounts.oidc.errors import ProviderError

KEPT_SECONDS = 3600
AGAIN_SECONDS = 60
MAX_KEYS = 50
KINDS: dict[str, type[RSAKey] | type[ECKey]] = {"RS256": RSAKey, "ES256": ECKey}

Key = RSAKey | ECKey


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
        read(conversation, metadata)
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


def read(conversation: Conversation, metadata: Metadata) -> None:
    global ring
    listed = conversation.get(metadata.jwks_uri).get("keys")
    if not isinstance(listed, list) or len(listed) > MAX_KEYS:
        raise ProviderError("the provider's keys are no list of keys")
    ring = KeyRing(tuple(usable(listed)), metadata.jwks_uri, time.monotonic())


def usable(listed: list[Any]) -> Iterator[Key]:
    """The keys of the kinds in KINDS; a provider may have others, for other purposes."""
    for jwk in listed:
        for kind in KINDS.values():
            if isinstance(jwk, dict) and jwk.get("kty") == kind.key_type:
                try:
                    yield kind.import_key(jwk)
                except (JoseError, ValueError, TypeError, KeyError):
                    continue
