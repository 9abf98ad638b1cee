"""Changes of very many rows, a batch at a time."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection, models, transaction

from accounts.models import Account

ROWS_AT_ONCE = 100
# Rest after a batch, as a share of the time that it took. SQLite has one writer at a time, and those who
# wait poll for it: without a rest they might never find it free.
REST = {"sqlite": 0.5, "postgresql": 0.1}
MAX_REST_SECONDS = 0.1

# Changes some rows of one account, which is locked; returns how many rows that changed.
Change = Callable[[Account, models.QuerySet[Any]], int]


def change_in_batches(queryset: models.QuerySet[Any], change: Change) -> int:
    """Calls `change(account, batch)` for all rows of a queryset; returns the sum of the results."""
    owners = queryset.order_by("account_id").values_list("account_id", flat=True).distinct()
    return sum(
        changed
        for account in [Account(pk=owner) for owner in owners]
        for changed in in_batches(account, queryset.filter(account=account), change)
    )


def in_batches(account: Account, queryset: models.QuerySet[Any], change: Change) -> Iterator[int]:
    """Calls `change(account, batch)` for an account's rows in a queryset; yields the result of each call.

    Each batch is a transaction, in which the account is locked, so that nothing is lost of what its owner
    writes at the same time. Memory and statements stay small however many rows there are.
    """
    ids = list(queryset.values_list("pk", flat=True))
    for start in range(0, len(ids), ROWS_AT_ONCE):
        started = time.monotonic()
        batch = queryset.model.objects.filter(pk__in=ids[start : start + ROWS_AT_ONCE])
        try:
            with transaction.atomic():
                account.lock()
                changed = change(account, batch)
        except Account.DoesNotExist:  # deleted meanwhile, with all its rows
            return
        rest = (time.monotonic() - started) * REST[connection.vendor]
        time.sleep(min(rest, MAX_REST_SECONDS))
        yield changed
