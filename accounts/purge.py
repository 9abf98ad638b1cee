"""Deletes expired rows once an hour, some at a time, so that no scheduler is needed and nobody waits."""

import logging
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.cache import caches
from django.db.models import QuerySet
from django.utils import timezone

from accounts.idempotency import IdempotentRequest
from accounts.imports.models import ImportRun
from accounts.key_days import KeyDay
from accounts.models import Account, StoredFile, Task
from accounts.oauth.models import AuthorizationCode, OAuthToken
from accounts.sessions import Session

log = logging.getLogger("fitness.purge")

HOUR_SECONDS = 3600
ROWS_AT_ONCE = 100  # on SQLite, every writer waits while rows are deleted


def purging_if_due() -> Iterator[object]:
    """Purges, unless this or another process has done so within the hour; yields between transactions."""
    if caches["counters"].add("purge", 1, HOUR_SECONDS):
        yield from purging()


def purge() -> None:
    """Deletes all that has expired."""
    for _ in purging():
        pass


def purging() -> Iterator[object]:
    """Does the same a batch at a time; yields between transactions."""
    for expired in (
        Session.objects.filter(expire_date__lte=timezone.now()),
        IdempotentRequest.objects.expired(),
        KeyDay.objects.expired(),
        AuthorizationCode.objects.expired(),
        OAuthToken.objects.expired(),
        Task.objects.expired(),
    ):
        yield from delete_in_batches(expired)
    go_on_with_deletions()
    for run in ImportRun.objects.expired():
        run.remove()
        yield from counted_anew(run.account_id)
    for file in StoredFile.objects.expired():
        file.remove()
        yield from counted_anew(file.account_id)


def go_on_with_deletions() -> None:
    """Asks again for the deletion of accounts where it has failed, or was lost."""
    for account in Account.objects.deleted():
        task = Task.objects.of(account.pk, Task.Kind.ACCOUNT_DELETION)
        if task is None or task.has_failed:
            Task.objects.ask(account.pk, Task.Kind.ACCOUNT_DELETION)


def delete_in_batches(rows: QuerySet[Any]) -> Iterator[int]:
    """Yields how many rows each batch has deleted."""
    count = 0
    while ids := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        deleted, _ = rows.filter(pk__in=ids).delete()
        count += deleted
        yield deleted
    if count:
        log.info("%s %s deleted", count, rows.model._meta.verbose_name_plural)


def counted_anew(account_id: UUID) -> Iterator[None]:
    """Counts what the account's files take now."""
    for account in Account.objects.filter(pk=account_id).select_related("state"):
        account.count_files()
    yield
