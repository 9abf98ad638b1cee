"""What was done when: this week beside those before it, muscle groups by week, and a year of days."""

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from django.utils.dates import WEEKDAYS_ABBR
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Account
from fitness.days import ONE_DAY, today
from fitness.web.svg_charts import Calendar
from training import stats
from training.models.exercise import MuscleGroup
from training.stats import GroupOfWeek, LocalWeek
from training.web.progress.headline import FEW_SETS

SHOWN = 12  # weeks whose muscle groups are shown
USUAL = 4  # weeks before this one, with which it is compared up to the same weekday
MANY_SETS = 20  # a week; most advice for a muscle group is within FEW_SETS and these


class Cell(NamedTuple):
    """A muscle group in a week: its sets without warm-ups, which are "few", "right" or "many"."""

    sets: int
    volume_kg: float
    level: str


class SoFar(NamedTuple):
    """What was done from a Monday up to the weekday of today: of one week, or on average."""

    sessions: float
    sets: float
    volume_kg: float


class Compared(NamedTuple):
    """This week beside the same weekdays of so many weeks before it; `usual` is None without any."""

    now: SoFar
    usual: SoFar | None
    weeks: int

    @property
    def sentence(self) -> str:
        """Which days are compared, and with which."""
        day = today()
        until, weeks = date_format(day, _("l")), self.weeks
        if self.usual is None:
            return _("Monday to %(day)s") % {"day": until} if day.weekday() else _("Monday")
        if day.weekday():
            said = ngettext(
                "Monday to %(day)s, beside the same days of the week before",
                "Monday to %(day)s, beside the same days of the last %(weeks)s weeks on average",
                weeks,
            )
        else:
            said = ngettext(
                "Monday, beside the same day of the week before",
                "Monday, beside the same day of the last %(weeks)s weeks on average",
                weeks,
            )
        return said % {"day": until, "weeks": weeks}


def compared(weeks: Sequence[LocalWeek], counts: Mapping[date, int]) -> Compared:
    """`weeks` end with this one, `counts` has the sessions of each day.

    Weeks before the first one with a set are left out: somebody who has just begun did not rest in them.
    """
    *before, this = [so_far(week, counts) for week in weeks[-1 - USUAL :]]
    first = next((number for number, week in enumerate(weeks) if week.groups), len(weeks))
    known = before[max(first - (len(weeks) - 1 - len(before)), 0) :]
    return Compared(this, mean(known) if known else None, len(known))


def so_far(week: LocalWeek, counts: Mapping[date, int]) -> SoFar:
    days = [week.monday + ONE_DAY * number for number in range(today().weekday() + 1)]
    totals = week.all_so_far
    return SoFar(sum(counts.get(day, 0) for day in days), totals.work_sets, totals.volume_kg)


def mean(weeks: Sequence[SoFar]) -> SoFar:
    return SoFar(*(sum(values) / len(weeks) for values in zip(*weeks, strict=True)))


def groups_by_week(weeks: Sequence[LocalWeek]) -> list[tuple[str, list[Cell]]]:
    """(muscle group, its Cell of each week) of the groups with a set, in the order of the catalogue."""
    return [
        (group, [cell(week, group) for week in weeks])
        for group in MuscleGroup.values
        if any(group in week.groups for week in weeks)
    ]


def cell(week: LocalWeek, group: str) -> Cell:
    _, volume_kg, sets = week.groups.get(group, GroupOfWeek(0, 0, 0))
    return Cell(sets, volume_kg, level(sets) if sets else "")


def level(sets: int) -> str:
    return "few" if sets < FEW_SETS else "many" if sets > MANY_SETS else "right"


@dataclass(frozen=True)
class Month:
    """A month of the calendar: its weeks of (day, sessions), None outside of the month or of the year."""

    first: date
    weeks: list[list[tuple[date, int] | None]]

    @property
    def sessions(self) -> int:
        return sum(day[1] for week in self.weeks for day in week if day)


def year_of_workouts(account: Account) -> Calendar:
    title = _("Workouts of the last year")
    blank = Calendar(title, {}, today(), first_weekday=account.first_weekday)
    return replace(blank, counts=stats.session_days(account, blank.since, blank.until))


def first_days(year: Calendar) -> list[date]:
    """The first days of the months of a year of sessions, newest first."""
    firsts = [year.until.replace(day=1)]
    while firsts[-1] > year.since:
        firsts.append((firsts[-1] - ONE_DAY).replace(day=1))
    return firsts


def weekdays(year: Calendar) -> list[str]:
    """The short names of the days of a week, in the order of the calendar."""
    names = list(WEEKDAYS_ABBR.values())
    return [str(name) for name in names[year.first_weekday - 1 :] + names[: year.first_weekday - 1]]


def month(first: date, year: Calendar) -> Month:
    weeks = calendar.Calendar(year.first_weekday - 1).monthdatescalendar(first.year, first.month)
    return Month(first, [[day_of(day, first, year) for day in week] for week in weeks])


def day_of(day: date, first: date, year: Calendar) -> tuple[date, int] | None:
    is_shown = day.month == first.month and year.since <= day <= year.until
    return (day, year.counts.get(day, 0)) if is_shown else None
