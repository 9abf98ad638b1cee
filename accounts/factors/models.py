"""What proves, besides the password, that somebody is the owner of an account.

Each is an Owned: a sign-in writes them, which on a cluster must not need every node.
"""

import datetime
import hashlib
import logging
import secrets
import time
from base64 import b32encode
from typing import TYPE_CHECKING, Self
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone
from django_otp.models import Device, ThrottlingMixin, TimestampMixin
from django_otp.oath import TOTP
from uuid_utils.compat import uuid7

from accounts import audit
from accounts.factors.sealing import Unreadable, seal, unseal
from fitness.db.owned import Owned

if TYPE_CHECKING:
    from accounts.models.account import Account

log = logging.getLogger("fitness.accounts")

SECRET_BYTES = 20  # the length of HMAC-SHA-1, which RFC 4226 recommends
STEP_SECONDS = 30
TOLERANCE = 1  # steps by which the clock of a phone may be wrong
MAX_COUNTED_FAILURES = 11  # the pause doubles with each, up to 17 minutes
RECOVERY_CODES = 10
RECOVERY_CODE_LENGTH = 16
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without what is confused on paper: i, l, o, 0, 1
MAX_PASSKEYS = 20


class AuthenticatorQuerySet(models.QuerySet["Authenticator"]):
    def verify(self, account: "Account", code: str) -> bool:
        """Whether the code is one of the account's app that was not used before. Two at once wait here."""
        with transaction.atomic():
            authenticator = self.select_for_update().filter(account=account).first()
            return authenticator is not None and authenticator.verify_token(code)


# Device and its mixins are untyped, so to mypy they are Any.
class Authenticator(Owned, TimestampMixin, ThrottlingMixin, Device):  # type: ignore[misc]
    """An authenticator app: it shows a code of six digits that changes every 30 seconds (TOTP, RFC 6238).

    django-otp's own device keeps its secret in the clear, so only its parts are used. They pause after each
    wrong code, twice as long each time, from whatever addresses the codes come.
    """

    # Fields of Device: an app belongs to `account`, and is stored once it is confirmed.
    user = name = confirmed = None
    account = models.OneToOneField(
        "accounts.Account", on_delete=models.CASCADE, primary_key=True, related_name="authenticator"
    )
    sealed_secret = models.CharField(max_length=200)
    # In place of the mixin's, which a restore would set to its own time.
    created_at = models.DateTimeField(default=timezone.now)
    last_step = models.BigIntegerField()  # that of the last code: it and those before it are not taken again

    objects = AuthenticatorQuerySet.as_manager()

    def __str__(self) -> str:
        return "authenticator app"

    def get_throttle_factor(self) -> int:
        return 1

    def throttle_increment(self, commit: bool = True) -> None:
        """Without a limit, somebody with the password could shut the app of its owner out for years."""
        super().throttle_increment(commit=False)
        self.throttling_failure_count: int = min(self.throttling_failure_count, MAX_COUNTED_FAILURES)
        if commit:
            self.save()

    def forget_times_ahead(self) -> None:
        """Counts times of a clock that ran ahead as now: until then no code would be taken."""
        now = timezone.now()
        failed_at = self.throttling_failure_timestamp
        if failed_at and failed_at > now:
            self.throttling_failure_timestamp: datetime.datetime | None = now
            self.save()
        if self.last_step > current_step() + TOLERANCE:
            self.last_step = current_step() - TOLERANCE - 1

    def is_readable(self) -> bool:
        """Whether SECRET_KEY, or one of its fallbacks, has sealed the secret."""
        try:
            unseal(self.sealed_secret)
        except Unreadable:
            return False
        return True

    def verify_token(self, token: str) -> bool:
        """Whether the code is right. Stores that it is used, or that it was wrong."""
        self.forget_times_ahead()
        is_allowed, _ = self.verify_is_allowed()
        if not is_allowed:
            return False
        try:
            secret = unseal(self.sealed_secret)
        except Unreadable:
            log.error("SECRET_KEY does not open the secret of an authenticator: was it changed?")
            return False
        step = step_of(secret, token, after=self.last_step)
        if step is None:
            self.throttle_increment(commit=False)
        else:
            self.last_step, self.sealed_secret = step, seal(secret)  # with the newest SECRET_KEY
            self.throttle_reset(commit=False)
            self.set_last_used_timestamp(commit=False)
        self.save()
        return step is not None


