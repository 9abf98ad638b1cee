"""The keys of an account."""

import datetime
from collections.abc import Callable, Sequence
from typing import Self

from django.contrib.auth import get_user_model
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts import audit, keys
from accounts.idempotency import IdempotentRequest, steady_now
from accounts.key_days import KeyCounts
from accounts.oauth.models import OAuthClient
from fitness.api.exceptions import ReusedIdempotencyKey
from fitness.db.constants import adapted, loaded

MAX_ACTIVE_KEYS = 10
MAX_ACTIVE_CONNECTIONS = 20
MAX_HINT = 64

KEY_LIFETIME_DAYS = {"90d": 90, "1y": 365, "never": None}  # by ApiKey.Expires


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def active(self) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)

    def pasted(self) -> Self:
        """The keys that people paste into programs."""
        return self.filter(client=None)

    def connections(self) -> Self:
        """The connections that programs asked for (accounts/oauth)."""
        return self.filter(client__isnull=False)

    def with_use(self) -> Self:
        """Annotates `last_used_at`; None for a key that was never used."""
        return self.annotate(last_used_at=F("uses__last_used_at"))


# What requests with a key read of it and of its account.
KEY_FIELDS = ("id", "scope", "may_correct", "hint", "client_id", "expires_at", "revoked_at")
ACCOUNT_FIELDS = (
    *("id", "email", "display_name", "height_cm", "birth_date", "gender", "goal", "units", "time_zone"),
    *("language", "created_at", "is_active", "is_unclaimed", "is_being_restored", "deleted_at"),
)
KEY_AND_ACCOUNT = f"""SELECT {", ".join(f"api_key.{name}" for name in KEY_FIELDS)},
    {", ".join(f"account.{name}" for name in ACCOUNT_FIELDS)}
FROM accounts_apikey api_key JOIN accounts_account account ON account.id = api_key.account_id
"""
KEY_OF_DIGEST = f"{KEY_AND_ACCOUNT} WHERE api_key.digest = %s"
CONNECTION_OF_TOKEN = f"""{KEY_AND_ACCOUNT}
JOIN accounts_oauthtoken token ON token.connection_id = api_key.id AND token.account_id = api_key.account_id
WHERE token.digest = %s AND token.kind = 'access' AND token.expires_at > %s
"""


