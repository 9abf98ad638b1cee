"""Days of the calendar.

On the screens a day is one of the account's time zone (`fitness.middleware.Localization`). For the API and
the tools, where no zone is active, it is the day in UTC.
"""

import calendar
import datetime

from django.utils import timezone

ONE_DAY = datetime.timedelta(days=1)
EARLIEST = datetime.datetime.min.replace(tzinfo=datetime.UTC)
LATEST = datetime.datetime.max.replace(tzinfo=datetime.UTC)


def today() -> datetime.date:
    """The current day in the current time zone."""
    return timezone.localdate()


def utc_today() -> datetime.date:
    """The current day in UTC, whatever zone is active."""
    return timezone.now().date()


def midnight(day: datetime.date) -> datetime.datetime:
    """When a day begins in the current time zone, in UTC.

    Where clocks skip midnight, the day begins when they do.
    """
    begin = datetime.datetime.combine(day, datetime.time(), timezone.get_current_timezone())
    return begin.astimezone(datetime.UTC)


def moment_of_day(day: datetime.date, zone: datetime.tzinfo) -> datetime.datetime:
    """The moment of a record of which only the day is known: noon UTC, and earlier where clocks of the zone
    show the next day then, so that the day is the same in the zone and in UTC.

    A day that the zone has skipped (Samoa's 30 December 2011) keeps noon UTC. Raises ValueError where the
    zone shows a day outside of the calendar at noon UTC.
    """
    noon = datetime.datetime.combine(day, datetime.time(12), datetime.UTC)
    moments = (noon - datetime.timedelta(hours=hours) for hours in range(13))
    try:
        return next((moment for moment in moments if moment.astimezone(zone).date() == day), noon)
    except OverflowError as error:
        raise ValueError(f"{day} ends outside of the calendar") from error


def day_before(day: datetime.date) -> datetime.date | None:
    """The previous day, or None on the first day of the calendar (0001-01-01)."""
    return None if day == datetime.date.min else day - ONE_DAY


def day_after(day: datetime.date) -> datetime.date | None:
    """The next day, or None on the last day of the calendar (9999-12-31)."""
    return None if day == datetime.date.max else day + ONE_DAY


def begin_of_week(day: datetime.date, first: int = 1) -> datetime.date:
    """The first day of the week that a day is in: its Monday, or its day with another number, up to 7."""
    return day - ONE_DAY * ((day.isoweekday() - first) % 7)


def begin_and_end(
    first: datetime.date, last: datetime.date
) -> tuple[datetime.datetime | None, datetime.datetime | None]:
    """When the days from `first` to `last` begin and end in the current time zone, in UTC.

    None at the ends of the calendar, where the moment in UTC may be outside of it.
    """
    following = day_after(last)
    begin = None if first == datetime.date.min else midnight(first)
    return begin, midnight(following) if following else None


def last_of_month(day: datetime.date) -> datetime.date:
    """The last day of the month that a day is in."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])
