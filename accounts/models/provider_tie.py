"""Which account a person of the provider opens (accounts/oidc)."""

import hashlib
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from accounts.models.account import Account

MAX_SUBJECT = 255


class ProviderTieQuerySet(models.QuerySet["ProviderTie"]):
    def look_up(self, issuer: str, subject: str) -> "ProviderTie | None":
        """The tie of somebody at a provider, with its account, which may rest but is not deleted."""
        ties = self.select_related("account").filter(account__deleted_at=None)
        return ties.filter(digest=digest(issuer, subject)).first()

    def of(self, account: "Account") -> "ProviderTie | None":
        """Takes no query where there is no provider."""
        return self.filter(account=account).first() if settings.OIDC_ISSUER else None

    def tie(self, account: "Account", issuer: str, subject: str) -> "ProviderTie":
        """Raises IntegrityError where either is tied already."""
        return self.create(account=account, issuer=issuer, subject=subject, digest=digest(issuer, subject))


class ProviderTie(models.Model):
    """That somebody at the household's provider opens an account; an account has one.

    It is found without its account, as tokens of OAuth are: a cluster has these on the coordinator.
    """

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="provider_tie"
    )
    issuer = models.TextField()
    subject = models.CharField(max_length=MAX_SUBJECT)
    digest = models.CharField(max_length=64, unique=True)  # of both
    # What the groups at the provider gave to the account, and take again: never what somebody here gave.
    rights = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(default=timezone.now)

    objects = ProviderTieQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"


def digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
