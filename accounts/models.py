import datetime
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts import audit, keys
from accounts.factors.models import Authenticator, Passkey, RecoveryCode  # noqa: F401  (so that Django finds them)
from accounts.idempotency import IdempotentRequest
from accounts.imports.models import ImportFinding, ImportItem, ImportRun  # noqa: F401  (so that Django finds them)
from accounts.invitations import Invitation  # noqa: F401  (so that Django finds the model)
from accounts.key_days import KeyDay  # noqa: F401  (so that Django finds the model)
from accounts.key_use import KeyUse  # noqa: F401  (so that Django finds the model)
from accounts.oauth.models import AuthorizationCode, OAuthClient, OAuthToken  # noqa: F401  (so that Django finds them)
from accounts.sessions import Session  # noqa: F401  (so that Django finds the model)
from fitness import logs
from fitness.api.exceptions import ReusedIdempotencyKey, StorageFull
from fitness.db.owned import Owned
from fitness.db.prepared_queries import Placeholder, PreparedQuery
from fitness.db.writes import insert_new, update

log = logging.getLogger("fitness.accounts")

MAX_ACTIVE_KEYS = 10
MAX_ACTIVE_CONNECTIONS = 20
MAX_HINT = 64

CLOCK_TOLERANCE = 5 * 60 * 1_000_000  # microseconds that change stamps may be ahead of the clock
KEY_LIFETIME_DAYS = {"90d": 90, "1y": 365, "never": None}  # by ApiKey.Expires

# A transaction that changes workouts, plans or goals takes the next stamp first. Its row lock serialises the
# account, and makes stamps increase strictly in the order of commits: neither a clock nor a sequence does.
STAMP_SQL = {
    vendor: (
        f"UPDATE accounts_accountstate SET last_change = {greatest}(last_change + %s, %s), "
        "workout_count = workout_count + %s, stored_bytes = stored_bytes + %s "
        "WHERE account_id = %s RETURNING last_change, stored_bytes"
    )
    for vendor, greatest in {"postgresql": "greatest", "sqlite": "max"}.items()
}

LOCK_SQL = {
    "postgresql": "SELECT 1 FROM accounts_accountstate WHERE account_id = %s FOR NO KEY UPDATE",
    # A transaction is the only writer anyway.
    "sqlite": "SELECT 1 FROM accounts_accountstate WHERE account_id = %s",
}


def normalize_email(email: str | None) -> str:
    """The email as it is stored and compared: in lower case, its domain as mail servers have it.

    Other letters that mean the same domain make no other email. `has_domain` refuses what is no domain.
    """
    local, at, domain = (email or "").strip().lower().rpartition("@")
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode()
    return f"{local}{at}{domain}"


def has_domain(email: str) -> None:
    """A validator. Raises ValidationError for an email to whose domain no mail can be sent."""
    try:
        email.rpartition("@")[2].encode("idna")
    except UnicodeError:
        raise ValidationError("Enter a valid email address.") from None


