"""Passkeys in browsers: where they are offered, and the challenges that they answer.

Each challenge is good for one answer, in the session that asked for it.
"""

import secrets
import time
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sessions.backends.base import UpdateError
from django.http import HttpRequest

CHALLENGE = "passkey_challenge"
SECONDS = 300
BYTES = 32


def are_offered_at(request: HttpRequest) -> bool:
    """Whether the page is at the address that passkeys belong to: those of localhost fail at 127.0.0.1."""
    return bool(settings.PASSKEY_ORIGIN) and urlsplit(settings.PASSKEY_ORIGIN).netloc == request.get_host()


def new_challenge(request: HttpRequest, purpose: str) -> bytes:
    challenge = secrets.token_bytes(BYTES)
    if not request.user.is_authenticated:
        request.session.set_expiry(SECONDS)
    request.session[CHALLENGE] = {"purpose": purpose, "challenge": challenge.hex(), "at": time.time()}
    return challenge


def take_challenge(request: HttpRequest, purpose: str) -> bytes | None:
    """The challenge of the session for this purpose, which is gone afterwards; None without one."""
    stored = request.session.pop(CHALLENGE, None)
    try:
        request.session.save()  # at once: whatever happens to the answer, it is not taken again afterwards
    except UpdateError:  # another request has ended the session
        return None
    if stored is None or stored["purpose"] != purpose or not 0 <= time.time() - stored["at"] <= SECONDS:
        return None
    return bytes.fromhex(stored["challenge"])
