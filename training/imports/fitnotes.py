import datetime
import re
from collections.abc import Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import WEIGHTS, Cells, Refused
from fitness.imports.findings import Code
from fitness.imports.values import Moments
from training.imports.base import Block, SourceRow, WorkoutFormat, put_notes, required, set_of
from training.imports.source import SourceExercise

ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class FitNotes(WorkoutFormat):
    """A day is one workout, and the rows of a name in it are one exercise."""

    name = "fitnotes"
    label = "FitNotes"
    where = _("Settings, Spreadsheet Export.")
    dates = ("date",)
    columns = (("date",), ("exercise",), ("category",), ("reps",), WEIGHTS)

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow]:
        day = cells.text("date")
        try:
            datetime.date.fromisoformat(day if ISO_DAY.fullmatch(day) else "")
        except ValueError:
            raise Refused("date", day, Code.DATE, _("is not a date as in 2026-08-04")) from None
        one = set_of(cells, "time")
        put_notes(one, cells.text("comment"))
        yield SourceRow(
            cells.line,
            key=(day,),
            start=day,
            exercise=required(cells, "exercise"),
            one=one,
        )

    def finished(self, block: Block) -> Block:
        joined: dict[str, SourceExercise] = {}
        for exercise in block.workout["exercises"]:
            same = joined.setdefault(exercise["name"], exercise)
            if same is not exercise:
                same["sets"] += exercise["sets"]
                same["lines"] += exercise["lines"]
        block.workout["exercises"] = list(joined.values())
        return block
