"""Windows of time and of days, for the querysets of every list.

A bound of None leaves that end open. Bounds are compared with None, and never asked for their truth: in the
QuerySet of a PreparedQuery they are placeholders without a value.
"""

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import QuerySet

from fitness.db.prepared_queries import Placeholder

QS = TypeVar("QS", bound=QuerySet[Any])
Instant = datetime.datetime | Placeholder
Day = datetime.date | Placeholder


def window(queryset: QS, field: str, since: Instant | None = None, until: Instant | None = None) -> QS:
    """Rows whose `field`, a datetime, is at `since` or later (inclusive) and before `until` (exclusive)."""
    return bounded(queryset, {f"{field}__gte": since, f"{field}__lt": until})


def days(queryset: QS, field: str, since: Day | None = None, until: Day | None = None) -> QS:
    """Rows whose `field`, a date, is one of the days from `since` to `until`, both inclusive."""
    return bounded(queryset, {f"{field}__gte": since, f"{field}__lte": until})


def bounded(queryset: QS, bounds: Mapping[str, Day | None]) -> QS:
    for lookup, bound in bounds.items():
        if bound is not None:
            queryset = queryset.filter(**{lookup: bound})
    return queryset
