"""What Web Push stores of an account."""

import base64
import binascii
import datetime
import hashlib
from enum import Enum, auto
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection, models, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.browsers import name_of
from fitness.addresses import split
from fitness.days import ONE_DAY
from fitness.db.owned import Owned
from fitness.outbound import may_be_named
from fitness.web.local_time import zone_of

if TYPE_CHECKING:
    from accounts.models.account import Account

MAX_SUBSCRIPTIONS = 10
MAX_ENDPOINT = 1_000
MAX_FAILURES = 5  # one after another
POINT_BYTES, SECRET_BYTES = 65, 16


class Outcome(Enum):
    """What became of a message."""

    SENT = auto()
    GONE = auto()  # the subscription is over
    REFUSED = auto()  # the push service takes none from this service
    FAILED = auto()


class PushSubscriptionQuerySet(models.QuerySet["PushSubscription"]):
    def subscribe(self, account: "Account", endpoint: str, p256dh: str, auth: str, name: str) -> None:
        """Stores what a browser has subscribed, once; beyond MAX_SUBSCRIPTIONS the oldest ones go.

        Raises ValidationError for what no push service gives out.
        """
        check_endpoint(endpoint)
        check_bytes(p256dh, POINT_BYTES)
        check_bytes(auth, SECRET_BYTES)
        with transaction.atomic():
            account.lock()
            self.update_or_create(
                account=account,
                digest=hashlib.sha256(endpoint.encode()).hexdigest(),
                defaults={
                    "endpoint": endpoint,
                    "p256dh": p256dh,
                    "auth": auth,
                    "name": name,
                    "refused_at": None,
                    "failures": 0,
                },
            )
            mine = self.filter(account=account)
            kept = mine.order_by("-created_at", "-id").values_list("pk", flat=True)[:MAX_SUBSCRIPTIONS]
            mine.exclude(pk__in=list(kept)).order_by()._raw_delete(connection.alias)


class PushSubscription(Owned):
    """A browser of an account that takes messages while it is closed."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="push_subscriptions", db_index=False
    )
    endpoint = models.CharField(max_length=MAX_ENDPOINT)  # whoever knows it and the keys may send messages
    digest = models.CharField(max_length=64)  # of the endpoint
    p256dh = models.CharField(max_length=90)  # the browser's public key, in base64url as browsers write it
    auth = models.CharField(max_length=30)
    name = models.CharField(max_length=300)  # the User-Agent
    created_at = models.DateTimeField(default=timezone.now)
    refused_at = models.DateTimeField(null=True)  # since when its push service has refused all messages
    failures = models.PositiveSmallIntegerField(db_default=0, default=0)  # one after another

    objects = PushSubscriptionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "digest"], name="one_push_subscription")]

    def __str__(self) -> str:
        return urlsplit(self.endpoint).hostname or ""

    @property
    def browser(self) -> str:
        return name_of(self.name)

    def learn(self, outcome: Outcome) -> None:
        """Deletes a subscription that is over; stores since when one is refused, or how often it fails."""
        if outcome is Outcome.GONE:
            self.delete()
        elif outcome is Outcome.FAILED:
            fails_again = self.stored.filter(failures__lt=MAX_FAILURES - 1)
            if not fails_again.update(failures=F("failures") + 1):
                self.delete()
        elif outcome is Outcome.REFUSED and not self.refused_at:
            self.stored.update(refused_at=timezone.now())
        elif outcome is Outcome.SENT:
            self.stored.exclude(refused_at=None, failures=0).update(refused_at=None, failures=0)


def check_endpoint(endpoint: str) -> None:
    """Raises ValidationError unless it is https, of a name, at port 443. `sending` looks where it leads."""
    parts = split(endpoint)
    is_plain = endpoint.isascii() and endpoint.isprintable() and " " not in endpoint
    is_right = parts is not None and may_be_named(parts) and not parts.fragment
    if not (is_plain and is_right and len(endpoint) <= MAX_ENDPOINT):
        raise ValidationError(_("This is no address of a push service."))


def check_bytes(text: str, length: int) -> None:
    """Raises ValidationError unless the text is so many bytes in base64url."""
    try:
        is_right = text.isascii() and len(decoded(text)) == length
    except (binascii.Error, ValueError):
        is_right = False
    if not is_right:
        raise ValidationError(_("These are no keys of a subscription."))


def decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


class AlarmQuerySet(models.QuerySet["Alarm"]):
    def soon(self, seconds: float) -> "list[Alarm]":
        """Those of all accounts that ring within so many seconds, or should have, with their accounts."""
        until = timezone.now() + datetime.timedelta(seconds=seconds)
        return list(self.filter(due_at__lte=until).select_related("account").order_by("due_at"))

    def rest(self, account: "Account", seconds: int) -> None:
        """Rings when so many seconds of a rest are over, in place of an earlier alarm."""
        self.put(account, Alarm.Kind.REST, timezone.now() + datetime.timedelta(seconds=seconds))

    def remind(self, account: "Account", hour: int) -> None:
        """Rings each day at an hour of the account's clocks."""
        self.put(account, Alarm.Kind.REMINDER, next_hour(hour, zone_of(account.time_zone)), hour)

    def put(
        self, account: "Account", kind: "Alarm.Kind", due_at: datetime.datetime, hour: int | None = None
    ) -> None:
        with transaction.atomic():
            account.lock()
            self.update_or_create(account=account, kind=kind, defaults={"due_at": due_at, "hour": hour})

    def cancel(self, account: "Account", kind: "Alarm.Kind") -> None:
        self.filter(account=account, kind=kind)._raw_delete(connection.alias)


class Alarm(Owned):
    """A moment at which the browsers of an account get a message. An account has one of each kind."""

    class Kind(models.TextChoices):
        REST = "rest", "End of a rest"
        REMINDER = "reminder", "Reminder on planned days"

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="alarms", db_index=False
    )
    kind = models.CharField(max_length=10, choices=Kind)
    due_at = models.DateTimeField(db_index=True)
    hour = models.PositiveSmallIntegerField(null=True)  # of a reminder, on the clocks of the account

    objects = AlarmQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "kind"], name="one_alarm_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} at {self.due_at:%H:%M:%S}"

    def take(self) -> bool:
        """Takes the alarm of a rest away, or moves a reminder to its next day.

        False where another worker was quicker, or the alarm was changed or cancelled since it was read.
        """
        unchanged = self.stored.filter(due_at=self.due_at)
        if self.hour is None:
            return bool(unchanged._raw_delete(connection.alias))
        return bool(unchanged.update(due_at=next_hour(self.hour, zone_of(self.account.time_zone))))


def next_hour(hour: int, zone: datetime.tzinfo) -> datetime.datetime:
    """When clocks of a zone show an hour next, in UTC."""
    now = timezone.now()
    today = now.astimezone(zone).date()
    days = (today, today + ONE_DAY)
    moments = (datetime.datetime.combine(day, datetime.time(hour), zone) for day in days)
    return next(moment for moment in moments if moment > now).astimezone(datetime.UTC)
