"""The key with which the service signs its messages to push services (RFC 8292).

It is derived from SECRET_KEY: every process and machine has the same one, and nothing more is to be kept or
backed up. After another SECRET_KEY push services refuse the subscriptions of before: the page "Alerts" shows
it, and browsers subscribe anew when their owner turns alerts on there.
"""

import json
import time
from email.utils import parseaddr
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.http import urlsafe_base64_encode

from fitness.addresses import public_address

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

PURPOSE = b"accounts.push: key of the service for push services"
ORDER_P256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
HOURS = 12


@cache
def key_of(secret_key: str) -> "ec.EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    # 16 bytes more than a key has, so that no number of the curve is more likely than another.
    number = HKDF(SHA256(), length=48, salt=None, info=PURPOSE).derive(secret_key.encode())
    return ec.derive_private_key(int.from_bytes(number) % (ORDER_P256 - 1) + 1, ec.SECP256R1())


def public_key() -> str:
    """What a browser subscribes with, in base64url."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = key_of(settings.SECRET_KEY).public_key()
    return urlsafe_base64_encode(point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def authorization(endpoint: str) -> str:
    """The header that shows a push service who sends."""
    parts = urlsplit(endpoint)
    claims = {
        "aud": f"https://{parts.netloc}",
        "exp": int(time.time()) + HOURS * 3600,
        "sub": contact(),
    }
    return f"vapid t={token(claims)}, k={public_key()}"


def contact() -> str:
    """Whom a push service may write to. Apple's refuses addresses of this machine or network alone."""
    mail = parseaddr(settings.EMAIL_FROM)[1]
    return f"mailto:{mail}" if mail else public_address()


def token(claims: dict[str, object]) -> str:
    """A JSON Web Token with an ES256 signature."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    parts = ({"typ": "JWT", "alg": "ES256"}, claims)
    signed = ".".join(urlsafe_base64_encode(json.dumps(part).encode()) for part in parts)
    numbers = decode_dss_signature(key_of(settings.SECRET_KEY).sign(signed.encode(), ec.ECDSA(SHA256())))
    return f"{signed}.{urlsafe_base64_encode(b''.join(number.to_bytes(32) for number in numbers))}"
