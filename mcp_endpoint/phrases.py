"""Words for the texts of tools: figures with their units, days, times, counts, and what is a notice."""

import datetime
import re
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account
from body.models import SITES
from fitness.days import ONE_DAY
from fitness.json import JsonObject
from fitness.web.local_time import zone_of

# The parts of help texts and messages that are for readers of the OpenAPI document alone: a REST path in
# brackets after the name of the operation, and the meaning of null in a response.
OF_REST = re.compile(r" \((?:GET|POST|PUT|PATCH|DELETE) /[^)]*\)|; null [^.;]*")
# Not by strftime: it reads the time zone from the C library, which takes longer than the rest of a summary.
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
SITE_NAMES = {site: site.removesuffix("_cm") for site in SITES}
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUTRIENTS = {"calories": "kcal", "protein_g": "g protein", "carbs_g": "g carbs", "fat_g": "g fat"}
MAX_NAMES = 5  # in one sentence


class Notice(str):
    """A sentence of a summary that says what the data of the result do not hold.

    It is in `notices` of the structured result as well, because several hosts show a model nothing else.
    """

    __slots__ = ()


def correct_at(view: str, **path: object) -> Notice:
    """Where a person corrects what was saved: the address of its page, where PUBLIC_URL says of which site.

    Without a full stop, which programs would take for a part of the address.
    """
    if not settings.PUBLIC_URL:
        return Notice()
    return Notice(f"Correct it at {settings.PUBLIC_URL}{reverse(view, kwargs=path)}")


def for_tools(text: str) -> str:
    """A help text or a message without the parts for readers of the OpenAPI document."""
    return OF_REST.sub("", text)


def counted(number: int, noun: str) -> str:
    """`1 set`, `1,020 sets`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def named(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown_names = ", ".join(names[:MAX_NAMES])
    more = len(names) - MAX_NAMES
    return f"{shown_names} and {more} more" if more > 0 else shown_names


def bounded(texts: Sequence[str], most: int) -> str:
    """The first texts of a list, which may hold commas, and how many more there are."""
    more = len(texts) - most
    return "; ".join([*texts[:most], *([f"and {more} more"] if more > 0 else [])])


def amount(number: float) -> str:
    """A number with at most two decimals and its thousands grouped."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def amounts(values: Mapping[str, float], units: Mapping[str, str], *, signed: bool = False) -> str:
    """Each value that has a unit: `2,000 kcal, 100 g protein`, or `+650 kcal, -2 g protein`."""
    signs = {name: "+" if signed and values[name] > 0 else "" for name in units}
    return ", ".join([f"{signs[name]}{amount(values[name])} {unit}" for name, unit in units.items()])


def figures_of_nutrition(totals: Mapping[str, float]) -> str:
    """`2,000 kcal, 150 g protein, 200 g carbs, 70 g fat`."""
    return amounts(totals, NUTRIENTS)


def figures_of_tape(sites: JsonObject) -> str:
    return ", ".join(
        f"{name} {amount(sites[site])} cm" for site, name in SITE_NAMES.items() if sites[site] is not None
    )


def load(weight_kg: float, reps: int) -> str:
    """The weight and the repetitions of a set: `100 kg × 5`."""
    return f"{amount(weight_kg)} kg × {reps}"


def body_weight(weight_kg: float) -> str:
    """A body weight, always with a decimal: a mistake such as 805 for 80.5 is then easy to see."""
    return f"{round(weight_kg, 2)} kg"


def day(date: datetime.date) -> str:
    """`20 Nov`, with the year where it is not the current one."""
    year = "" if date.year == timezone.now().year else f" {date.year}"
    return f"{date.day} {MONTHS[date.month - 1][:3]}{year}"


def day_in_full(date: datetime.date) -> str:
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def day_and_time(at: datetime.datetime) -> str:
    """`20 Nov 23:30 UTC`, for a datetime in UTC."""
    return f"{day(at)} {at.hour:02}:{at.minute:02} UTC"


def moment(at: datetime.datetime) -> str:
    """`Friday 20 Nov 2026, 23:30`, in the time zone of the datetime."""
    return f"{DAYS[at.weekday()]} {at.day} {MONTHS[at.month - 1][:3]} {at.year}, {at.hour:02}:{at.minute:02}"


def monday_of(date: datetime.date) -> datetime.date:
    """The first day of the week of a day."""
    return date - date.weekday() * ONE_DAY


def span(days: Sequence[datetime.date]) -> str:
    """From the earliest to the latest of the days: `3 Oct to 20 Nov`."""
    first, last = day(min(days)), day(max(days))
    return first if first == last else f"{first} to {last}"


def past(date: datetime.date) -> Notice:
    """A sentence about a deadline in the past; empty for others."""
    days = (timezone.now().date() - date).days
    return Notice(f"The deadline is {counted(days, 'day')} past." if days > 0 else "")


def odd_date(date: datetime.date, account: Account) -> Notice:
    """A sentence about a day in the future, or of another year; empty for others.

    Today may be the person's or that of UTC.
    """
    now = timezone.now()
    today = max(now.date(), now.astimezone(zone_of(account.time_zone)).date())
    if date > today:
        return Notice(f"The date is {counted((date - today).days, 'day')} ahead.")
    return Notice(f"The year is {date.year}, not {today.year}." if date.year != today.year else "")


def own_day(at: datetime.datetime, account: Account, argument: str = "") -> Notice:
    """The person's day at a moment where UTC has another one, with the argument that says so."""
    local = at.astimezone(zone_of(account.time_zone)).date()
    if local == at.date():
        return Notice()
    says_so = f"; {argument} {local} says so" if argument else ""
    return Notice(f"Where the user is, that was {day(local)}{says_so}.")
