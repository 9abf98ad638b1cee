"""What was done in a week: this one beside those before it, and the sets of each muscle group."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fitness.days import ONE_DAY, today
from training.models.exercise import MuscleGroup
from training.web.progress.figures import USUAL, Totals, Week
from training.web.progress.headline import FEW_SETS

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


def compared(weeks: Sequence[Week], counts: Mapping[date, int]) -> Compared:
    """`weeks` end with this one, `counts` has the sessions of each day.

    Weeks before the first one with a set are left out: somebody who has just begun did not rest in them.
    """
    *before, this = [so_far(week, counts) for week in weeks[-1 - USUAL :]]
    first = next((number for number, week in enumerate(weeks) if week.groups), len(weeks))
    known = before[max(first - (len(weeks) - 1 - len(before)), 0) :]
    return Compared(this, mean(known) if known else None, len(known))


def so_far(week: Week, counts: Mapping[date, int]) -> SoFar:
    days = [week.monday + ONE_DAY * number for number in range(today().weekday() + 1)]
    totals = week.all_so_far
    return SoFar(sum(counts.get(day, 0) for day in days), totals.work_sets, totals.volume_kg)


def mean(weeks: Sequence[SoFar]) -> SoFar:
    return SoFar(*(sum(values) / len(weeks) for values in zip(*weeks, strict=True)))


def groups_by_week(weeks: Sequence[Week]) -> list[tuple[str, list[Cell]]]:
    """(muscle group, its Cell of each week) of the groups with a set, in the order of the catalogue."""
    return [
        (group, [cell(week, group) for week in weeks])
        for group in MuscleGroup.values
        if any(group in week.groups for week in weeks)
    ]


def cell(week: Week, group: str) -> Cell:
    _, volume_kg, sets = week.groups.get(group, Totals(0, 0, 0))
    if not sets:
        return Cell(0, volume_kg, "")
    return Cell(sets, volume_kg, "few" if sets < FEW_SETS else "many" if sets > MANY_SETS else "right")
