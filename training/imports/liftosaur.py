import datetime
from collections.abc import Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells
from fitness.imports.findings import Code, Findings
from fitness.imports.tables import Table
from fitness.imports.values import Moments
from training.imports.base import YES, Block, SourceRow, WorkoutFormat, put_noted, put_weight, required
from training.imports.source import WARMUP, SourceSet


class Liftosaur(WorkoutFormat):
    name = "liftosaur"
    label = "Liftosaur"
    where = _("Me, Settings, Export history to CSV.")
    dates = ("workout datetime",)
    columns = (("workout datetime",), ("exercise",), ("is warmup set?",), ("completed reps",))

    def moments(self, table: Table) -> Moments:
        return Moments((row.cells["workout datetime"] for row in table.rows(Findings())), datetime.UTC)

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow]:
        start = cells.moment(moments, "workout datetime")
        end = cells.moment(moments, "completed reps time") if cells.text("completed reps time") else None
        title, program = cells.text("day name"), cells.text("program")
        yield SourceRow(
            cells.line,
            key=(start, program, title),
            start=start,
            end=end,
            title=title,
            plan_name=program or None,
            exercise=name_of(required(cells, "exercise")),
            exercise_notes=cells.text("notes"),
            one=one_of(cells),
        )

    def finished(self, block: Block) -> Block:
        block.workout["end"] = max([block.workout["start"], *block.ends])
        return block


def name_of(text: str) -> str:
    """ "Squat (Dumbbell)" of "Squat, Dumbbell"."""
    name, comma, equipment = text.rpartition(", ")
    return f"{name} ({equipment})" if comma else text


def one_of(cells: Cells) -> SourceSet:
    """What was done; what was required where nothing was."""
    reps = cells.number("completed reps", Code.REPS)
    state = "required" if reps is None else "completed"
    one: SourceSet = {}
    if reps is None:
        one["is_planned"] = True
        reps = cells.number("required reps", Code.REPS)
    if reps is not None:
        one["reps"] = reps
    if (weight := cells.number(f"{state} weight value", Code.WEIGHT)) is not None:
        put_weight(one, weight, cells.unit(f"{state} weight unit"))
    put_noted(one, cells, prefix="completed ")
    if cells.text("is warmup set?").lower() in YES:
        one["kind"] = WARMUP
    return one
