"""Sign-in attempts: a pause after five failures for one email from one address, or fifty from one address.

The second keeps anybody from trying one password on many emails, and from keeping the hasher busy.
"""

import hashlib
from contextlib import suppress

from django.core.cache import caches

from accounts.models import normal_email
from fitness.api.rate_limits import client_address

MAX_FAILURES = 5
MAX_FAILURES_OF_ADDRESS = 50
PAUSE_MINUTES = 15


class Attempts:
    """Counts before the password is checked, so that attempts at the same time cannot outrun it."""

    def __init__(self, request, email):
        address = client_address(request)
        self.of_email = counter(f"{normal_email(email)} {address}")
        self.of_address = counter(address)
        self.count = self.address_count = 0

    def take(self):
        """Counts an attempt. False when there were too many."""
        self.count = add(self.of_email, 1)
        if self.count <= MAX_FAILURES:
            self.address_count = add(self.of_address, 1)
        return self.count <= MAX_FAILURES and self.address_count <= MAX_FAILURES_OF_ADDRESS

    @property
    def just_locked(self):
        return self.count == MAX_FAILURES + 1 or self.address_count == MAX_FAILURES_OF_ADDRESS + 1

    def forgive(self):
        add(self.of_email, -self.count)
        add(self.of_address, -1)


def counter(who):
    return f"sign-in:{hashlib.sha256(who.encode()).hexdigest()}"


def add(counter, number):
    caches["counters"].add(counter, 0, PAUSE_MINUTES * 60)
    with suppress(ValueError):  # the pause ended this very moment
        return caches["counters"].incr(counter, number)
    return 0
