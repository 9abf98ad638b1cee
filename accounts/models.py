import datetime
import logging
import time
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import OperationalError, connection, models, transaction
from django.db.models import Q
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts import audit, keys
from accounts.idempotency import IdempotentRequest  # noqa: F401  (so that Django finds the model)
from accounts.invitations import Invitation  # noqa: F401  (so that Django finds the model)
from fitness import logs
from fitness.api.exceptions import ReusedIdempotencyKey, StorageFull
from fitness.api.prepared_queries import PreparedQuery

log = logging.getLogger("fitness.accounts")

MAX_ACTIVE_KEYS = 10

CLOCK_TOLERANCE = 5 * 60 * 1_000_000  # microseconds that change stamps may be ahead of the clock

# Each writing transaction of an account takes the next stamp first: the row lock makes stamps
# strictly increase in commit order (no clock and no sequence does) and serialises the account.
STAMP_SQL = {
    vendor: (
        f"UPDATE accounts_account SET last_change = {greatest}(last_change + %s, %s), "
        "workout_count = workout_count + %s, stored_bytes = stored_bytes + %s "
        "WHERE id = %s RETURNING last_change, stored_bytes"
    )
    for vendor, greatest in {"postgresql": "greatest", "sqlite": "max"}.items()
}

LOCK_SQL = {
    "postgresql": "SELECT 1 FROM accounts_account WHERE id = %s FOR NO KEY UPDATE",
    "sqlite": "SELECT 1 FROM accounts_account WHERE id = %s",  # a transaction is the only writer anyway
}

KEPT_BY_STAMP = ("last_change", "workout_count", "stored_bytes")


class AccountManager(BaseUserManager):
    def create_user(self, email, password=None, **fields):
        account = self.model(email=normal_email(email), **fields)
        account.set_password(password)
        account.save(using=self._db)
        return account

    def create_superuser(self, email, password=None, **fields):
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, email):
        return self.get(email=normal_email(email))

    def may_sign_up(self) -> bool:
        """Whether anybody may make an account: where sign-up is open, and the first one everywhere."""
        return settings.SIGN_UP == "open" or not self.exists()

    def still_may_sign_up(self) -> bool:
        """The same, and nobody else makes the first account before this transaction ends."""
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
    email = models.EmailField(unique=True, error_messages={"unique": "There is an account with this email."})
    display_name = models.CharField(max_length=200, blank=True)
    height_cm = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(30), MaxValueValidator(300)]
    )
    birth_date = models.DateField(null=True, blank=True)
    gender = models.CharField(max_length=10, choices=Gender, null=True, blank=True)
    goal = models.CharField(max_length=10, choices=TrainingGoal, default=TrainingGoal.MAINTAIN)
    units = models.CharField(max_length=2, choices=Units, default=Units.KG)  # of the screens, never the wire
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_change = models.BigIntegerField(default=0, editable=False)  # microseconds since 1970
    # What the account's workouts come to; `stamp` keeps both.
    workout_count = models.IntegerField(db_default=0, editable=False)
    stored_bytes = models.BigIntegerField(db_default=0, editable=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    is_demo = models.BooleanField(default=False, editable=False)  # only such data may seed_demo replace

    objects = AccountManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self):
        return self.email

    def clean(self):
        self.email = normal_email(self.email)

    def save(self, **options):
        """Leaves what `stamp` keeps alone on an update: a stale copy must not take a stamp back."""
        if not self._state.adding:
            names = {field.name for field in self._meta.concrete_fields} - {"id", *KEPT_BY_STAMP}
            options = {"update_fields": names, **options}
        super().save(**options)

    def lock(self):
        """Locks the account's row until commit: other transactions that lock or stamp it wait.

        Must come before any other statement of the transaction on the account's rows. Raises DoesNotExist
        for a deleted account.
        """
        with connection.cursor() as cursor:
            account = self._meta.pk.get_db_prep_value(self.pk, connection)
            cursor.execute(LOCK_SQL[connection.vendor], [account])
            if cursor.fetchone() is None:
                raise Account.DoesNotExist("the account was deleted in the meantime")

    def stamp(self, count=1, *, workouts=0, stored_bytes=0):
        """Locks the account as `lock` does, and takes its next `count` change stamps.

        Returns them in order, as timestamps that no other transaction of this account has or will have.
        `workouts` and `stored_bytes` are what the transaction adds to the account, or takes away. Raises
        DoesNotExist for a deleted account, and StorageFull where it would grow beyond ACCOUNT_STORAGE_MB.
        """
        now = time.time_ns() // 1000
        with connection.cursor() as cursor:
            account = self._meta.pk.get_db_prep_value(self.pk, connection)
            cursor.execute(STAMP_SQL[connection.vendor], [count, now, workouts, stored_bytes, account])
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
        return [moment(last - count + 1 + index) for index in range(count)]

    def issue_key(self, name, scope, expires):
        """Makes a key. Returns (the key itself, its record); the text exists nowhere else.

        Raises ValidationError when the account already holds ten active keys.
        """
        key = keys.generate()
        with transaction.atomic():
            self.lock()
            if self.api_keys.active().count() >= MAX_ACTIVE_KEYS:
                raise ValidationError(
                    f"An account can hold {MAX_ACTIVE_KEYS} active keys. Revoke one that you no longer use."
                )
            api_key = self.api_keys.create(
                name=name,
                scope=scope,
                expires_at=expiry(expires),
                hint=keys.hint(key),
                digest=keys.digest(key),
            )
            audit.log_event("key created", self.pk, key=api_key.hint, scope=scope)
        return key, api_key


