"""An account, its lock and its change stamps."""

import datetime
import logging
import secrets
import time
from contextlib import suppress
from typing import Any, TypedDict

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, make_password
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models, transaction
from django.db.models import Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from uuid_utils.compat import uuid7

from accounts import audit, keys
from accounts.first_account import FirstAccount
from accounts.models.api_key import MAX_ACTIVE_KEYS, MAX_HINT, ApiKey, expires_at
from accounts.models.calendar_feed import AlreadyMade, CalendarFeed
from accounts.oauth.models import OAuthClient
from fitness import logs
from fitness.api.exceptions import StorageFull
from fitness.db.constants import adapted
from fitness.db.owned import Owned

log = logging.getLogger("fitness.accounts")

REST_SECONDS = 120
CLOCK_TOLERANCE = 5 * 60 * 1_000_000  # microseconds that change stamps may be ahead of the clock


class Rack(TypedDict):
    """What a barbell is loaded with, in one unit: the plates from the heaviest on, as many as are needed."""

    bar: float
    plates: list[float]


# As RACKS in training/static/training/train/plates.js.
USUAL_RACKS: dict[str, Rack] = {
    "kg": {"bar": 20, "plates": [25, 20, 15, 10, 5, 2.5, 1.25]},
    "lb": {"bar": 45, "plates": [45, 35, 25, 10, 5, 2.5]},
}

