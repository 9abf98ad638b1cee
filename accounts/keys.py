"""The text of an API key: how one is made, recognised and kept.

A key is `svc_`, 34 random letters and digits, and 6 more that are the CRC-32 of those 34 in base
62. The checksum lets a mistyped key be refused without a query, and lets a secret scanner tell a
key from chance.
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


def generate():
    random = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_CHARACTERS))
    return PREFIX + random + checksum(random)


def checksum(random):
    number, digits = zlib.crc32(random.encode()), ""
    for _ in range(CHECKSUM_CHARACTERS):
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def is_well_formed(key):
    if len(key) != LENGTH or not key.startswith(PREFIX) or not key.isascii():
        return False
    return checksum(key[len(PREFIX) : -CHECKSUM_CHARACTERS]) == key[-CHECKSUM_CHARACTERS:]


def digest(key):
    """What is stored of a key. Its 202 random bits need no salt and no slow hash."""
    return hashlib.sha256(key.encode()).hexdigest()


def hint(key):
    """What people recognise a key by: too little of it to guess the rest."""
    return f"{key[:8]}…{key[-4:]}"
