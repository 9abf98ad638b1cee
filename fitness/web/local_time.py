"""Local time: the zones that accounts choose from, and reading what somebody types on their clock.

What is stored and what programs read is in UTC. `fitness.middleware.Localization` activates the zone of the
account for its screens.
"""

import datetime
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.utils import timezone
from django.utils.translation import gettext as _

from fitness.days import moment_of_day

# Names that systems have besides those of IANA's zones.
NO_ZONES = {"Factory", "localtime"}


class Zone(ZoneInfo):
    """A time zone that has a local time for each timestamp.

    In the first and the last hours of the calendar the local time may be outside of it. Then UTC's is shown.
    """

    def fromutc(self, time: datetime.datetime) -> datetime.datetime:
        try:
            return super().fromutc(time)
        except OverflowError:
            return time


@cache
def zone_names() -> list[str]:
    """The names that an account may choose, sorted. The first call reads some hundred files."""
    return sorted(available_timezones() - NO_ZONES)


def known_zone(name: str) -> str:
    """The name if an account may choose it, else an empty text."""
    return name if name in zone_names() else ""


@lru_cache(maxsize=1_000)
def zone_of(name: str) -> datetime.tzinfo:
    """The time zone of an account; UTC where it has chosen none, or one that this machine does not have."""
    try:
        return Zone(name) if name else datetime.UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.UTC


def zone_choices() -> list[tuple[str, str | list[tuple[str, str]]]]:
    """Every zone for a list to choose from, under its part of the world."""
    groups: dict[str, list[tuple[str, str]]] = {}
    elsewhere = _("Other names")
    for name in zone_names():
        if name == "UTC":
            continue
        region, slash, place = name.partition("/")
        group, label = (region, place.replace("_", " ")) if slash else (elsewhere, name)
        groups.setdefault(group, []).append((name, label))
    return [("UTC", "UTC"), *groups.items()]


def read_clock(typed: str) -> datetime.datetime:
    """A date and a time as clocks show it, without a zone. Raises ValueError."""
    time = datetime.datetime.fromisoformat(typed.strip())
    if time.tzinfo:
        raise ValueError("a clock shows no zone")
    return time


def moment_typed(typed: str) -> datetime.datetime:
    """The moment of a date and a time as clocks show them, or of a day alone. Raises ValueError."""
    try:
        day = datetime.date.fromisoformat(typed.strip())
    except ValueError:
        return moment_of(read_clock(typed))
    return moment_of_day(day, timezone.get_current_timezone())


def moment_of(time: datetime.datetime) -> datetime.datetime:
    """When clocks of the current time zone show a time, in UTC. Raises ValueError outside of the calendar.

    A time that they show twice is the first; one that they skip is as much later as they skip.
    """
    try:
        return timezone.make_aware(time).astimezone(datetime.UTC)
    except OverflowError as error:
        raise ValueError("the moment is outside of the calendar") from error
