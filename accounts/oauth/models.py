"""What OAuth stores. Of the texts of codes and tokens only hashes are stored, as of keys."""

import datetime
import re
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.utils import timezone

REFRESH_LIFETIME = datetime.timedelta(days=90)
NEVER_USED_FOR = datetime.timedelta(hours=24)
DELETED_AT_ONCE = 100
MAX_NAME = 100
MAX_ADDRESS = 500  # characters of an address to return to
MAX_CLIENT_ADDRESS = 64
CLIENT_ID = re.compile(rf"[!-~]{{1,{MAX_ADDRESS}}}")


class OAuthClientQuerySet(models.QuerySet["OAuthClient"]):
    def never_used(self) -> Self:
        """Those that anybody has registered long ago and nobody has connected."""
        return self.filter(created_at__lt=timezone.now() - NEVER_USED_FOR, connections=None, codes=None)

    def look_up(self, client_id: str) -> "OAuthClient | None":
        return self.filter(client_id=client_id).first() if CLIENT_ID.fullmatch(client_id) else None

    def delete_never_used(self) -> None:
        """Deletes at most DELETED_AT_ONCE of them."""
        unused = self.never_used().values_list("pk", flat=True)[:DELETED_AT_ONCE]
        if ids := list(unused):
            self.never_used().filter(pk__in=ids).delete()


class OAuthClient(models.Model):
    """A program that may ask people to connect it. Anybody may register one, under any name."""

    # A random text, or the address of the program's own document (client_documents.py).
    client_id = models.CharField(max_length=MAX_ADDRESS, unique=True)
    name = models.CharField(max_length=MAX_NAME)
    redirect_uris = models.JSONField()  # a list of addresses that the browser may return to
    created_at = models.DateTimeField(default=timezone.now)
    document_expires_at = models.DateTimeField(null=True)  # None for a registered one

    objects = OAuthClientQuerySet.as_manager()

    class Meta:
        verbose_name = "OAuth client"
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def has_document(self) -> bool:
        return self.document_expires_at is not None

    def has_document_of(self, moment: datetime.datetime) -> bool:
        """Whether what is stored of its document was to be kept until after the moment."""
        return self.document_expires_at is not None and self.document_expires_at > moment

    @property
    def document_host(self) -> str:
        """The host of the document: nobody else can claim it, as they can a name."""
        return urlsplit(self.client_id).hostname or ""


class AuthorizationCodeQuerySet(models.QuerySet["AuthorizationCode"]):
    def expired(self) -> Self:
        """Those to be deleted. A used one is kept for a day, so that a second use is noticed."""
        return self.filter(expires_at__lt=timezone.now() - datetime.timedelta(days=1))


class AuthorizationCode(models.Model):
    """What a person has allowed on the consent page, until the program exchanges it for tokens."""

    digest = models.CharField(max_length=64, unique=True)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="authorization_codes"
    )
    client = models.ForeignKey(OAuthClient, on_delete=models.CASCADE, related_name="codes")
    redirect_uri = models.CharField(max_length=MAX_ADDRESS)
    names_redirect_uri = models.BooleanField()  # whether the request did, so that the exchange must, too
    code_challenge = models.CharField(max_length=43)
    scope = models.CharField(max_length=10)  # an ApiKey.Scope
    may_correct = models.BooleanField(default=False, db_default=False)  # as that of an ApiKey
    expires = models.CharField(max_length=10)  # an ApiKey.Expires, of the connection
    expires_at = models.DateTimeField()
    # What the exchange has made; None before.
    connection = models.ForeignKey(
        "accounts.ApiKey", on_delete=models.CASCADE, null=True, related_name="codes"
    )

    objects = AuthorizationCodeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"code for {self.client}"


class OAuthTokenQuerySet(models.QuerySet["OAuthToken"]):
    def expired(self) -> Self:
        return self.filter(expires_at__lte=timezone.now())

    def windows(self) -> Self:
        """The refresh tokens that go on, one for each window of a program; renewed longest ago first."""
        unused = self.filter(kind=OAuthToken.Kind.REFRESH, used_at=None, expires_at__gt=timezone.now())
        return unused.order_by("expires_at", "pk")


class OAuthToken(models.Model):
    """An access token or a refresh token of a connection."""

    class Kind(models.TextChoices):
        ACCESS = "access"
        REFRESH = "refresh"

    kind = models.CharField(max_length=10, choices=Kind)
    digest = models.CharField(max_length=64, unique=True)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="oauth_tokens"
    )
    connection = models.ForeignKey("accounts.ApiKey", on_delete=models.CASCADE, related_name="tokens")
    expires_at = models.DateTimeField()
    # Tokens that a code is exchanged for have 1, those that a refresh token buys one more than it has.
    generation = models.IntegerField()
    used_at = models.DateTimeField(null=True)  # of a refresh token: when it bought tokens first
    # Whom the token was given to; empty where the request had no address.
    address = models.CharField(max_length=MAX_CLIENT_ADDRESS, default="", db_default="")

    objects = OAuthTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} token of {self.connection}"

    @property
    def renewed_at(self) -> datetime.datetime:
        """When a refresh token was given out."""
        return self.expires_at - REFRESH_LIFETIME
