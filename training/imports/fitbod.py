import datetime
from collections.abc import Iterable, Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells
from fitness.imports.values import Moments
from training.imports.base import YES, Block, SourceRow, WorkoutFormat, put_notes, required, set_of
from training.imports.source import WARMUP

APART = datetime.timedelta(hours=4)  # of two workouts of one day


class Fitbod(WorkoutFormat):
    """Each row has its own moment: a workout starts with its first row, and lasts to its last."""

    name = "fitbod"
    label = "Fitbod"
    where = _("Log, Settings, Export Workout Data.")
    dates = ("date",)
    columns = (("date",), ("exercise",), ("reps",), ("weight(kg)", "weight(lbs)"), ("iswarmup",))

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow]:
        start = cells.moment(moments, "date")
        one = set_of(cells, "duration(s)", zero_is_none=True)
        put_notes(one, cells.text("note"))
        if cells.text("iswarmup").lower() in YES:
            one["kind"] = WARMUP
        yield SourceRow(cells.line, key=(), start=start, exercise=required(cells, "exercise"), one=one)

    def continues(self, block: Block, row: SourceRow) -> bool:
        before, after = clock(block.starts[-1]), clock(row.start)
        return before.date() == after.date() and abs(after - before) < APART

    def blocks(self, rows: Iterable[SourceRow]) -> Iterator[Block]:
        for block in super().blocks(rows):
            starts = sorted(block.starts, key=clock)
            if starts[0] != block.starts[0]:  # newest first
                for exercise in block.workout["exercises"]:
                    exercise["sets"].reverse()
                    exercise["lines"].reverse()
                block.workout["exercises"].reverse()
            block.workout["start"], block.workout["end"] = starts[0], starts[-1]
            block.key = (starts[0],)
            yield block


def clock(text: str) -> datetime.datetime:
    """What a clock showed: rows of one file may have offsets or none. One with slashes cannot be compared."""
    try:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return datetime.datetime.min
