"""Sends a message to a push service. Imported by the worker when there is one: cryptography takes megabytes.

The address is one that a browser has named: fitness/outbound.py lets only public ones be asked.
"""

import http.client
import logging
import os
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from accounts.push import vapid
from accounts.push.models import Outcome, PushSubscription, decoded
from fitness.json import dumps
from fitness.outbound import NotPublic, connection_to

log = logging.getLogger("fitness.push")

SECONDS = 5.0  # for a whole message
OUTCOMES = {
    401: Outcome.REFUSED,  # Mozilla's, where others answer 403: "VAPID public key mismatch"
    403: Outcome.REFUSED,
    404: Outcome.GONE,
    410: Outcome.GONE,
}
CURVE = ec.SECP256R1()
SALT_BYTES = 16
RECORD_BYTES = 4096  # each message is one record; the texts of alarms are far shorter
LAST_RECORD = b"\x02"


def send(subscription: PushSubscription, message: dict[str, str], ttl_seconds: int) -> Outcome:
    """Sends a message, which the push service keeps for so long while the phone cannot be reached."""
    try:
        status = answered(subscription, message, ttl_seconds)
    except (NotPublic, ValueError) as error:  # the browser's key is none, or its address cannot be asked
        outcome, answer = Outcome.GONE, type(error).__name__
    except (OSError, http.client.HTTPException) as error:
        outcome, answer = Outcome.FAILED, type(error).__name__
    else:
        outcome, answer = outcome_of(status), str(status)
    extra = {"account": str(subscription.account_id), "host": str(subscription), "answer": answer}
    log.log(logging.WARNING if outcome is Outcome.REFUSED else logging.INFO, "push", extra=extra)
    return outcome


def outcome_of(status: int) -> Outcome:
    return OUTCOMES.get(status, Outcome.SENT if 200 <= status < 300 else Outcome.FAILED)


def answered(subscription: PushSubscription, message: dict[str, str], ttl_seconds: int) -> int:
    """The status of the push service's answer. Raises NotPublic, OSError, ValueError and HTTPException."""
    parts = urlsplit(subscription.endpoint)
    body = enciphered(
        dumps(message),
        browser=decoded(subscription.p256dh),
        secret=decoded(subscription.auth),
        own=ec.generate_private_key(CURVE),
        salt=os.urandom(SALT_BYTES),
    )
    headers = {
        "Authorization": vapid.authorization(subscription.endpoint),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl_seconds),
        "Urgency": "high",
    }
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    with connection_to(parts.hostname or "", SECONDS) as connection:
        connection.request("POST", path, body, headers)
        return connection.getresponse().status


def enciphered(
    text: bytes, *, browser: bytes, secret: bytes, own: ec.EllipticCurvePrivateKey, salt: bytes
) -> bytes:
    """A body that only the browser with this public key and secret can read (RFC 8188 and 8291).

    The key `own` and the salt are new for each message. Raises ValueError where the browser's key is none.
    """
    point = own.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, browser))
    material = derived(secret, shared, b"WebPush: info\0" + browser + point, 32)
    key = derived(salt, material, b"Content-Encoding: aes128gcm\0", 16)
    nonce = derived(salt, material, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4) + bytes([len(point)]) + point
    return head + AESGCM(key).encrypt(nonce, text + LAST_RECORD, None)


def derived(salt: bytes, material: bytes, purpose: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, purpose).derive(material)
