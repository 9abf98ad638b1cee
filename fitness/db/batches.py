"""Long lists of an account, read some rows at a time, while the same connection writes.

An open cursor would be in the way. SQLite refuses to write on a connection that still reads what was there
before somebody else's write, and its log grows until the reader is through. PostgreSQL would copy all of the
list into a file first.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from django.db.models import Model, QuerySet

from fitness.db.owned import OfAccount, Owner

ROWS_AT_ONCE = 100  # a workout has up to 700 KB

Row = TypeVar("Row", bound=Model)


def in_batches(rows: QuerySet[Row], account: Owner, order: Sequence[str]) -> Iterator[Row]:
    """The account's rows of a queryset in an order.

    Which rows these are, and their order, is that of one moment: their ids are read first, about 100 bytes
    each. Each row is as it is when its batch is read. One that was deleted meanwhile is left out.
    """
    ids = list(rows.filter(account=account.pk).order_by(*order).values_list("pk", flat=True))
    of_account = rows.filter(OfAccount(account.pk))
    for start in range(0, len(ids), ROWS_AT_ONCE):
        some = ids[start : start + ROWS_AT_ONCE]
        found = of_account.in_bulk(some)
        yield from (found[pk] for pk in some if pk in found)
