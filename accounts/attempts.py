"""Sign-in attempts: after five failures for one email from one address, a pause."""

import hashlib
from contextlib import suppress

from django.core.cache import caches

from accounts.models import normal_email
from fitness.api.ratelimit import client_address

MAX_FAILURES = 5
PAUSE_MINUTES = 15


class Attempts:
    """Counts before the password is checked, so that attempts at the same time cannot outrun it."""

    def __init__(self, request, email):
        who = f"{normal_email(email)} {client_address(request)}"
        self.counter = f"sign-in:{hashlib.sha256(who.encode()).hexdigest()}"
        self.count = 0

    def take(self):
        """Counts an attempt. False when there were too many."""
        caches["counters"].add(self.counter, 0, PAUSE_MINUTES * 60)
        self.count = self.add(1)
        return self.count <= MAX_FAILURES

    @property
    def just_locked(self):
        return self.count == MAX_FAILURES + 1

    def forgive(self):
        self.add(-self.count)

    def add(self, number):
        with suppress(ValueError):  # the pause ended this very moment
            return caches["counters"].incr(self.counter, number)
        return 0
