import datetime
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

SETTING, SESSIONS, LOGS = "### setting", "### workout sessions", "### exercise logs"
SET = re.compile(r"\s*(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)\s*", re.ASCII)


class Jefit(WorkoutFormat):
    """A file of sections: a row of the logs is an exercise, with its sets in one text."""

    name = "jefit"
    label = "JEFIT"
    where = _("On the website: My Jefit, Settings, Export data.")
    dates = ("mydate",)
    columns = ((LOGS,),)

    def __init__(self, unit: str | None = None, sessions: dict[str, tuple[str, str]] | None = None) -> None:
        self.unit = unit
        self.sessions = sessions or {}  # (start, end) by id

    def read(self, table: Table, findings: Findings) -> Iterator[Candidate]:
        reader = Jefit(unit_in(table), dict(sessions_in(table)))
        logs = table.sections[LOGS]
        moments = reader.moments(logs)
        rows = reader.rows(logs, findings, moments)
        blocks = merged(reader.blocks(rows), findings, table.max_workouts)
        findings.asks |= moments.asks
        yield from map(candidate_of, blocks)

    def sets_of(self, cells: Cells, moments: Moments) -> Iterator[SourceRow]:
        session = self.sessions.get(cells.text("belongsession"))
        start, end = session or (cells.moment(moments, "mydate"), None)
        texts = required(cells, "logs").split(",")
        for one in [one_of(text, self.unit) for text in texts]:
            exercise = required(cells, "ename")
            yield SourceRow(
                cells.line, key=(start, end or ""), start=start, end=end, exercise=exercise, one=one
            )


def one_of(text: str, unit: str | None) -> SourceSet:
    match = SET.fullmatch(text)
    if not match:
        raise Refused("logs", text, Code.REPS, _("is not weight x repetitions"))
    one: SourceSet = {"reps": number_of(match[2])}
    put_weight(one, number_of(match[1]), unit)
    return one


def number_of(text: str) -> float:
    try:
        return number(text, ",") or 0.0
    except ValueError as error:
        raise Refused("logs", text, Code.NUMBER, str(error)) from error


def unit_in(table: Table) -> str | None:
    for row in rows_of(table, SETTING):
        try:
            return unit_of(row.cells.get("mass", ""))
        except ValueError:
            return None
    return None


def sessions_in(table: Table) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yields the id of each session, and its start and end."""
    for row in rows_of(table, SESSIONS):
        try:
            start, end = (moment_of(row.cells[name]) for name in ("starttime", "endtime"))
            yield row.cells["_id"], (start, end)
        except (KeyError, ValueError, OverflowError, OSError):
            continue  # its logs have a date of their own


def moment_of(unix_seconds: str) -> str:
    return datetime.datetime.fromtimestamp(int(unix_seconds), datetime.UTC).isoformat()


def rows_of(table: Table, section: str) -> Iterator[Row]:
    if section in table.sections:
        yield from table.sections[section].rows(Findings())
