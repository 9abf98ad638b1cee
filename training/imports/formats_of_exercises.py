"""The formats of training apps whose rows are exercises, each with several sets."""

import datetime
import itertools
import re
from collections.abc import Iterator

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Cells, Refused
from fitness.imports.findings import Code, Findings
from fitness.imports.formats import Candidate
from fitness.imports.tables import Row, Table
from fitness.imports.values import Moments, number, unit_of
from training.imports.base import SourceRow, WorkoutFormat, candidate_of, merged, put_weight, required
from training.imports.source import SourceSet

HOUR = 3600  # seconds
JEFIT_SETTING, JEFIT_SESSIONS, JEFIT_LOGS = "### setting", "### workout sessions", "### exercise logs"
JEFIT_SET = re.compile(r"\s*(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)\s*", re.ASCII)


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
        sets = list(stronglifts_sets(cells))
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


def stronglifts_sets(cells: Cells) -> Iterator[SourceSet | None]:
    """The sets of a row in order, None for one without repetitions."""
    for place in itertools.count(1):
        name = f"set {place} (reps)"
        if name not in cells.cells:
            return
        reps = cells.number(name, Code.REPS)
        if reps is not None:
            yield stronglifts_set(cells, place, reps) if reps else None


def stronglifts_set(cells: Cells, place: int, reps: float) -> SourceSet:
    one: SourceSet = {"reps": reps}
    for unit in ("kg", "lb"):
        weight = cells.number(f"set {place} ({unit})", Code.WEIGHT)
        if weight is not None:
            put_weight(one, weight, unit)
            break
    return one


class Jefit(WorkoutFormat):
    """A file of sections: a row of the logs is an exercise, with its sets in one text."""

    name = "jefit"
    label = "JEFIT"
    where = _("On the website: My Jefit, Settings, Export data.")
    dates = ("mydate",)
    columns = ((JEFIT_LOGS,),)

    def __init__(self, unit: str | None = None, sessions: dict[str, tuple[str, str]] | None = None) -> None:
        self.unit = unit
        self.sessions = sessions or {}  # (start, end) by id

    def read(self, table: Table, findings: Findings) -> Iterator[Candidate]:
        reader = Jefit(jefit_unit(table), dict(jefit_sessions(table)))
        logs = table.sections[JEFIT_LOGS]
        moments = reader.moments(logs)
        rows = reader.rows(logs, findings, moments)
        blocks = merged(reader.blocks(rows), findings, table.max_workouts)
        findings.asks |= moments.asks
        yield from map(candidate_of, blocks)

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow]:
        session = self.sessions.get(cells.text("belongsession"))
        start, end = session or (cells.moment(moments, "mydate"), None)
        texts = required(cells, "logs").split(",")
        for one in [jefit_set(text, self.unit) for text in texts]:
            exercise = required(cells, "ename")
            yield SourceRow(
                cells.line, key=(start, end or ""), start=start, end=end, exercise=exercise, one=one
            )


def jefit_set(text: str, unit: str | None) -> SourceSet:
    match = JEFIT_SET.fullmatch(text)
    if not match:
        raise Refused("logs", text, Code.REPS, _("is not weight x repetitions"))
    one: SourceSet = {"reps": jefit_number(match[2])}
    put_weight(one, jefit_number(match[1]), unit)
    return one


def jefit_number(text: str) -> float:
    try:
        return number(text, ",") or 0.0
    except ValueError as error:
        raise Refused("logs", text, Code.NUMBER, str(error)) from error


def jefit_unit(table: Table) -> str | None:
    for row in jefit_rows(table, JEFIT_SETTING):
        try:
            return unit_of(row.cells.get("mass", ""))
        except ValueError:
            return None
    return None


def jefit_sessions(table: Table) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yields the id of each session, and its start and end."""
    for row in jefit_rows(table, JEFIT_SESSIONS):
        try:
            start, end = (jefit_moment(row.cells[name]) for name in ("starttime", "endtime"))
            yield row.cells["_id"], (start, end)
        except (KeyError, ValueError, OverflowError, OSError):
            continue  # its logs have a date of their own


def jefit_moment(unix_seconds: str) -> str:
    return datetime.datetime.fromtimestamp(int(unix_seconds), datetime.UTC).isoformat()


def jefit_rows(table: Table, section: str) -> Iterator[Row]:
    if section in table.sections:
        yield from table.sections[section].rows(Findings())
