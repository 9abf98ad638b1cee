"""Windows of time and of days, for the querysets of every list.

A bound of None leaves that end open.
"""

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import QuerySet

QS = TypeVar("QS", bound=QuerySet[Any])


def window(
    queryset: QS, field: str, since: datetime.datetime | None = None, until: datetime.datetime | None = None
) -> QS:
    """Rows whose `field`, a datetime, is at `since` or later (inclusive) and before `until` (exclusive)."""
    return bounded(queryset, {f"{field}__gte": since, f"{field}__lt": until})


def days(
    queryset: QS, field: str, since: datetime.date | None = None, until: datetime.date | None = None
) -> QS:
    """Rows whose `field`, a date, is one of the days from `since` to `until`, both inclusive."""
    return bounded(queryset, {f"{field}__gte": since, f"{field}__lte": until})


def bounded(queryset: QS, bounds: Mapping[str, datetime.date | None]) -> QS:
    for lookup, bound in bounds.items():
        if bound is not None:
            queryset = queryset.filter(**{lookup: bound})
    return queryset
