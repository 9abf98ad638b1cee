"""The text of an API key: `svc_`, 34 random letters and digits, and a checksum of 6 more.

The checksum is the CRC-32 of the 34 in base 62. With it a mistyped key is rejected without a query, and a
secret scanner can tell a key from random text. The codes and tokens of OAuth, and the token in the address of
a calendar, differ by their prefix.
"""

import hashlib
import secrets
import string
import zlib

PREFIX = "svc_"
CODE_PREFIX, ACCESS_PREFIX, REFRESH_PREFIX = "svcc_", "svca_", "svcr_"  # of OAuth (accounts/oauth)
CALENDAR_PREFIX = "svcf_"
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
RANDOM_CHARACTERS = 34
CHECKSUM_CHARACTERS = 6
LENGTH = RANDOM_CHARACTERS + CHECKSUM_CHARACTERS  # without the prefix


def generate(prefix: str = PREFIX) -> str:
    random = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_CHARACTERS))
    return prefix + random + checksum(random)


def checksum(random: str) -> str:
    number, digits = zlib.crc32(random.encode()), ""
    for _ in range(CHECKSUM_CHARACTERS):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def is_well_formed(key: str, prefix: str = PREFIX) -> bool:
    if len(key) != len(prefix) + LENGTH or not key.startswith(prefix) or not key.isascii():
        return False
    return checksum(key[len(prefix) : -CHECKSUM_CHARACTERS]) == key[-CHECKSUM_CHARACTERS:]


def digest(key: str) -> str:
    """The SHA-256 that is stored for a key or a token. Over 200 random bits need no salt and no slow hash."""
    return hashlib.sha256(key.encode()).hexdigest()


def hint(key: str) -> str:
    """A part of the key by which people recognise it, too short to guess the rest."""
    return f"{key[:8]}…{key[-4:]}"
