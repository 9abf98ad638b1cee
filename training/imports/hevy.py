from collections.abc import Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells
from fitness.imports.values import Moments
from training.imports.base import SourceRow, WorkoutFormat, put_noted, required, set_number, set_of
from training.imports.source import DROP, FAILURE, WARMUP

SET_TYPES = {"warmup": WARMUP, "failure": FAILURE, "dropset": DROP}


class Hevy(WorkoutFormat):
    name = "hevy"
    label = "Hevy"
    where = _(
        "Profile, Settings, Export & Import Data. Set the app to English first, so that exercise names match."
    )
    dates = ("start_time",)
    columns = (
        *(("start_time",), ("exercise_title",), ("set_index",), ("set_type",), ("reps",)),
        ("weight_kg", "weight_lbs"),
    )

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow]:
        start = cells.moment(moments, "start_time")
        end = cells.moment(moments, "end_time") if cells.text("end_time") else ""
        title = cells.text("title")
        one = set_of(cells, "duration_seconds")
        put_noted(one, cells)
        if kind := SET_TYPES.get(cells.text("set_type").lower()):
            one["kind"] = kind
        yield SourceRow(
            cells.line,
            key=(start, end, title),
            start=start,
            end=end,
            title=title,
            workout_notes=lines_of(cells.text("description")),
            exercise=required(cells, "exercise_title"),
            exercise_notes=lines_of(cells.text("exercise_notes")),
            superset=cells.text("superset_id") or None,
            number=set_number(cells.text("set_index")),
            one=one,
        )


def lines_of(text: str) -> str:
    r"""A text whose line breaks are written as the two characters \n."""
    return text.replace("\\n", "\n")
