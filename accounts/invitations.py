"""Invitations: a link that lets one person make an account where sign-up is not open to all."""

import datetime
import hashlib
import secrets

from django.conf import settings
from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone

from accounts import audit

DAYS_VALID = 7


class InvitationQuerySet(models.QuerySet):
    def valid(self) -> "InvitationQuerySet":
        return self.filter(used_at=None, withdrawn_at=None, expires_at__gt=timezone.now())

    def presented(self, token: str) -> "Invitation | None":
        """The invitation of the link that somebody opened, if it still lets anybody in."""
        if not token or settings.SIGN_UP == "closed":
            return None
        return self.valid().filter(digest=digest(token)).first()

    def invite(self, email: str = "", invited_by: models.Model | None = None) -> "tuple[str, Invitation]":
        """Makes an invitation. Returns (the token of its link, its record); the token exists nowhere else.

        With an email it serves that address alone.
        """
        token = secrets.token_urlsafe(32)
        expires_at = timezone.now() + datetime.timedelta(days=DAYS_VALID)
        with transaction.atomic():
            invitation = self.create(
                email=email, invited_by=invited_by, digest=digest(token), expires_at=expires_at
            )
            audit.log_event("invited", invited_by and invited_by.pk, invitation=invitation.pk)
        return token, invitation


class Invitation(models.Model):
    """Good for one account. Only the hash of its link's token is kept."""

    email = models.EmailField(blank=True, help_text="Leave it empty for a link that serves any address.")
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="invitations",
        help_text="Empty for one that manage.py invite made.",
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)
    used_at = models.DateTimeField(null=True, editable=False)
    # It holds the person's email, so it goes with the account.
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, editable=False, related_name="+"
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"Invitation for {self.email or 'anybody'}"

    @property
    def state(self) -> str:
        if self.used_at:
            return "used"
        if self.withdrawn_at:
            return "withdrawn"
        return "expired" if self.expires_at <= timezone.now() else "valid"

    def use(self, account: models.Model) -> bool:
        """Notes which account it made. False when it no longer may: two can submit its form at once."""
        valid = Invitation.objects.valid().filter(pk=self.pk)
        if not valid.update(used_at=timezone.now(), used_by=account):
            return False
        audit.log_event("invitation used", account.pk, invitation=self.pk)
        return True

    def withdraw(self, by: models.Model) -> bool:
        """Ends an invitation that nobody has used. False when there was nothing to end."""
        with transaction.atomic():
            unused = Invitation.objects.filter(pk=self.pk, used_at=None, withdrawn_at=None)
            if not unused.update(withdrawn_at=timezone.now()):
                return False
            audit.log_event("invitation withdrawn", by.pk, invitation=self.pk)
        return True


def digest(token: str) -> str:
    """What is stored of a token. Its 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def link(site: str, token: str) -> str:
    """The address to send. The token is in the query, which no log holds."""
    return f"{site}{reverse('sign-up')}?invitation={token}"
