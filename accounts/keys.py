"""The text of an API key: `svc_`, 34 random letters and digits, and a checksum of 6 more.

The checksum is the CRC-32 of the 34 in base 62. With it a mistyped key is rejected without a query, and a
secret scanner can tell a key from random text.
"""

import hashlib
import secrets
import string
import zlib

PREFIX = "svc_"
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
RANDOM_CHARACTERS = 34
CHECKSUM_CHARACTERS = 6
LENGTH = len(PREFIX) + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS


def generate() -> str:
    random = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_CHARACTERS))
    return PREFIX + random + checksum(random)


def checksum(random: str) -> str:
    number, digits = zlib.crc32(random.encode()), ""
    for _ in range(CHECKSUM_CHARACTERS):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def is_well_formed(key: str) -> bool:
    if len(key) != LENGTH or not key.startswith(PREFIX) or not key.isascii():
        return False
    return checksum(key[len(PREFIX) : -CHECKSUM_CHARACTERS]) == key[-CHECKSUM_CHARACTERS:]


def digest(key: str) -> str:
    """The SHA-256 that is stored for a key. Its 202 random bits need no salt and no slow hash."""
    return hashlib.sha256(key.encode()).hexdigest()


def hint(key: str) -> str:
    """A part of the key by which people recognise it, too short to guess the rest."""
    return f"{key[:8]}…{key[-4:]}"
