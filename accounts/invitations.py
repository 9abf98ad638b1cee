"""Invitations: a link with which one person can create an account where sign-up is not open.

The checks between a link and the account that it creates:

1. The form is submitted at most 60 times an hour from one address (the limit "sign-up"): else 429.
2. SIGN_UP is not "closed", and the token of the link is that of a valid invitation: one that is neither used
   nor withdrawn nor expired. Only the SHA-256 of the token is stored. Else 403.
3. If the invitation names an email, the form has the same one. Else the form shows an error.
4. In one transaction the account is created and the invitation is marked as used (`store_newcomer`).
   If another request has used it in between, nothing is stored: 403.

Example of a failure: two people open the same link and submit their forms at the same time. Both pass step 2.
The UPDATE of step 4 changes a row for the first. For the second it changes none: their account is rolled
back, and they see "This invitation does not work any more".
"""

import datetime
import secrets
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone

from accounts import audit, keys
from accounts.first_account import FirstAccount

if TYPE_CHECKING:
    from accounts.models.account import Account

DAYS_VALID = 7


class NotInvited(Exception):
    """Nobody may sign up uninvited, or the invitation is not valid any more."""


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def valid(self) -> Self:
        return self.unused().filter(expires_at__gt=timezone.now())

    def unused(self) -> Self:
        """Invitations that can be withdrawn, expired ones too."""
        return self.filter(used_at=None, withdrawn_at=None)

    def look_up(self, token: str) -> "Invitation | None":
        """Step 2: the valid invitation with the token of a link, or None."""
        if not token or settings.SIGN_UP == "closed":
            return None
        return self.valid().filter(digest=keys.digest(token)).first()

    def invite(self, email: str = "", invited_by: "Account | None" = None) -> "tuple[str, Invitation]":
        """Creates an invitation, for one email or for any. Returns the token of its link and the Invitation.

        The token is stored nowhere.
        """
        token = secrets.token_urlsafe(32)
        expires_at = timezone.now() + datetime.timedelta(days=DAYS_VALID)
        with transaction.atomic():
            invitation = self.create(
                email=email, invited_by=invited_by, digest=keys.digest(token), expires_at=expires_at
            )
            audit.log_event(audit.Event.INVITED, invited_by, invitation=invitation.pk)
        return token, invitation


class Invitation(models.Model):
    """An invitation for one account. Of the token in its link only the hash is stored."""

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
    # Deleted with the account, because it holds the person's email.
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

    def use(self, account: "Account") -> bool:
        """Step 4: marks the invitation as used by a new account. False if it is not valid any more."""
        valid = Invitation.objects.valid().filter(pk=self.pk)
        if not valid.update(used_at=timezone.now(), used_by=account):
            return False
        audit.log_event(audit.Event.INVITATION_USED, account, invitation=self.pk)
        return True

    def withdraw(self, by: "Account") -> bool:
        """Withdraws an unused invitation. False if it was used or withdrawn before."""
        with transaction.atomic():
            if not Invitation.objects.unused().filter(pk=self.pk).update(withdrawn_at=timezone.now()):
                return False
            audit.log_event(audit.Event.INVITATION_WITHDRAWN, by, invitation=self.pk)
        return True


def store_newcomer(
    account: "Account",
    invitation: Invitation | None,
    *,
    detail: str = "",
    is_open: bool = False,
    may_claim: bool = False,
    first: str = "",
) -> "Account":
    """Stores and returns a new account, or the unclaimed one with its email, if that may be claimed.

    `is_open`: also uninvited. `first`: the code that makes the first account a superuser. In a transaction of
    the caller, which ends by NotInvited.
    """
    if first:
        if not FirstAccount.objects.redeem(first):
            raise NotInvited
        account.is_staff = account.is_superuser = True
        detail = "with all rights, by the link that prepare has printed"
    accounts = get_user_model().objects
    if not (first or invitation or is_open or accounts.still_may_sign_up()):
        raise NotInvited
    if may_claim and (claimed := accounts.claim(account)):
        audit.log_event(audit.Event.SIGNED_UP, claimed, detail="in the account that issue_key made")
        return claimed
    account.save()
    if invitation and not invitation.use(account):
        raise NotInvited
    audit.log_event(audit.Event.SIGNED_UP, account, detail=detail)
    return account


def link(site: str, token: str) -> str:
    """The address to send to the person. The token is in the query, which is never logged."""
    return f"{site}{reverse('sign-up')}?invitation={token}"
