"""Filters of a list by time: half-open windows."""

from datetime import datetime
from typing import Any, TypeVar

from django.db import models

QS = TypeVar("QS", bound=models.QuerySet[Any])


def window(queryset: QS, field: str, since: datetime | None = None, until: datetime | None = None) -> QS:
    """Rows whose datetime `field` is at `since` or later and before `until`; None leaves that side open.

    Compares the ends with None alone, because builders of a PreparedQuery pass placeholders, which have no
    truth value.
    """
    if since is not None:
        queryset = queryset.filter(**{f"{field}__gte": since})
    if until is not None:
        queryset = queryset.filter(**{f"{field}__lt": until})
    return queryset