class AccountManager(BaseUserManager["Account"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "Account":
        account = self.model(email=normalize_email(email), **fields)
        account.set_password(password)
        account.save(using=self._db)
        return account

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "Account":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, email: str | None) -> "Account":
        return self.get(email=normalize_email(email))

    def may_sign_up(self) -> bool:
        """Whether people may create accounts uninvited: if SIGN_UP is open, and while there is no account."""
        return settings.SIGN_UP == "open" or not self.exists()

    def still_may_sign_up(self) -> bool:
        """Like `may_sign_up`, but no other transaction creates the first account before this one ends."""
        if settings.SIGN_UP != "open" and connection.vendor == "postgresql":  # SQLite has one writer anyway
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE accounts_account IN SHARE ROW EXCLUSIVE MODE")
        return self.may_sign_up()


class Account(AbstractBaseUser, PermissionsMixin):
    """A person with training data; signs in by email."""

    class Gender(models.TextChoices):
        MALE = "male"
        FEMALE = "female"
        OTHER = "other"

    class TrainingGoal(models.TextChoices):
        CUT = "cut"
        RECOMP = "recomp"
        BULK = "bulk"
        MAINTAIN = "maintain"

    class Units(models.TextChoices):
        KG = "kg", "Kilograms (kg)"
        LB = "lb", "Pounds (lb)"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(
        unique=True,
        validators=[has_domain],
        error_messages={"unique": "There is an account with this email."},
    )
    display_name = models.CharField(max_length=200, blank=True)
    height_cm = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(30), MaxValueValidator(300)]
    )
    birth_date = models.DateField(null=True, blank=True)
    gender = models.CharField(max_length=10, choices=Gender, null=True, blank=True)
    goal = models.CharField(max_length=10, choices=TrainingGoal, default=TrainingGoal.MAINTAIN)
    units = models.CharField(max_length=2, choices=Units, default=Units.KG)  # of screens; the API has kg
    # The IANA name of the zone of screens, empty until one is chosen; the API has UTC.
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_login = None  # stored in AccountState
    # When somebody opened the link that was mailed to the email; the email works without, too.
    email_confirmed_at = models.DateTimeField(null=True, editable=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    is_demo = models.BooleanField(default=False, editable=False)  # seed_demo replaces the data of these only

    objects = AccountManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.email

    def clean(self) -> None:
        self.email = normalize_email(self.email)

    def save(self, **options: Any) -> None:
        """Stores the account; a new one with its AccountState."""
        if not self._state.adding:
            super().save(**options)
            return
        with transaction.atomic():
            super().save(**options)
            AccountState.objects.create(account=self)

    @property
    def must_have_factor(self) -> bool:
        """Whether REQUIRE_SECOND_FACTOR is about this account."""
        of_staff = settings.REQUIRE_SECOND_FACTOR == "staff" and (self.is_staff or self.is_superuser)
        return of_staff or settings.REQUIRE_SECOND_FACTOR == "everyone"

    def end_sessions(self, *, but: str | None = None) -> int:
        """Ends all sessions except the one with the key `but`. Returns how many ended."""
        ended, _ = self.sessions.exclude(session_key=but).delete()
        return ended

    def deactivate(self) -> None:
        """Ends the sessions of the account for good, and lets its keys and password rest."""
        with transaction.atomic():
            self.is_active = False
            self.save(update_fields=["is_active"])
            self.end_sessions()
            audit.log_event(audit.Event.ACCOUNT_DEACTIVATED, self)

    def reactivate(self) -> None:
        """Lets the keys and the password of the account work again."""
        with transaction.atomic():
            self.is_active = True
            self.save(update_fields=["is_active"])
            audit.log_event(audit.Event.ACCOUNT_REACTIVATED, self)

    def revoke_keys(self) -> None:
        """Revokes all keys and connections that are not revoked yet, for staff."""
        with transaction.atomic():
            self.lock()  # whoever issues a key waits
            self.authorization_codes.filter(connection=None).delete()
            for key in self.api_keys.filter(revoked_at=None):
                key.revoke(by_staff=True)

    def store_password(self, event: audit.Event, *, keep_session: str | None = None) -> None:
        """Stores a password that was set, and ends what the old one had opened: sessions and connections.

        Keys stay. In a transaction of its own, or of a caller who has locked the account.
        """
        with transaction.atomic():
            self.lock()
            self.save(update_fields=["password"])
            self.end_sessions(but=keep_session)
            self.authorization_codes.filter(connection=None).delete()
            for made in self.api_keys.connections().filter(revoked_at=None):
                made.revoke()
            audit.log_event(event, self)

    def lock(self) -> None:
        """Locks the account until commit: other transactions that lock or stamp it wait.

        Must come before any other statement of the transaction on the account's rows. Raises DoesNotExist
        for a deleted account.
        """
        with connection.cursor() as cursor:
            cursor.execute(LOCK_SQL[connection.vendor], [self.db_pk])
            if cursor.fetchone() is None:
                raise Account.DoesNotExist("the account was deleted in the meantime")

    @property
    def db_pk(self) -> Any:
        """The primary key as a parameter of SQL."""
        return self._meta.pk.get_db_prep_value(self.pk, connection)

    def stamp(self, count: int = 1, *, workouts: int = 0, stored_bytes: int = 0) -> list[datetime.datetime]:
        """Locks the account as `lock` does, and takes its next `count` change stamps.

        Returns them in order, as timestamps that no other transaction of this account has or will have.
        `workouts` and `stored_bytes` are what the transaction adds to the account; negative for deletions.
        Raises DoesNotExist for a deleted account, and StorageFull if it would grow beyond ACCOUNT_STORAGE_MB.
        """
        now = time.time_ns() // 1000
        with connection.cursor() as cursor:
            cursor.execute(STAMP_SQL[connection.vendor], [count, now, workouts, stored_bytes, self.db_pk])
            row = cursor.fetchone()
        if row is None:
            raise Account.DoesNotExist("the account was deleted in the meantime")
        last, total_bytes = row
        if stored_bytes > 0 and 0 < settings.ACCOUNT_STORAGE_MB * 1_000_000 < total_bytes:
            raise StorageFull(settings.ACCOUNT_STORAGE_MB)
        if last - now > CLOCK_TOLERANCE and logs.is_first_in(3600, "clock"):
            log.warning(
                "The clock ran %s s ahead, or runs behind: changes are stamped in the future until "
                "it gets there. Let NTP set it.",
                (last - now) // 1_000_000,
            )
        return [from_microseconds(last - count + 1 + index) for index in range(count)]

    def issue_key(
        self, name: str, scope: str, expires: str, *, by_staff: bool = False
    ) -> "tuple[str, ApiKey]":
        """Creates a key with a Scope and an Expires of ApiKey. Returns its text and its ApiKey.

        The text is stored nowhere. Raises ValidationError if the account has MAX_ACTIVE_KEYS already.
        """
        key = keys.generate()
        with transaction.atomic():
            self.lock()
            if self.api_keys.pasted().active().count() >= MAX_ACTIVE_KEYS:
                raise ValidationError(
                    f"An account can hold {MAX_ACTIVE_KEYS} active keys. Revoke one that you no longer use."
                )
            api_key = self.api_keys.create(
                name=name,
                scope=scope,
                expires_at=expires_at(expires),
                hint=keys.hint(key),
                digest=keys.digest(key),
                issued_by_staff=by_staff,
            )
            event = audit.Event.KEY_ISSUED_BY_STAFF if by_staff else audit.Event.KEY_CREATED
            audit.log_event(event, self, key=api_key.hint, detail=scope)
        return key, api_key

    def connect(self, client: OAuthClient, scope: str, expires: str, host: str) -> "ApiKey":
        """Makes the connection of an OAuth client, with a Scope and an Expires of ApiKey.

        `host` names the place that the person's browser returned to. The caller has locked the account.
        """
        made: ApiKey = self.api_keys.create(
            name=client.name,
            scope=scope,
            expires_at=expires_at(expires),
            hint=host if len(host) <= MAX_HINT else f"…{host[1 - MAX_HINT :]}",
            client=client,
        )
        audit.log_event(audit.Event.CONNECTION_MADE, self, key=made.hint, detail=f"{client.name}\n{scope}")
        return made


class AccountState(Owned):
    """What requests and sign-ins write of an account.

    A table of its own: on a cluster that of accounts is on every node, so that each write of it goes to all.
    """

    account = models.OneToOneField(Account, on_delete=models.CASCADE, primary_key=True, related_name="state")
    last_change = models.BigIntegerField(default=0, editable=False)  # microseconds since 1970
    # Totals of the account's workouts, which `Account.stamp` updates.
    workout_count = models.IntegerField(db_default=0, editable=False)
    stored_bytes = models.BigIntegerField(db_default=0, editable=False)
    last_login = models.DateTimeField(null=True, editable=False)

    def __str__(self) -> str:
        return f"{self.workout_count} workouts"


def store_last_login(user: Account, **_: Any) -> None:
    """Receives `user_logged_in`."""
    AccountState.objects.filter(account=user).update(last_login=timezone.now())


@PreparedQuery[AccountState]
def account_states(account: Placeholder) -> models.QuerySet[AccountState]:
    return AccountState.objects.filter(account=account)


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

    def look_up(self, key: str) -> "ApiKey | None":
        """The ApiKey of the text of a key, with its account; revoked and expired ones are returned, too."""
        found: list[ApiKey] = api_keys_by_digest(digest=keys.digest(key))
        return found[0] if found else None


# Fields that no request with a key reads. Every request would pay for these columns.
DEFERRED_KEY_FIELDS = ("digest", "name", "created_at", "issued_by_staff")
DEFERRED_ACCOUNT_FIELDS = ("password", "email_confirmed_at", "is_superuser", "is_staff", "is_demo")
DEFERRED_FIELDS = (*DEFERRED_KEY_FIELDS, *(f"account__{name}" for name in DEFERRED_ACCOUNT_FIELDS))


@PreparedQuery
def api_keys_by_digest(digest: Placeholder) -> models.QuerySet["ApiKey"]:
    return ApiKey.objects.select_related("account").defer(*DEFERRED_FIELDS).filter(digest=digest)


class ApiKey(models.Model):
    """A key to the data of one account. Of its text only the hash is stored.

    One with a `client` is a connection: it has no text but tokens (accounts/oauth), and opens /mcp alone. Its
    hint is the host that the browser returned to when it was made.
    """

    class Scope(models.TextChoices):
        READ = "read", "Read only"
        READ_WRITE = "read_write", "Read and write"

    class Expires(models.TextChoices):
        DAYS_90 = "90d", "90 days"
        YEAR = "1y", "One year"
        NEVER = "never", "Never"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=200)
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.READ)
    hint = models.CharField(max_length=MAX_HINT, editable=False)
    digest = models.CharField(max_length=64, unique=True, null=True, editable=False)
    client = models.ForeignKey(
        OAuthClient, on_delete=models.PROTECT, null=True, editable=False, related_name="connections"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    issued_by_staff = models.BooleanField(default=False, db_default=False, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint})"

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

    def run_once(
        self, idempotency_key: str, request_digest: str, act: Callable[[], tuple[int, str]]
    ) -> tuple[int, str, bool]:
        """Carries out a request unless it was carried out before with the same Idempotency-Key.

        `act()` carries it out and returns (status, id of the instance). Returns the same, now or of the first
        time, and whether it is a replay. The row that stores them is inserted before `act()` and in the same
        transaction: a retry at the same time waits for it, and a crash leaves neither row nor instance.
        Raises ReusedIdempotencyKey for another digest, and what `act` raises.
        """
        request = IdempotentRequest(
            account_id=self.account_id,
            api_key_id=self.pk,
            idempotency_key=idempotency_key,
            request_digest=request_digest,
        )
        with transaction.atomic():
            while not insert_new(request):
                same_key = IdempotentRequest.objects.filter(
                    account=self.account_id, api_key=self, idempotency_key=idempotency_key
                )
                same_key.expired().delete()
                if earlier := same_key.first():
                    if earlier.request_digest != request_digest:
                        raise ReusedIdempotencyKey()
                    return earlier.status, earlier.instance_id, True
            request.status, request.instance_id = act()
            update(request, ("status", "instance_id"))
        return request.status, request.instance_id, False


def expires_at(expires: str) -> datetime.datetime | None:
    """When a key that is created now expires, for one of ApiKey.Expires; None for never."""
    days = KEY_LIFETIME_DAYS[expires]
    return None if days is None else timezone.now() + datetime.timedelta(days=days)


def from_microseconds(microseconds: int) -> datetime.datetime:
    """The UTC datetime of a number of microseconds since 1970."""
    return datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(microseconds=microseconds)