class ApiKey(models.Model):
    """A key to the data of one account. Of its text only the hash is stored.

    One with a `client` is a connection: it has no text but tokens (accounts/oauth), and opens /mcp alone. Its
    hint is the host that the browser returned to when it was made.
    """

    class Scope(models.TextChoices):
        READ = "read", gettext_lazy("Read only")
        READ_WRITE = "read_write", gettext_lazy("Read and write")

    class Expires(models.TextChoices):
        DAYS_90 = "90d", gettext_lazy("90 days")
        YEAR = "1y", gettext_lazy("One year")
        NEVER = "never", pgettext_lazy("expires", "Never")

    account = models.ForeignKey("accounts.Account", on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=200)
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.READ)
    # Whether its assistants get the tools that change and delete (mcp_endpoint/corrections.py).
    may_correct = models.BooleanField("may also correct and delete", default=False, db_default=False)
    hint = models.CharField(max_length=MAX_HINT, editable=False)
    digest = models.CharField(max_length=64, unique=True, null=True, editable=False)
    client = models.ForeignKey(
        OAuthClient, on_delete=models.PROTECT, null=True, editable=False, related_name="connections"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    issued_by_staff = models.BooleanField(default=False, db_default=False, editable=False)
    use: KeyCounts  # of the request that was authenticated with it, for CountKeyUse
    last_used_at: datetime.datetime | None  # of `with_use`

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(may_correct=False) | Q(scope="read_write"), name="correcting_key_may_write"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint})"

    @classmethod
    def look_up(cls, key: str) -> "ApiKey | None":
        """The ApiKey of the text of a key, with its account; revoked and expired ones are returned, too."""
        return cls.found(KEY_OF_DIGEST, [keys.digest(key)])

    @classmethod
    def of_token(cls, token: str) -> "ApiKey | None":
        """The connection of an access token that has not expired, with its account."""
        return cls.found(CONNECTION_OF_TOKEN, [keys.digest(token), adapted(timezone.now())])

    @classmethod
    def found(cls, sql: str, parameters: Sequence[str]) -> "ApiKey | None":
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            row = cursor.fetchone()
        if row is None:
            return None
        api_key = loaded(cls, KEY_FIELDS, row[: len(KEY_FIELDS)])
        api_key.account = loaded(get_user_model(), ACCOUNT_FIELDS, row[len(KEY_FIELDS) :])
        return api_key

    @property
    def rights(self) -> str:
        """What the key may do, for the audit trail."""
        return f"{self.scope}, may correct" if self.may_correct else self.scope

    @property
    def may_write(self) -> bool:
        return self.scope == self.Scope.READ_WRITE

    @property
    def is_connection(self) -> bool:
        return self.client_id is not None

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def is_active(self) -> bool:
        return not self.revoked_at and not self.is_expired

    @property
    def days_left(self) -> int | None:
        """Days until the key expires, rounded up; None for a key that does not expire."""
        if self.expires_at is None:
            return None
        return -((timezone.now() - self.expires_at) // datetime.timedelta(days=1))

    @property
    def state(self) -> str:
        if self.revoked_at:
            return "revoked"
        return "expired" if self.is_expired else "active"

    def revoke(self, *, by_staff: bool = False) -> None:
        """Revokes the key or ends the connection, which cannot be undone. Doing it again changes nothing."""
        with transaction.atomic():
            if ApiKey.objects.filter(pk=self.pk, revoked_at=None).update(revoked_at=timezone.now()):
                event = audit.Event.KEY_REVOKED_BY_STAFF if by_staff else audit.Event.KEY_REVOKED
                if self.is_connection:
                    event = audit.Event.CONNECTION_ENDED
                audit.log_event(event, self.account, key=self.hint)

    def allow_corrections(self, may_correct: bool) -> None:
        """Changes whether an active key with read and write scope may correct. Others stay as they are."""
        keys_to_change = ApiKey.objects.active().filter(
            pk=self.pk, scope=self.Scope.READ_WRITE, may_correct=not may_correct
        )
        with transaction.atomic():
            if keys_to_change.update(may_correct=may_correct):
                event = audit.Event.CORRECTIONS_ALLOWED if may_correct else audit.Event.CORRECTIONS_ENDED
                audit.log_event(event, self.account, key=self.hint)

    def carry_out_once(
        self, idempotency_key: str, request_digest: str, act: Callable[[], tuple[int, str]]
    ) -> tuple[int, str, bool]:
        """Carries out a request unless it was carried out before with the same Idempotency-Key.

        `act()` carries it out and returns (status, id of the instance). Returns the same, now or of the first
        time, and whether it is a replay. The row that stores them is inserted before `act()` and in the same
        transaction: a retry at the same time waits for it, and a crash leaves neither row nor instance.
        Raises ReusedIdempotencyKey for another digest, and what `act` raises.
        """
        same_key = IdempotentRequest.objects.filter(
            account=self.account_id, api_key=self, idempotency_key=idempotency_key
        )
        with transaction.atomic():
            same_key.expired().delete()
            request, is_new = same_key.get_or_create(
                account_id=self.account_id,
                api_key=self,
                idempotency_key=idempotency_key,
                defaults={"request_digest": request_digest, "created_at": steady_now()},
            )
            if is_new:
                request.status, request.instance_id = act()
                request.save(update_fields=["status", "instance_id"])
            elif request.request_digest != request_digest:
                raise ReusedIdempotencyKey()
        return request.status, request.instance_id, not is_new


def expires_at(expires: str) -> datetime.datetime | None:
    """When a key that is created now expires, for one of ApiKey.Expires; None for never."""
    days = KEY_LIFETIME_DAYS[expires]
    return None if days is None else timezone.now() + datetime.timedelta(days=days)
