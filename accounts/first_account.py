"""The first account of a database, which a code of `manage.py prepare` makes a superuser.

1. While there never was an account, each `prepare` prints a link with a new code (`offer`).
2. Whoever signs up by the link gets an account with all rights, in one transaction (`redeem`).
3. The first account closes it for good, whatever makes that and whether or not it came by the link (`close`).

A row says so, which backups take along, and a migration makes it where accounts are or were. So a database
that has or had accounts offers nothing, also after they are deleted.

Example of a failure: two people open the link at the same time. The UPDATE of step 2 changes the row for one
of them; the other is told that the link works no more.
"""

import datetime
import secrets

from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone

from accounts import keys

DAYS_VALID = 7


class FirstAccountManager(models.Manager["FirstAccount"]):
    def offer(self) -> str | None:
        """A new code, in place of the one before; None where there is or was an account."""
        token = secrets.token_urlsafe(32)
        expires_at = timezone.now() + datetime.timedelta(days=DAYS_VALID)
        self.make_row()
        is_open = self.filter(closed_at=None).update(digest=keys.digest(token), expires_at=expires_at)
        return token if is_open else None

    def make_row(self) -> None:
        self.bulk_create([FirstAccount()], ignore_conflicts=True)

    def is_valid(self, token: str) -> bool:
        return self.valid(token).exists()

    def valid(self, token: str) -> "models.QuerySet[FirstAccount]":
        return self.filter(closed_at=None, digest=keys.digest(token), expires_at__gt=timezone.now())

    def redeem(self, token: str) -> bool:
        """Whether the account that is about to be stored is the first one. In its transaction."""
        assert transaction.get_connection().in_atomic_block
        return bool(self.valid(token).update(closed_at=timezone.now(), digest=""))

    def close(self) -> None:
        self.make_row()
        self.filter(closed_at=None).update(closed_at=timezone.now(), digest="")


class FirstAccount(models.Model):
    """The only row: whether the database ever had an account, and the code for the first one."""

    id = models.SmallIntegerField(primary_key=True, default=1, editable=False)
    digest = models.CharField(max_length=64, blank=True, editable=False)
    expires_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)

    objects = FirstAccountManager()

    def __str__(self) -> str:
        return "The first account"


def link(site: str, token: str) -> str:
    """The address to open. The token is in the query, which is never logged."""
    return f"{site}{reverse('sign-up')}?first={token}"