# A transaction that changes workouts, plans or goals takes the next stamp first. Its row lock serialises the
# account, and makes stamps increase strictly in the order of commits: neither a clock nor a sequence does.
STAMP_SQL = {
    vendor: (
        f"UPDATE accounts_accountstate SET last_change = {greatest}(last_change + %s, %s), "
        "workout_count = workout_count + %s, stored_bytes = stored_bytes + %s "
        "WHERE account_id = %s RETURNING last_change, stored_bytes + file_bytes"
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
        raise ValidationError(_("Enter a valid email address.")) from None


# An account that `issue_key` made and that nothing but its keys opens.
UNCLAIMED = Q(
    is_unclaimed=True,
    password__startswith=UNUSABLE_PASSWORD_PREFIX,
    is_staff=False,
    is_superuser=False,
)


class AccountManager(BaseUserManager["Account"]):
    """Leaves out deleted accounts, whose own row is the last one that the worker deletes."""

    def get_queryset(self) -> models.QuerySet["Account"]:
        return super().get_queryset().filter(deleted_at=None)

    def deleted(self) -> models.QuerySet["Account"]:
        return self.model._base_manager.exclude(deleted_at=None)

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
        """Whether people may create accounts uninvited: if SIGN_UP is open, and while there is no account.

        One that `issue_key` made does not count before somebody opens it.
        """
        return settings.SIGN_UP == "open" or not self.exclude(UNCLAIMED).exists()

    def still_may_sign_up(self) -> bool:
        """Like `may_sign_up`, but no other transaction creates the first account before this one ends."""
        if settings.SIGN_UP != "open" and connection.vendor == "postgresql":  # SQLite has one writer anyway
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE accounts_account IN SHARE ROW EXCLUSIVE MODE")
        return self.may_sign_up()

    def may_claim(self) -> bool:
        """Whether somebody at this machine may sign up with the email of an account that `issue_key` made.

        Not where others tell who somebody is, nor where the service is published: there requests of strangers
        may come from this machine, too.
        """
        return not (
            settings.AUTH_HEADER or settings.OIDC_ISSUER or settings.PUBLIC_URL or settings.TRUSTED_PROXIES
        )

    def unclaimed(self) -> models.QuerySet["Account"]:
        """The accounts that somebody at this machine may sign up with."""
        return self.filter(UNCLAIMED, is_active=True)

    def claim(self, newcomer: "Account") -> "Account | None":
        """Gives the unclaimed account with the email of a new one the password of that, and what else it has.

        One UPDATE decides between two at once: None for the second, and where there is no such account.
        """
        given = {"display_name": newcomer.display_name} if newcomer.display_name else {}
        is_claimed = (
            self.unclaimed()
            .filter(email=newcomer.email)
            .update(
                password=newcomer.password,
                is_unclaimed=False,
                time_zone=newcomer.time_zone,
                language=newcomer.language,
                **given,
            )
        )
        return self.get(email=newcomer.email) if is_claimed else None


class Account(AbstractBaseUser, PermissionsMixin):
    """A person with training data; signs in by email."""

    class Gender(models.TextChoices):
        MALE = "male", gettext_lazy("Male")
        FEMALE = "female", gettext_lazy("Female")
        OTHER = "other", pgettext_lazy("gender", "Other")

    class TrainingGoal(models.TextChoices):
        CUT = "cut", pgettext_lazy("goal of training", "Cut")
        RECOMP = "recomp", pgettext_lazy("goal of training", "Recomp")
        BULK = "bulk", pgettext_lazy("goal of training", "Bulk")
        MAINTAIN = "maintain", pgettext_lazy("goal of training", "Maintain")

    class Units(models.TextChoices):
        KG = "kg", gettext_lazy("Kilograms (kg)")
        LB = "lb", gettext_lazy("Pounds (lb)")

    class Theme(models.TextChoices):
        DEVICE = "", gettext_lazy("As the device")
        LIGHT = "light", gettext_lazy("Light")
        DARK = "dark", gettext_lazy("Dark")

    class Weekday(models.IntegerChoices):
        MONDAY = 1, gettext_lazy("Monday")
        SATURDAY = 6, gettext_lazy("Saturday")
        SUNDAY = 7, gettext_lazy("Sunday")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(
        unique=True,
        validators=[has_domain],
        error_messages={"unique": gettext_lazy("There is an account with this email.")},
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
    # One of LANGUAGES, in which screens and mails are; empty: the one that the browser proposes.
    language = models.CharField(max_length=7, blank=True, default="", db_default="")
    theme = models.CharField(max_length=5, choices=Theme, blank=True, default=Theme.DEVICE, db_default="")
    first_weekday = models.PositiveSmallIntegerField(  # of calendars; weeks of totals begin on Monday
        choices=Weekday, default=Weekday.MONDAY, db_default=Weekday.MONDAY
    )
    # After a set of an exercise that was not trained yet; each keeps its own from then on.
    rest_seconds = models.PositiveSmallIntegerField(default=REST_SECONDS, db_default=REST_SECONDS)
    racks: "models.JSONField[dict[str, Rack] | None, dict[str, Rack] | None]" = models.JSONField(
        null=True, editable=False
    )  # of its own, by the unit
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_login = None  # stored in AccountState
    # When somebody opened the link that was mailed to the email; the email works without, too.
    email_confirmed_at = models.DateTimeField(null=True, editable=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    # `issue_key` has made it, and nobody has signed in to it or set its password since.
    is_unclaimed = models.BooleanField(default=False, db_default=False, editable=False)
    is_demo = models.BooleanField(default=False, editable=False)  # seed_demo replaces the data of these only
    # Until an archive is restored, records of other sources are refused (BeingRestored).
    is_being_restored = models.BooleanField(default=False, db_default=False, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)  # set: AccountManager hides the account

    objects = AccountManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.email

    def clean(self) -> None:
        self.email = normalize_email(self.email)

    def save(self, **options: Any) -> None:
        """Stores the account; a new one with its AccountState. From then on none is the first one."""
        if not self._state.adding:
            super().save(**options)
            return
        with transaction.atomic():
            super().save(**options)
            AccountState.objects.create(account=self)
            FirstAccount.objects.close()

    def set_password(self, raw_password: str | None) -> None:
        super().set_password(raw_password)
        self.is_unclaimed = self.is_unclaimed and raw_password is None

    @property
    def rack(self) -> Rack:
        """What the account loads a barbell with, in its unit."""
        return (self.racks or {}).get(self.units, USUAL_RACKS[self.units])

    @property
    def must_have_factor(self) -> bool:
        """Whether REQUIRE_SECOND_FACTOR is about this account."""
        of_staff = settings.REQUIRE_SECOND_FACTOR == "staff" and (self.is_staff or self.is_superuser)
        return of_staff or settings.REQUIRE_SECOND_FACTOR == "everyone"

    @property
    def may_use_password(self) -> bool:
        """Whether a password signs it in: with OIDC_ONLY those of staff alone do, set by a command."""
        return not settings.OIDC_ONLY or self.is_staff or self.is_superuser

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

    def mark_deleted(self) -> None:
        """Leaves of the account nothing but an id, to which its rows refer until they are deleted.

        Without its AccountState, `lock` and `stamp` raise DoesNotExist. In a transaction of the caller.
        """
        Account._base_manager.filter(pk=self.pk).update(
            deleted_at=timezone.now(),
            email=f"{secrets.token_hex(16)}@deleted.invalid",  # its own may sign up again
            password=make_password(None),
            email_confirmed_at=None,
            is_active=False,
            is_staff=False,
            is_superuser=False,
            display_name="",
            height_cm=None,
            birth_date=None,
            gender=None,
        )
        self.groups.clear()
        self.user_permissions.clear()
        AccountState.objects.filter(account=self)._raw_delete(connection.alias)

    def revoke_keys(self) -> None:
        """Revokes all keys and connections that are not revoked yet, and ends the calendar, for staff."""
        with transaction.atomic():
            self.lock()  # whoever issues a key waits
            self.authorization_codes.filter(connection=None).delete()
            for key in self.api_keys.filter(revoked_at=None):
                key.revoke(by_staff=True)
            self.end_calendar()

    def store_password(self, event: audit.Event, *, keep_session: str | None = None) -> None:
        """Stores a password that was set, and ends what the old one had opened: sessions and connections.

        Keys stay. In a transaction of its own, or of a caller who has locked the account.
        """
        with transaction.atomic():
            self.lock()
            self.save(update_fields=["password", "is_unclaimed"])
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
        return adapted(self.pk)

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

    def count_files(self, *, adding: int = 0) -> None:
        """Counts what the account's imports and files take, after a change of them.

        Raises StorageFull if there is no room for `adding` bytes.
        """
        with transaction.atomic():
            self.lock()
            files = self.stored_files.aggregate(bytes=Sum("size", default=0))["bytes"]
            files += self.import_runs.aggregate(bytes=Sum("stored_bytes", default=0))["bytes"]
            self.state.stored.update(file_bytes=files)
            if adding:
                self.state.refresh_from_db(fields=["stored_bytes"])
                total, limit = self.state.stored_bytes + files + adding, settings.ACCOUNT_STORAGE_MB
                if 0 < limit * 1_000_000 < total:
                    raise StorageFull(limit)

    def issue_key(
        self, name: str, scope: str, expires: str, *, may_correct: bool = False, by_staff: bool = False
    ) -> tuple[str, ApiKey]:
        """Creates a key with a Scope and an Expires of ApiKey. Returns its text and its ApiKey.

        The text is stored nowhere. Raises ValidationError if the account has MAX_ACTIVE_KEYS already, and
        for a key that may only read and is to correct.
        """
        if may_correct and scope != ApiKey.Scope.READ_WRITE:
            raise ValidationError(_("A key that may correct and delete needs read and write."))
        key = keys.generate()
        with transaction.atomic():
            self.lock()
            if self.api_keys.pasted().active().count() >= MAX_ACTIVE_KEYS:
                text = _("An account can hold %(count)s active keys. Revoke one that you no longer use.")
                raise ValidationError(text % {"count": MAX_ACTIVE_KEYS})
            api_key = self.api_keys.create(
                name=name,
                scope=scope,
                may_correct=may_correct,
                expires_at=expires_at(expires),
                hint=keys.hint(key),
                digest=keys.digest(key),
                issued_by_staff=by_staff,
            )
            event = audit.Event.KEY_ISSUED_BY_STAFF if by_staff else audit.Event.KEY_CREATED
            audit.log_event(event, self, key=api_key.hint, detail=api_key.rights)
        return key, api_key

    def make_calendar(self) -> str:
        """Makes the calendar feed of the account. Returns the token of its address, which is stored nowhere.

        Raises AlreadyMade.
        """
        token = keys.generate(keys.CALENDAR_PREFIX)
        with transaction.atomic():
            self.lock()
            feeds = CalendarFeed.objects.filter(account=self)
            if feeds.exists():
                raise AlreadyMade
            feeds.create(account=self, digest=keys.digest(token))
            audit.log_event(audit.Event.CALENDAR_MADE, self)
        return token

    def end_calendar(self) -> bool:
        """Ends the calendar feed, whose address is unknown from then on. False if there is none."""
        with transaction.atomic():
            feeds = CalendarFeed.objects.filter(account=self)
            is_ended = bool(feeds._raw_delete(connection.alias))
            if is_ended:
                audit.log_event(audit.Event.CALENDAR_ENDED, self)
        return is_ended

    def connect(
        self, client: OAuthClient, scope: str, expires: str, host: str, *, may_correct: bool = False
    ) -> ApiKey:
        """Makes the connection of an OAuth client, with a Scope and an Expires of ApiKey.

        `host` names the place that the person's browser returned to. The caller has locked the account.
        """
        made: ApiKey = self.api_keys.create(
            name=client.name,
            scope=scope,
            may_correct=may_correct,
            expires_at=expires_at(expires),
            hint=host if len(host) <= MAX_HINT else f"…{host[1 - MAX_HINT :]}",
            client=client,
        )
        detail = f"{client.name}\n{made.rights}"
        audit.log_event(audit.Event.CONNECTION_MADE, self, key=made.hint, detail=detail)
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
    file_bytes = models.BigIntegerField(db_default=0, editable=False)  # of imports, and of files for a day
    last_login = models.DateTimeField(null=True, editable=False)

    def __str__(self) -> str:
        return f"{self.workout_count} workouts"


def store_last_login(user: Account, **_: Any) -> None:
    """Receives `user_logged_in`."""
    AccountState.objects.filter(account=user).update(last_login=timezone.now())
    if user.is_unclaimed:  # once: each write of an account goes to every node of a cluster
        Account.objects.filter(pk=user.pk).update(is_unclaimed=False)


def from_microseconds(microseconds: int) -> datetime.datetime:
    """The UTC datetime of a number of microseconds since 1970."""
    return datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(microseconds=microseconds)
