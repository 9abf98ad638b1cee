"""Which record each POST with an Idempotency-Key has made, kept for a day."""

import datetime
import time

from django.db import models
from django.utils import timezone

KEPT_FOR = datetime.timedelta(hours=24)
START = time.time() - time.monotonic()


def steady_now() -> datetime.datetime:
    """Now, but for what the clock was set ahead since this process started.

    By a clock that is a day ahead every answer has expired, and a retry would be carried out again.
    """
    steady = datetime.datetime.fromtimestamp(START + time.monotonic(), datetime.UTC)
    return min(timezone.now(), steady)


class IdempotentRequestQuerySet(models.QuerySet):
    def expired(self):
        return self.filter(created_at__lte=steady_now() - KEPT_FOR)


class IdempotentRequest(models.Model):
    """What the first request of an API key with some Idempotency-Key came to; see ApiKey.once."""

    api_key = models.ForeignKey(
        "accounts.ApiKey", on_delete=models.CASCADE, related_name="idempotent_requests", db_index=False
    )
    idempotency_key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)  # SHA-256 of what was asked
    status = models.PositiveSmallIntegerField(default=0)
    instance_id = models.CharField(max_length=36)  # of the record that the request made
    created_at = models.DateTimeField(default=timezone.now)

    objects = IdempotentRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["api_key", "idempotency_key"], name="idempotent_request_once"),
        ]
        indexes = [models.Index(fields=["api_key", "created_at"], name="idempotent_request_age")]

    def __str__(self):
        return self.idempotency_key
