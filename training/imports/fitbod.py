import datetime
from collections.abc import Iterable, Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells
from fitness.imports.values import Moments, known_as
from training.imports.base import YES, Block, SourceRow, WorkoutFormat, put_notes, required, set_of
from training.imports.source import WARMUP

APART = datetime.timedelta(hours=4)  # of two workouts


class Fitbod(WorkoutFormat):
    """Each row has its own moment: a workout starts with its first row, and lasts to its last.

    Local times are cut at midnight as well. Moments with an offset are not: it is often that of UTC, whose
    midnight is in the middle of an American evening.
    """

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

    def blocks(self, rows: Iterable[SourceRow]) -> Iterator[Block]:
        return map(block_of, sessions_of(rows))


def sessions_of(rows: Iterable[SourceRow]) -> Iterator[list[SourceRow]]:
    """Consecutive rows each of which is of the session of the one before."""
    session: list[SourceRow] = []
    for row in rows:
        if session and not is_one_session(moment_in(session[-1].start), moment_in(row.start)):
            yield session
            session = []
        session.append(row)
    if session:
        yield session


def is_one_session(before: datetime.datetime, after: datetime.datetime) -> bool:
    if before.tzinfo and after.tzinfo:
        return abs(after - before) < APART
    before, after = before.replace(tzinfo=None), after.replace(tzinfo=None)
    return before.date() == after.date() and abs(after - before) < APART


def block_of(rows: list[SourceRow]) -> Block:
    block = Block.begun_by(rows[0])
    for row in rows:
        block.add(row)
    starts = sorted(block.starts, key=clock)
    if starts[0] != block.starts[0]:  # newest first
        for exercise in block.workout["exercises"]:
            exercise["sets"].reverse()
            exercise["lines"].reverse()
        block.workout["exercises"].reverse()
    block.workout["start"], block.workout["end"] = starts[0], starts[-1]
    block.key = (starts[0],)
    return block


def clock(text: str) -> datetime.datetime:
    """What a clock showed: rows of one file may have offsets or none."""
    return moment_in(text).replace(tzinfo=None)


def moment_in(text: str) -> datetime.datetime:
    """What `Moments.read` returns; noon for a day alone. One with slashes cannot be compared."""
    try:
        return datetime.datetime.fromisoformat(known_as(text))
    except ValueError:
        return datetime.datetime.min