def current_step() -> int:
    return int(time.time()) // STEP_SECONDS


def step_of(secret: bytes, code: str, after: int = -1) -> int | None:
    """The step of 30 seconds, of those around now and behind `after`, whose code this is; or None."""
    totp = TOTP(secret)
    totp.time = time.time()
    if code.isascii() and code.isdecimal() and totp.verify(int(code), TOLERANCE, after + 1):
        step: int = totp.t()
        return step
    return None


def provisioning_address(account: "Account", secret: bytes) -> str:
    """What the QR code holds, in the form that all apps read."""
    issuer = settings.SERVICE_NAME
    values = {"secret": b32encode(secret).decode(), "issuer": issuer}
    return f"otpauth://totp/{quote(f'{issuer}:{account.email}')}?{urlencode(values, quote_via=quote)}"


class RecoveryCodeQuerySet(models.QuerySet["RecoveryCode"]):
    def unused(self) -> Self:
        return self.filter(used_at=None)

    def replace(self, account: "Account") -> list[str]:
        """Stores new codes in place of all others; returns their texts, which are stored nowhere."""
        codes = [generate_recovery_code() for _ in range(RECOVERY_CODES)]
        with transaction.atomic():
            account.lock()
            self.filter(account=account).delete()
            self.bulk_create(self.model(account=account, digest=recovery_digest(code)) for code in codes)
            audit.log_event(audit.Event.RECOVERY_CODES_MADE, account)
        return codes

    def use(self, account: "Account", code: str) -> bool:
        """Whether the code is one of the account, and unused. One UPDATE decides between two at once."""
        with transaction.atomic():
            unused = self.unused().filter(account=account, digest=recovery_digest(code))
            is_used = unused.update(used_at=timezone.now()) == 1
            if is_used:
                audit.log_event(audit.Event.RECOVERY_CODE_USED, account)
        return is_used


class RecoveryCode(Owned):
    """A code for one sign-in without the other factors, for who has lost them.

    Only its SHA-256 is stored. A slow hash protects what people make up; these have 79 random bits, which
    nobody tries through. They need no SECRET_KEY either, so they work after a restore without it.
    """

    account = models.ForeignKey(
        "accounts.Account", on_delete=models.CASCADE, related_name="recovery_codes", db_index=False
    )
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    objects = RecoveryCodeQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "digest"], name="recovery_code_once")]

    def __str__(self) -> str:
        return "recovery code"


def generate_recovery_code() -> str:
    text = "".join(secrets.choice(ALPHABET) for _ in range(RECOVERY_CODE_LENGTH))
    return "-".join(text[start : start + 4] for start in range(0, len(text), 4))


def recovery_digest(code: str) -> str:
    """The digest of a code as people type it: with or without hyphens and spaces, in any case."""
    return hashlib.sha256("".join(filter(str.isalnum, code.lower())).encode()).hexdigest()


class Passkey(Owned):
    """A key pair of a device or a password manager (WebAuthn); here is its public half.

    The owner unlocks it by finger, face or PIN. So it is two factors in one, and signs in without a password.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        "accounts.Account", on_delete=models.CASCADE, related_name="passkeys", db_index=False
    )
    name = models.CharField(max_length=100)
    credential_id = models.CharField(max_length=1400)  # base64url, as the public key
    public_key = models.TextField()
    transports = models.JSONField(default=list)
    sign_count = models.BigIntegerField()  # grows with each use, or stays 0
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["account", "credential_id"], name="passkey_once")]

    def __str__(self) -> str:
        return self.name

    def store_use(self, sign_count: int) -> bool:
        """Stores a use, unless another one was stored since the passkey was read. Returns whether it did."""
        unchanged = self.stored.filter(sign_count=self.sign_count)
        return unchanged.update(sign_count=sign_count, last_used_at=timezone.now()) == 1
