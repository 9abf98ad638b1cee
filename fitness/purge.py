"""Deletes once an hour what has expired: sessions, and the answers that are kept for retries.

A thread beside the requests does it: nobody needs a scheduler, and no request waits for it.
"""

import logging
import threading
import time

from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.db import Error, connection
from django.db.models import QuerySet
from django.utils import timezone

from accounts.retries import KeptAnswer

log = logging.getLogger("fitness.purge")

HOUR_SECONDS = 3600
FIRST_SECONDS = 60  # after the start, when the first requests are through
ROWS_AT_ONCE = 100  # on SQLite, everybody who writes waits for a deletion
PAUSE_SECONDS = 0.1  # between two deletions, for those who wait


def start() -> None:
    threading.Thread(target=purge_every_hour, name="purge", daemon=True).start()


def purge_every_hour() -> None:
    time.sleep(FIRST_SECONDS)
    while True:
        purge_if_due()
        time.sleep(HOUR_SECONDS)


def purge_if_due() -> None:
    """Purges, unless this or another process did within the hour. After a fault the next hour tries again."""
    try:
        if caches["counters"].add("purge", 1, HOUR_SECONDS):
            purge()
    except Error as error:
        log.warning("expired rows stay for another hour: %s", error)
    finally:
        connection.close()  # this thread's own


def purge() -> None:
    """Deletes all that has expired, a few rows at a time."""
    for expired in (Session.objects.filter(expire_date__lte=timezone.now()), KeptAnswer.objects.expired()):
        if count := delete_in_batches(expired):
            log.info("%s expired %s deleted", count, expired.model._meta.verbose_name_plural)


def delete_in_batches(rows: QuerySet) -> int:
    count = 0
    while ids := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        count += rows.filter(pk__in=ids).delete()[0]
        time.sleep(PAUSE_SECONDS)
    return count
