import itertools
from collections.abc import Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells, Refused
from fitness.imports.findings import Code
from fitness.imports.values import Moments
from training.imports.base import SourceRow, WorkoutFormat, put_weight, required
from training.imports.source import SourceSet

HOUR = 3600  # seconds


class StrongLifts(WorkoutFormat):
    """A row is an exercise, with a pair of columns for each set."""

    name = "stronglifts"
    label = "StrongLifts"
    where = _("Settings, Export Data, CSV.")
    dates = ("date (yyyy/mm/dd)",)
    columns = (("date (yyyy/mm/dd)",), ("exercise",), ("set 1 (reps)",), ("set 1 (kg)", "set 1 (lb)"))

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow | None]:
        start = cells.moment(moments, "date (yyyy/mm/dd)", "start time (h:mm)")
        hours = cells.number("duration (hours)")
        sets = list(pairs(cells))
        if not sets:
            raise Refused("set 1 (reps)", "", Code.EMPTY, _("no repetitions, time or distance"))
        for one in sets:
            yield (
                None
                if one is None
                else SourceRow(
                    cells.line,
                    key=(start, cells.text("workout")),
                    start=start,
                    seconds=None if hours is None else round(hours * HOUR),
                    title=cells.text("workout name"),
                    exercise=required(cells, "exercise"),
                    exercise_notes=cells.text("notes"),
                    one=one,
                )
            )


def pairs(cells: Cells) -> Iterator[SourceSet | None]:
    """The sets of a row in order, None for one without repetitions."""
    for number in itertools.count(1):
        name = f"set {number} (reps)"
        if name not in cells.cells:
            return
        reps = cells.number(name, Code.REPS)
        if reps is not None:
            yield one_of(cells, number, reps) if reps else None


def one_of(cells: Cells, number: int, reps: float) -> SourceSet:
    one: SourceSet = {"reps": reps}
    for unit in ("kg", "lb"):
        weight = cells.number(f"set {number} ({unit})", Code.WEIGHT)
        if weight is not None:
            put_weight(one, weight, unit)
            break
    return one
