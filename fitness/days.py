"""Days of the calendar. The service's day is the day in UTC, on the screens as in the API."""

import datetime

from django.utils import timezone

ONE_DAY = datetime.timedelta(days=1)


def today() -> datetime.date:
    """The current day in UTC."""
    return timezone.now().date()


def day_before(day: datetime.date) -> datetime.date | None:
    """The previous day, or None on the first day of the calendar (0001-01-01)."""
    return None if day == datetime.date.min else day - ONE_DAY


def day_after(day: datetime.date) -> datetime.date | None:
    """The next day, or None on the last day of the calendar (9999-12-31)."""
    return None if day == datetime.date.max else day + ONE_DAY
