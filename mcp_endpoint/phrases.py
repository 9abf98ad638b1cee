"""The words of tool texts: figures with their units, days and moments, counts."""

import datetime
import re
from collections.abc import Sequence

from django.utils import timezone

# What only readers of the OpenAPI document need of a help text or a message: a REST path in brackets behind
# the name of the operation, and what null means in an answer.
OF_REST = re.compile(r" \((?:GET|POST|PUT|PATCH|DELETE) /[^)]*\)|; null [^.;]*")
# strftime asks the C library for the time zone each time, which takes longer than the rest of a summary.
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
NAMED = 5  # how many names a list of them holds at most


def for_tools(text: str) -> str:
    """A help text or a message as the reader of a tool needs it: it names tools and no REST path."""
    return OF_REST.sub("", text)


def counted(number: int, noun: str) -> str:
    """`1 set`, `1,020 sets`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def named(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown_names = ", ".join(names[:NAMED])
    more = len(names) - NAMED
    return f"{shown_names} and {more} more" if more > 0 else shown_names


def amount(number: float) -> str:
    """A number with at most two decimals and its thousands grouped."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def load(weight_kg: float, reps: int) -> str:
    """The weight of a set and how often it was moved: `100 kg × 5`."""
    return f"{amount(weight_kg)} kg × {reps}"


def body_weight(weight_kg: float) -> str:
    """A body weight, of which a decimal always shows: a slip from 80.5 to 805 catches the eye."""
    return f"{round(weight_kg, 2)} kg"


def day(date: datetime.date) -> str:
    """`20 Nov`, with the year where it is not the current one."""
    year = "" if date.year == timezone.now().year else f" {date.year}"
    return f"{date.day} {MONTHS[date.month - 1][:3]}{year}"


def day_in_full(date: datetime.date) -> str:
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def moment(when: datetime.datetime) -> str:
    """`20 Nov 23:30 UTC`, for a moment in UTC."""
    return f"{day(when)} {when.hour:02}:{when.minute:02} UTC"


def span(days: Sequence[datetime.date]) -> str:
    """From the earliest to the latest of the days: `3 Oct to 20 Nov`."""
    first, last = day(min(days)), day(max(days))
    return first if first == last else f"{first} to {last}"


def past(date: datetime.date) -> str:
    """A sentence about a deadline that is over; nothing about others."""
    days = (timezone.now().date() - date).days
    return f"The deadline is {counted(days, 'day')} past." if days > 0 else ""


def ahead(date: datetime.date) -> str:
    """A sentence about a day that is not there yet; nothing about others."""
    days = (date - timezone.now().date()).days
    return f"The date is {counted(days, 'day')} ahead." if days > 0 else ""
