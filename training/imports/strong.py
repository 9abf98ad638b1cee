from collections.abc import Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import WEIGHTS, Cells
from fitness.imports.values import Moments
from training.imports.base import SourceRow, WorkoutFormat, put_noted, put_notes, required, set_number, set_of
from training.imports.source import DROP, FAILURE, WARMUP, SourceSet

SET_ORDERS = {"w": WARMUP, "d": DROP, "f": FAILURE}
NO_NOTES = "-"  # what a file for Hevy has instead of an empty text


class Strong(WorkoutFormat):
    name = "strong"
    label = "Strong"
    where = _("Settings, Export Data.")
    dates = ("date",)
    columns = (("date",), ("exercise name",), ("set order",), ("reps",), WEIGHTS)

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow | None]:
        order = required(cells, "set order").lower()
        if order == "rest timer":
            yield None
            return
        start = cells.moment(moments, "date")
        title, workout = cells.text("workout name"), cells.text("workout #")
        notes = notes_of(cells, "notes")
        yield SourceRow(
            cells.line,
            key=(workout,) if workout else (start, title),
            start=start,
            seconds=seconds_of(cells),
            title=title,
            workout_notes=notes_of(cells, "workout notes"),
            exercise=required(cells, "exercise name"),
            exercise_notes=notes if order == "note" else "",
            number=set_number(order),
            one=None if order == "note" else one_of(cells, order, notes),
        )


def one_of(cells: Cells, order: str, notes: str) -> SourceSet:
    one = set_of(cells, "seconds", zero_is_none=True)
    put_noted(one, cells)
    put_notes(one, notes)
    if kind := SET_ORDERS.get(order):
        one["kind"] = kind
    return one


def notes_of(cells: Cells, name: str) -> str:
    text = cells.text(name)
    return "" if text == NO_NOTES else text


def seconds_of(cells: Cells) -> int | None:
    names = ("duration", "duration (sec)", "workout duration")
    return next((cells.seconds(name) for name in names if cells.text(name)), None)
