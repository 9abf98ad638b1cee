import datetime
from collections.abc import Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells
from fitness.imports.findings import Findings
from fitness.imports.tables import Table
from fitness.imports.values import Moments
from training.imports.base import (
    YES,
    SourceRow,
    WorkoutFormat,
    put_noted,
    put_notes,
    put_reserve,
    required,
    set_of,
)
from training.imports.source import WARMUP


class FitNotesIos(WorkoutFormat):
    name = "fitnotes_ios"
    label = "FitNotes (iOS)"
    where = _("Settings, Export, CSV.")
    dates = ("starttime",)
    columns = tuple(
        [name]
        for name in ("name", "starttime", "exercise", "equipment", "reps", "weight", "status", "iswarmup")
    )

    def moments(self, table: Table) -> Moments:
        return Moments((row.cells["starttime"] for row in table.rows(Findings())), datetime.UTC)

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow]:
        start = cells.moment(moments, "starttime")
        end = cells.moment(moments, "endtime") if cells.text("endtime") else ""
        title, equipment = cells.text("name"), cells.text("equipment")
        exercise = required(cells, "exercise")
        one = set_of(cells, "time")
        put_noted(one, cells)
        put_reserve(one, cells)
        put_notes(one, cells.text("note"))
        if cells.text("iswarmup").lower() in YES:
            one["kind"] = WARMUP
        if cells.text("status").lower() != "done":
            one["is_planned"] = True
        yield SourceRow(
            cells.line,
            key=(title, start, end),
            start=start,
            end=end,
            title=title,
            exercise=f"{exercise} ({equipment})" if equipment else exercise,
            one=one,
        )
