"""Enciphers the secrets of authenticators, so that the database or a backup without SECRET_KEY reveals none.

Example of a failure: SECRET_KEY is replaced, and SECRET_KEY_FALLBACKS does not name the old one. `unseal`
raises Unreadable: codes of the app are refused from then on, and its owner signs in with a recovery code.
"""

import base64
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet, MultiFernet

PURPOSE = b"accounts.factors: secrets of authenticators"


class Unreadable(Exception):
    """The text was not sealed with SECRET_KEY or one of its fallbacks, or longer ago than allowed."""


def seal(secret: bytes) -> str:
    return cipher().encrypt(secret).decode()


def unseal(sealed: str, max_age_seconds: int | None = None) -> bytes:
    from cryptography.fernet import InvalidToken

    try:
        return cipher().decrypt(sealed.encode(), max_age_seconds)
    except InvalidToken:
        raise Unreadable from None


def cipher() -> "MultiFernet":
    """The first key enciphers; all of them decipher."""
    from cryptography.fernet import MultiFernet  # takes megabytes, which most processes never need

    return MultiFernet([*map(cipher_of, [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS])])


def cipher_of(secret_key: str) -> "Fernet":
    from cryptography.fernet import Fernet
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    key = HKDF(SHA256(), length=32, salt=None, info=PURPOSE).derive(secret_key.encode())
    return Fernet(base64.urlsafe_b64encode(key))
