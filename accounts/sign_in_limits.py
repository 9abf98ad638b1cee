"""The limits on failed sign-ins.

1. An attempt is counted before its password is checked, so that attempts at the same time cannot exceed a
   limit together.
2. More than 5 attempts with one email from one address within 15 minutes are rejected, without a look at the
   password.
3. More than 50 attempts from one address within 15 minutes are rejected, with whatever emails: nobody can try
   one password on many emails, or keep the password hasher busy. Attempts that step 2 rejects do not count.
4. The first attempt that is rejected is written to the audit log, as "sign-in locked".
5. A successful sign-in resets the count of its email and subtracts its own attempt from that of the address.
6. Codes of a second factor are attempts, too. A password that leads to the second factor is subtracted from
   the count of its address, but stays in that of its email: who has it cannot guess codes without end.

A count expires 15 minutes after its first attempt. One that began in the future begins anew: its clock ran
ahead, and was set back.

Example of a failure: somebody guesses the password of lifter@example.org. Five times the form says "No
account has this email and password.", the sixth time "Too many failed attempts. Try again in 15 minutes.",
even with the right password.
"""

import datetime
import hashlib
import logging
import time
from contextlib import suppress

from django.core.cache import caches
from django.http import HttpRequest
from django.utils import timezone

from accounts.audit import Event
from accounts.models import Account, normalize_email
from fitness import logs
from fitness.api.rate_limits import client_address

log = logging.getLogger("fitness.accounts")

MAX_FAILURES = 5
MAX_FAILURES_OF_ADDRESS = 50
PAUSE_MINUTES = 15
CLOCK_TOLERANCE = 60  # seconds by which clocks of several machines may differ


class SignInAttempt:
    """One submission of a sign-in form, counted for its email and for its address."""

    def __init__(self, request: HttpRequest, email: str) -> None:
        address = client_address(request)
        self.email_counter = counter_name(f"{normalize_email(email)} {address}")
        self.address_counter = counter_name(address)
        self.email_count = self.address_count = 0

    def count(self) -> bool:
        """Counts the attempt (steps 1 to 3). Returns whether it is within the limits."""
        self.email_count = add(self.email_counter, 1)
        if self.email_count <= MAX_FAILURES:
            self.address_count = add(self.address_counter, 1)
        return self.email_count <= MAX_FAILURES and self.address_count <= MAX_FAILURES_OF_ADDRESS

    @property
    def is_first_rejected(self) -> bool:
        return self.email_count == MAX_FAILURES + 1 or self.address_count == MAX_FAILURES_OF_ADDRESS + 1

    def await_factor(self) -> None:
        """Step 6."""
        add(self.address_counter, -1)

    def forget(self) -> None:
        """Step 5, for a sign-in whose steps were several attempts."""
        caches["counters"].delete(self.email_counter)

    def succeed(self) -> None:
        """Step 5."""
        add(self.email_counter, -self.email_count)
        add(self.address_counter, -1)


def log_failure() -> None:
    """Writes the line that docs/operations/fail2ban/filter.conf finds, without the email: it may be a
    password that was typed into the wrong field.
    """
    log.warning("sign-in failed", extra={"address": logs.client_address.get()})


def lift_lock(account: Account) -> None:
    """Forgets the failed sign-ins of an account, from the addresses that were locked."""
    since = timezone.now() - datetime.timedelta(minutes=PAUSE_MINUTES)
    locks = account.audit_events.filter(event=Event.SIGN_IN_LOCKED, at__gt=since)
    for address in locks.values_list("address", flat=True).distinct():
        caches["counters"].delete(counter_name(f"{account.email} {address}"))


def counter_name(text: str) -> str:
    return f"sign-in:{hashlib.sha256(text.encode()).hexdigest()}"


def add(name: str, number: int) -> int:
    """Adds to a counter; returns its count, or 0 if it has just expired."""
    counters, begun = caches["counters"], f"{name}:begun"
    counters.add(begun, int(time.time()), PAUSE_MINUTES * 60)
    with suppress(ValueError):  # raised for a counter that expired after the line above
        if counters.incr(begun, 0) > time.time() + CLOCK_TOLERANCE:
            counters.delete(begun)
            counters.delete(name)
    counters.add(name, 0, PAUSE_MINUTES * 60)
    with suppress(ValueError):
        return counters.incr(name, number)
    return 0
