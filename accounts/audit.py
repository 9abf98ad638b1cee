"""The audit log: sign-ups, sign-ins, lock-outs, passwords, deleted accounts, created and revoked keys.

Each event is a row and a log line.
"""

import logging
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.logs import client_address

log = logging.getLogger("fitness.audit")


class AuditEvent(models.Model):
    """An event that staff must be able to look up, also after its account is deleted."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="audit_events"
    )
    event = models.CharField(max_length=40)
    at = models.DateTimeField(default=timezone.now)
    address = models.CharField(max_length=64, blank=True)
    key_hint = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["-at", "-id"], name="audit_newest")]

    def __str__(self) -> str:
        return self.event


def log_event(event: str, account_id: UUID | None, *, key: str = "", **fields: object) -> None:
    """Stores and logs an event. `key` is the hint of a key, never its text; `fields` are only logged."""
    address = client_address.get() or ""
    AuditEvent.objects.create(event=event, account_id=account_id, address=address[:64], key_hint=key)
    fields = {**fields, **({"key": key} if key else {})}
    log.info(event, extra={"account": account_id and str(account_id), **fields})
