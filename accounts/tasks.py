"""Background tasks of accounts (fitness/background.py), so that no scheduler is needed and no request waits.

1. `expired` deletes expired rows once an hour: sessions, the results of requests with an Idempotency-Key, the
   use of keys on days long ago, and the codes and tokens of OAuth.
2. `uses` stores what requests have counted (accounts/key_days.py), and which sessions they had
   (accounts/sessions.py), once a minute.
"""

import logging
import time
from typing import Any

from django.core.cache import caches
from django.db.models import QuerySet
from django.utils import timezone

from accounts import key_days, sessions
from accounts.idempotency import IdempotentRequest
from accounts.imports.models import ImportRun
from accounts.key_days import KeyDay
from accounts.oauth.models import AuthorizationCode, OAuthToken
from accounts.sessions import Session
from fitness.background import Task

log = logging.getLogger("fitness.purge")

HOUR_SECONDS = 3600
MINUTE_SECONDS = 60
ROWS_AT_ONCE = 100  # on SQLite, every writer waits while rows are deleted
PAUSE_SECONDS = 0.1  # between two deletions, in which waiting writers proceed


def purge_if_due() -> float:
    """Purges, unless this or another process has done so within the hour. Returns the seconds to wait."""
    if caches["counters"].add("purge", 1, HOUR_SECONDS):
        purge()
    return HOUR_SECONDS


def purge() -> None:
    """Deletes all expired rows, ROWS_AT_ONCE at a time."""
    for expired in (
        Session.objects.filter(expire_date__lte=timezone.now()),
        IdempotentRequest.objects.expired(),
        KeyDay.objects.expired(),
        AuthorizationCode.objects.expired(),
        OAuthToken.objects.expired(),
    ):
        if count := delete_in_batches(expired):
            log.info("%s expired %s deleted", count, expired.model._meta.verbose_name_plural)
    for run in ImportRun.objects.expired():
        run.delete()


def delete_in_batches(rows: QuerySet[Any]) -> int:
    """Deletes the rows; returns how many there were."""
    count = 0
    while ids := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        count += rows.filter(pk__in=ids).delete()[0]
        time.sleep(PAUSE_SECONDS)
    return count


# The first time after a minute, when the requests that waited for the start are through.
expired = Task("purge", purge_if_due, first_seconds=60, retry_seconds=HOUR_SECONDS)


def store_uses() -> float:
    key_days.unstored.store()
    sessions.unstored.store()
    return MINUTE_SECONDS


uses = Task("uses", store_uses, first_seconds=MINUTE_SECONDS, retry_seconds=MINUTE_SECONDS)
