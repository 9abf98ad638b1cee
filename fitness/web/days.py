"""Days in the words of the screens. Each function also takes a datetime, and writes its day."""

import datetime


def format_day(day: datetime.date) -> str:
    """The day as "2 March 2026"."""
    return f"{day.day} {day:%B} {day.year}"


def format_short_day(day: datetime.date) -> str:
    """The day as "2 Mar 2026"."""
    return f"{format_day_of_month(day)} {day.year}"


def format_day_of_month(day: datetime.date) -> str:
    """The day as "2 Mar"."""
    return f"{day.day} {day:%b}"
