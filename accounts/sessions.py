"""Sessions in the database, each with its account and its browser: Django's own cannot be found by them.

SESSION_ENGINE names this module. A session that is used goes on: once a day its two weeks begin again. When
it was last seen is kept in memory and takes no statement: each process stores it once a minute.
"""

import datetime
import logging
import threading
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core import signing
from django.db import Error, models
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.browsers import name_of
from fitness.logs import client_address

if TYPE_CHECKING:
    from accounts.models.account import Account

log = logging.getLogger("fitness.accounts")

BROWSER, SIGNED_IN_AT = "browser", "signed_in_at"  # keys of a session's data
USED_ON = "used_on"
PROVIDER_SESSION = "provider_session"
STAFF_HOURS = 12  # in which a session of staff ends, used or not


class Session(AbstractBaseSession):
    """A session; `account` is None for that of a visitor."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="sessions"
    )
    browser = models.CharField(max_length=300, default="", db_default="")  # its User-Agent
    address = models.CharField(max_length=64, default="", db_default="")
    signed_in_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(null=True)
    # The hash of what names the provider's session by which this one began; "" for all others.
    provider_session = models.CharField(max_length=64, default="", db_default="")

    class Meta:
        verbose_name = "session"
        verbose_name_plural = "sessions"
        indexes = [
            models.Index(
                fields=["provider_session"],
                name="session_of_provider",
                condition=~models.Q(provider_session=""),
            )
        ]

    @classmethod
    def get_session_store_class(cls) -> type["SessionStore"]:
        return SessionStore

    @property
    def name(self) -> str:
        return name_of(self.browser)

    @property
    def mark(self) -> str:
        """What names the session on a page, where its key would open the account."""
        return salted_hmac("accounts.web.sessions", self.pk).hexdigest()[:32]

    def is_readable(self) -> bool:
        """Whether SECRET_KEY, or one of its fallbacks, has signed the data."""
        store = SessionStore()
        try:
            signing.loads(self.session_data, salt=store.key_salt, serializer=store.serializer)
        except signing.BadSignature:
            return False
        return True


class Sightings:
    """When this process saw sessions, and from which address, by their keys, as far as it is not stored."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[datetime.datetime, str]] = {}
        self.lock = threading.Lock()

    def add(self, session_key: str) -> None:
        with self.lock:
            self.seen[session_key] = timezone.now(), current_address()

    def take(self) -> dict[str, tuple[datetime.datetime, str]]:
        with self.lock:
            taken, self.seen = self.seen, {}
        return taken

    def store(self) -> None:
        """Stores them all; those that the database fails to store are forgotten."""
        seen = self.take()
        try:
            for session_key, (at, address) in seen.items():
                Session.objects.filter(pk=session_key).update(last_seen_at=at, address=address)
        except Error as error:
            log.warning("when %s sessions were seen is not stored: %s", len(seen), error)


unstored = Sightings()


def current_address() -> str:
    return (client_address.get() or "")[:64]


# The data are signed with the name of the class: another name would end all sessions.
class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def load(self) -> dict[str, Any]:
        data: dict[str, Any] = super().load()
        if SESSION_KEY in data:
            unstored.add(str(self.session_key))
            self.slide(data)
        return data

    def slide(self, data: dict[str, Any]) -> None:
        """Has the middleware store the session, and send its cookie, once a day: both last two weeks anew.

        Not that of staff, which has no such day.
        """
        today = timezone.now().date().isoformat()
        if data.get(USED_ON, today) != today:
            data[USED_ON], self.modified = today, True

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = cast(Session, super().create_model_instance(data))
        session.account_id = data.get(SESSION_KEY)
        session.browser = data.get(BROWSER, "")
        session.address = current_address()
        session.provider_session = data.get(PROVIDER_SESSION, "")
        if signed_in_at := data.get(SIGNED_IN_AT):
            session.signed_in_at = datetime.datetime.fromisoformat(signed_in_at)
        session.last_seen_at = timezone.now()
        return session


def describe_session(request: HttpRequest, user: "Account", **_: Any) -> None:
    """Receives `user_logged_in`."""
    now = timezone.now()
    request.session[BROWSER] = request.headers.get("User-Agent", "")[:300]
    request.session[SIGNED_IN_AT] = now.isoformat()
    if user.is_staff:
        request.session.set_expiry(now + datetime.timedelta(hours=STAFF_HOURS))
    else:
        request.session[USED_ON] = now.date().isoformat()
