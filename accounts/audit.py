"""The audit trail: who signed in, which keys were made, and what staff did to whom.

Each event is a row and a log line. A row keeps the emails of its account and of the member of staff who
acted, so that it can be found after both are deleted.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, models
from django.db.models import Q
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.addresses import is_number
from fitness.logs import client_address

log = logging.getLogger("fitness.audit")

# The member of staff whose request for the admin is being served.
actor: ContextVar[AbstractBaseUser | None] = ContextVar("actor", default=None)


class Event(models.TextChoices):
    SIGNED_UP = "signed up", "Signed up"
    SIGNED_IN = "signed in", "Signed in"
    SIGNED_OUT_BY_PROXY = "signed out by the proxy", "Signed out by the proxy"
    PROVIDER_TIED = "provider tied", "Provider tied"
    PROVIDER_UNTIED = "provider untied", "Provider untied"
    PROVIDER_REFUSED = "provider refused", "Provider refused"
    SIGN_IN_LOCKED = "sign-in locked", "Sign-in locked"
    PASSWORD_CHANGED = "password changed", "Password changed"
    RESET_ASKED = "reset asked for", "Reset asked for"
    PASSWORD_RESET = "password reset", "Password reset"
    EMAIL_CHANGE_ASKED = "email change asked for", "Email change asked for"
    EMAIL_CHANGED = "email changed", "Email changed"
    EMAIL_CONFIRMED = "email confirmed", "Email confirmed"
    SESSIONS_ENDED = "signed out elsewhere", "Signed out elsewhere"
    FACTOR_ADDED = "second factor added", "Second factor added"
    FACTOR_REMOVED = "second factor removed", "Second factor removed"
    FACTORS_RESET = "second factors reset", "Second factors reset"
    RECOVERY_CODES_MADE = "recovery codes made", "Recovery codes made"
    RECOVERY_CODE_USED = "recovery code used", "Recovery code used"
    INVITED = "invited", "Invited"
    INVITATION_USED = "invitation used", "Invitation used"
    INVITATION_WITHDRAWN = "invitation withdrawn", "Invitation withdrawn"
    KEY_CREATED = "key created", "Key created"
    KEY_REVOKED = "key revoked", "Key revoked"
    CONNECTION_MADE = "connection made", "Connection made"
    CONNECTION_ENDED = "connection ended", "Connection ended"
    CORRECTIONS_ALLOWED = "corrections allowed", "Corrections allowed"
    CORRECTIONS_ENDED = "corrections ended", "Corrections ended"
    CALENDAR_MADE = "calendar address made", "Calendar address made"
    CALENDAR_ENDED = "calendar address ended", "Calendar address ended"
    WINDOW_OPENED = "window opened", "Window opened"
    TOKEN_REUSED = "refresh token reused", "Refresh token reused"
    FILE_READ = "file read for import", "File read for import"
    FILE_IMPORTED = "file imported", "File imported"
    IMPORT_UNDONE = "import undone", "Import undone"
    ACCOUNT_DELETED = "account deleted", "Account deleted"
    ACCOUNT_ADDED_BY_STAFF = "account added by staff", "Account added by staff"
    ACCOUNT_CHANGED_BY_STAFF = "account changed by staff", "Account changed by staff"
    ACCOUNT_DEACTIVATED = "account deactivated", "Account deactivated"
    ACCOUNT_REACTIVATED = "account reactivated", "Account reactivated"
    ACCOUNT_DELETED_BY_STAFF = "account deleted by staff", "Account deleted by staff"
    RIGHTS_CHANGED = "rights changed", "Rights changed"
    PASSWORD_SET_BY_STAFF = "password set by staff", "Password set by staff"
    RESET_LINK_BY_STAFF = "reset link made by staff", "Reset link made by staff"
    SIGN_IN_LINK_BY_STAFF = "sign-in link made by staff", "Sign-in link made by staff"
    KEY_ISSUED_BY_STAFF = "key issued by staff", "Key issued by staff"
    KEY_REVOKED_BY_STAFF = "key revoked by staff", "Key revoked by staff"
    TASK_ENDED_BY_STAFF = "task ended by staff", "Task ended by staff"
    EXERCISE_ADDED = "exercise added", "Exercise added"
    EXERCISE_CHANGED = "exercise changed", "Exercise changed"
    EXERCISE_MERGED = "exercise merged", "Exercise merged"
    EXERCISE_RETIRED = "exercise retired", "Exercise retired"
    EXERCISE_REINSTATED = "exercise taken back", "Exercise taken back"
    EXERCISES_IMPORTED = "exercises imported", "Exercises imported"
    REFUSED = "refused", "Refused"


# With these an index of PostgreSQL finds the beginnings of texts in every collation; SQLite needs none.
BY_BEGINNING = ["varchar_pattern_ops", "timestamptz_ops", "uuid_ops"]


class AuditEvent(models.Model):
    """An event that staff must be able to look up, also after its account is deleted."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="audit_events"
    )
    email = models.CharField(max_length=254, blank=True, default="", db_default="")
    event = models.CharField(max_length=40, choices=Event)
    detail = models.TextField(blank=True, default="", db_default="")
    at = models.DateTimeField("time (UTC)", default=timezone.now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    actor_email = models.CharField("staff", max_length=254, blank=True, default="", db_default="")
    address = models.CharField(max_length=64, blank=True)
    key_hint = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="audit_newest"),
            models.Index(fields=["event", "-at", "-id"], name="audit_of_event"),
            models.Index(fields=["address", "-at", "-id"], name="audit_of_address"),
            models.Index(fields=["key_hint", "-at", "-id"], name="audit_of_key", opclasses=BY_BEGINNING),
            models.Index(fields=["email", "-at", "-id"], name="audit_of_email", opclasses=BY_BEGINNING),
        ]

    def __str__(self) -> str:
        return self.get_event_display()


def matching(term: str) -> Q:
    """The condition on events of an email or a hint of a key, or the beginning of one, or of an address.

    Which one follows from the form of the term, so that the database reads one index, also among millions of
    events.
    """
    term = term.strip()
    if term.startswith("svc_"):
        return beginning_with("key_hint", term)
    if is_number(term):
        return Q(address=term)
    return beginning_with("email", term.lower())


def beginning_with(field: str, text: str) -> Q:
    """The condition that a column begins with a text. SQLite uses no index for LIKE, but for a range."""
    if connection.vendor == "sqlite":
        return Q((f"{field}__gte", text), (f"{field}__lt", text + chr(0x10FFFF)))
    return Q((f"{field}__startswith", text))


@contextmanager
def acting(account: AbstractBaseUser) -> Iterator[None]:
    """Events inside get this member of staff as their actor."""
    token = actor.set(account)
    try:
        yield
    finally:
        actor.reset(token)


def log_event(
    event: Event, account: AbstractBaseUser | None, *, key: str = "", detail: str = "", **fields: object
) -> None:
    """Stores and logs an event. `key` is the hint of a key, never its text; `fields` are only logged."""
    staff = actor.get()
    AuditEvent.objects.create(
        event=event,
        account_id=account.pk if account else None,
        email=account.get_username() if account else "",
        actor_id=staff.pk if staff else None,
        actor_email=staff.get_username() if staff else "",
        detail=detail,
        address=(client_address.get() or "")[:64],
        key_hint=key[:20],
    )
    named = {"key": key, "detail": detail, "actor": staff and str(staff.pk)}
    fields = {**fields, **{name: value for name, value in named.items() if value}}
    log.info(event.value, extra={"account": account and str(account.pk), **fields})
