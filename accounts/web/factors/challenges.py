"""The challenges that passkeys answer: each is good for one answer, in the session that asked for it."""

import secrets
import time

from django.contrib.sessions.backends.base import UpdateError
from django.http import HttpRequest

SESSION_KEY = "passkey_challenge"
SECONDS = 300
BYTES = 32


def new(request: HttpRequest, purpose: str) -> bytes:
    challenge = secrets.token_bytes(BYTES)
    if not request.user.is_authenticated:
        request.session.set_expiry(SECONDS)
    request.session[SESSION_KEY] = {"purpose": purpose, "challenge": challenge.hex(), "at": time.time()}
    return challenge


def take(request: HttpRequest, purpose: str) -> bytes | None:
    """The challenge of the session for this purpose, which is gone afterwards; None without one."""
    stored = request.session.pop(SESSION_KEY, None)
    try:
        request.session.save()  # at once: whatever happens to the answer, it is not taken again afterwards
    except UpdateError:  # another request has ended the session
        return None
    if stored is None or stored["purpose"] != purpose or not 0 <= time.time() - stored["at"] <= SECONDS:
        return None
    return bytes.fromhex(stored["challenge"])
