"""The results of requests with an Idempotency-Key, stored for a day."""

import datetime
import time
from typing import Self

from django.db import models
from django.utils import timezone

from fitness.db.owned import Owned, OwnedForeignKey

LIFETIME = datetime.timedelta(hours=24)
PROCESS_START = time.time() - time.monotonic()  # when the monotonic clock was 0, in seconds since 1970


def steady_now() -> datetime.datetime:
    """The current time, without what the clock was set ahead since this process started.

    If a clock is set a day ahead, every stored result has expired, and a retry would be carried out again.
    """
    steady = datetime.datetime.fromtimestamp(PROCESS_START + time.monotonic(), datetime.UTC)
    return min(timezone.now(), steady)


class IdempotentRequestQuerySet(models.QuerySet["IdempotentRequest"]):
    def expired(self) -> Self:
        return self.filter(created_at__lte=steady_now() - LIFETIME)


class IdempotentRequest(Owned):
    """The result of an API key's first request with an Idempotency-Key; see ApiKey.carry_out_once."""

    account = models.ForeignKey(
        "accounts.Account", on_delete=models.CASCADE, related_name="idempotent_requests"
    )
    api_key = OwnedForeignKey("accounts.ApiKey", on_delete=models.CASCADE, db_index=False)
    idempotency_key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)  # SHA-256 of the request
    status = models.PositiveSmallIntegerField(default=0)
    instance_id = models.CharField(max_length=36)  # that the request created or changed
    created_at = models.DateTimeField(default=timezone.now)

    objects = IdempotentRequestQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["api_key", "idempotency_key"], name="idempotent_request_once"),
        ]
        indexes = [models.Index(fields=["api_key", "created_at"], name="idempotent_request_age")]

    def __str__(self) -> str:
        return self.idempotency_key
