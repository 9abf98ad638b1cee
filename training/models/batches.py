"""Changes of very many rows, a batch at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db import models, transaction

from accounts.models import Account

ROWS_AT_ONCE = 100
# Changes the rows of one account, which is locked, with some ids; returns how many rows that changed.
Change = Callable[[Account, list[Any]], int]


def change_in_batches(queryset: models.QuerySet[Any], change: Change) -> int:
    """Calls `change(account, ids)` for all rows of a queryset; returns the sum of the results."""
    owners = queryset.order_by("account_id").values_list("account_id", flat=True).distinct()
    return sum(
        changed
        for account in [Account(pk=owner) for owner in owners]
        for changed in in_batches(
            account, list(queryset.filter(account=account).values_list("pk", flat=True)), change
        )
    )


def in_batches(account: Account, ids: Sequence[Any], change: Change) -> Iterator[int]:
    """Calls `change(account, ids)` for an account's rows, some ids at a time; yields what each call returns.

    Each batch is a transaction, in which the account is locked, so that nothing is lost of what its owner
    writes at the same time. Memory and statements stay small however many rows there are.
    """
    for start in range(0, len(ids), ROWS_AT_ONCE):
        try:
            with transaction.atomic():
                account.lock()
                changed = change(account, list(ids[start : start + ROWS_AT_ONCE]))
        except Account.DoesNotExist:  # deleted meanwhile, with all its rows
            return
        yield changed