class ApiKeyQuerySet(models.QuerySet):
    def active(self):
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)

    def presented(self, key):
        """The record of a key that a client showed, with its account, or None."""
        return next(iter(with_digest(digest=keys.digest(key))), None)


# What no request of a key asks for; each column read costs every request.
NOT_OF_KEY = ("digest", "name", "created_at")
NOT_OF_ACCOUNT = (
    *("password", "last_login", "is_superuser", "is_staff", "is_demo"),
    *("last_change", "stored_bytes"),
)


@PreparedQuery
def with_digest(digest):
    left = (*NOT_OF_KEY, *(f"account__{name}" for name in NOT_OF_ACCOUNT))
    return ApiKey.objects.select_related("account").defer(*left).filter(digest=digest)


class ApiKey(models.Model):
    """A key to one account's records. Only its hash is kept."""

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
    hint = models.CharField(max_length=20, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at", "-id"]

    def __str__(self):
        return f"{self.name} ({self.hint})"

    @property
    def may_write(self):
        return self.scope == self.Scope.READ_WRITE

    @property
    def is_expired(self):
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def is_active(self):
        return not self.revoked_at and not self.is_expired

    @property
    def days_left(self):
        """Whole days until the key expires, rounded up; None for a key without an expiry."""
        if self.expires_at is None:
            return None
        return -((timezone.now() - self.expires_at) // datetime.timedelta(days=1))

    @property
    def state(self):
        if self.revoked_at:
            return "revoked"
        return "expired" if self.is_expired else "active"

    def revoke(self):
        """Ends the key for good. Revoking it again changes nothing."""
        with transaction.atomic():
            if ApiKey.objects.filter(pk=self.pk, revoked_at=None).update(revoked_at=timezone.now()):
                audit.log_event("key revoked", self.account_id, key=self.hint)

    def run_once(self, idempotency_key, request_digest, act):
        """(status, id of the record, whether it is a replay) of a request to be carried out only once.

        `act()` carries it out and returns (status, id of the record). The row that keeps them is made first
        and in the same transaction: a retry at the same time waits for it, and a crash leaves neither it nor
        what was stored. Raises ReusedIdempotencyKey for another digest, and whatever `act` raises.
        """
        with transaction.atomic():
            self.idempotent_requests.expired().delete()
            earlier, is_first = self.idempotent_requests.get_or_create(
                idempotency_key=idempotency_key, defaults={"request_digest": request_digest}
            )
            if earlier.request_digest != request_digest:
                raise ReusedIdempotencyKey()
            if is_first:
                earlier.status, earlier.instance_id = act()
                earlier.save(update_fields=["status", "instance_id"])
        return earlier.status, earlier.instance_id, not is_first

    def touch(self):
        """Notes that the key is in use, at most once a minute."""
        now, minute = timezone.now(), datetime.timedelta(minutes=1)
        if self.last_used_at is None or not now - minute < self.last_used_at <= now + minute:
            # In the future it was noted by a clock that ran ahead.
            unnoted = Q(last_used_at=None) | ~Q(last_used_at__gt=now - minute, last_used_at__lte=now + minute)
            try:
                with not_waiting_for_writers():
                    ApiKey.objects.filter(unnoted, pk=self.pk).update(last_used_at=now)
            except OperationalError as error:  # a note is no reason to refuse the request
                log.warning("the use of key %s is not noted: %s", self.hint, error)


@contextmanager
def not_waiting_for_writers():
    """On SQLite, lets a statement fail soon when another process holds the write lock."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    sqlite, usual = connection.connection, connection.settings_dict["OPTIONS"]["timeout"] * 1000
    sqlite.execute("PRAGMA busy_timeout = 50")
    try:
        yield
    finally:
        sqlite.execute(f"PRAGMA busy_timeout = {usual}")


def normal_email(email):
    return (email or "").strip().lower()


def expiry(expires):
    """The moment a key made now expires, for one of ApiKey.Expires; None for never."""
    days = {"90d": 90, "1y": 365, "never": None}[expires]
    return None if days is None else timezone.now() + datetime.timedelta(days=days)


def moment(microseconds):
    return datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(microseconds=microseconds)
