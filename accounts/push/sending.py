"""Sends a message to a push service. Imported by the worker when there is one: http_ece takes megabytes.

The address is one that a browser has named: fitness/outbound.py lets only public ones be asked.
"""

import http.client
import logging
import os
from enum import Enum
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec

from accounts.push import vapid
from accounts.push.models import PushSubscription, decoded
from fitness.json import dumps
from fitness.outbound import NotPublic, connection_to

log = logging.getLogger("fitness.push")

SECONDS = 5.0  # for a whole message
GONE = {403, 404, 410}  # 403: it was subscribed with another key of this service
SALT_BYTES = 16


class Outcome(Enum):
    SENT = "sent"
    GONE = "gone"  # the subscription is over
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        return self is Outcome.GONE


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
    log.info("push", extra=extra)
    return outcome


def outcome_of(status: int) -> Outcome:
    if status in GONE:
        return Outcome.GONE
    return Outcome.SENT if 200 <= status < 300 else Outcome.FAILED


def answered(subscription: PushSubscription, message: dict[str, str], ttl_seconds: int) -> int:
    """The status of the push service's answer. Raises NotPublic, OSError, ValueError and HTTPException."""
    parts = urlsplit(subscription.endpoint)
    body = http_ece.encrypt(
        dumps(message),
        salt=os.urandom(SALT_BYTES),
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=decoded(subscription.p256dh),
        auth_secret=decoded(subscription.auth),
        version="aes128gcm",
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
