"""The formats of training apps. A new one is a class, and a name in FORMATS."""

import datetime
import re
from collections.abc import Iterable, Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import WEIGHTS, Cells, Refused
from fitness.imports.findings import Code
from fitness.imports.formats import Format
from fitness.imports.values import Moments, known_as
from training.imports.base import (
    YES,
    Block,
    SourceRow,
    WorkoutFormat,
    put_noted,
    put_notes,
    put_reserve,
    put_weight,
    required,
    set_number,
    set_of,
)
from training.imports.formats_of_exercises import Jefit, StrongLifts
from training.imports.source import DROP, FAILURE, WARMUP, SourceExercise, SourceSet

HEVY_TYPES = {"warmup": WARMUP, "failure": FAILURE, "dropset": DROP}
STRONG_ORDERS = {"w": WARMUP, "d": DROP, "f": FAILURE}
STRONG_NO_NOTES = "-"  # what a file for Hevy has instead of an empty text
ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
FITBOD_APART = datetime.timedelta(hours=4)  # of two workouts


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
        if kind := HEVY_TYPES.get(cells.text("set_type").lower()):
            one["kind"] = kind
        yield SourceRow(
            cells.line,
            key=(start, end, title),
            start=start,
            end=end,
            title=title,
            workout_notes=hevy_text(cells.text("description")),
            exercise=required(cells, "exercise_title"),
            exercise_notes=hevy_text(cells.text("exercise_notes")),
            superset=cells.text("superset_id") or None,
            number=set_number(cells.text("set_index")),
            one=one,
        )


def hevy_text(text: str) -> str:
    r"""A text whose line breaks are written as the two characters \n."""
    return text.replace("\\n", "\n")


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
        notes = strong_notes(cells, "notes")
        yield SourceRow(
            cells.line,
            key=(workout,) if workout else (start, title),
            start=start,
            seconds=strong_seconds(cells),
            title=title,
            workout_notes=strong_notes(cells, "workout notes"),
            exercise=required(cells, "exercise name"),
            exercise_notes=notes if order == "note" else "",
            number=set_number(order),
            one=None if order == "note" else strong_set(cells, order, notes),
        )


def strong_set(cells: Cells, order: str, notes: str) -> SourceSet:
    one = set_of(cells, "seconds", zero_is_none=True)
    put_noted(one, cells)
    put_notes(one, notes)
    if kind := STRONG_ORDERS.get(order):
        one["kind"] = kind
    return one


def strong_notes(cells: Cells, name: str) -> str:
    text = cells.text(name)
    return "" if text == STRONG_NO_NOTES else text


def strong_seconds(cells: Cells) -> int | None:
    names = ("duration", "duration (sec)", "workout duration")
    return next((cells.seconds(name) for name in names if cells.text(name)), None)


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


class FitNotesIos(WorkoutFormat):
    name = "fitnotes_ios"
    label = "FitNotes (iOS)"
    where = _("Settings, Export, CSV.")
    dates = ("starttime",)
    zone = datetime.UTC
    columns = tuple(
        [name]
        for name in ("name", "starttime", "exercise", "equipment", "reps", "weight", "status", "iswarmup")
    )

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

    def continues(self, block: Block, row: SourceRow) -> bool:
        return is_one_session(moment_in(block.starts[-1]), moment_in(row.start))

    def blocks(self, rows: Iterable[SourceRow]) -> Iterator[Block]:
        return map(in_order, super().blocks(rows))


def is_one_session(before: datetime.datetime, after: datetime.datetime) -> bool:
    if before.tzinfo and after.tzinfo:
        return abs(after - before) < FITBOD_APART
    before, after = before.replace(tzinfo=None), after.replace(tzinfo=None)
    return before.date() == after.date() and abs(after - before) < FITBOD_APART


def in_order(block: Block) -> Block:
    """A block of Fitbod from its first row to its last, which is its start and its end."""
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


class Liftosaur(WorkoutFormat):
    name = "liftosaur"
    label = "Liftosaur"
    where = _("Me, Settings, Export history to CSV.")
    dates = ("workout datetime",)
    zone = datetime.UTC
    columns = (("workout datetime",), ("exercise",), ("is warmup set?",), ("completed reps",))

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
            exercise=liftosaur_name(required(cells, "exercise")),
            exercise_notes=cells.text("notes"),
            one=liftosaur_set(cells),
        )

    def finished(self, block: Block) -> Block:
        block.workout["end"] = max([block.workout["start"], *block.ends])
        return block


def liftosaur_name(text: str) -> str:
    """ "Squat (Dumbbell)" of "Squat, Dumbbell"."""
    name, comma, equipment = text.rpartition(", ")
    return f"{name} ({equipment})" if comma else text


def liftosaur_set(cells: Cells) -> SourceSet:
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


FORMATS: list[Format] = [
    *(Hevy(), Strong(), FitNotes(), Fitbod(), FitNotesIos(), StrongLifts(), Jefit(), Liftosaur())
]
