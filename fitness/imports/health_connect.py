"""The export of Android's Health Connect: a ZIP with the SQLite database that it stores values in.

Tables and columns are those of Android's own source (packages/modules/HealthFitness: WeightRecordHelper,
BodyFatRecordHelper, NutritionRecordHelper, ExerciseSessionRecordHelper and what these extend): times are
milliseconds of Unix, weights and foods grams, energy calories (a thousandth of what people call so), body fat
a percentage. Kinds of sessions are those of ExerciseSessionType there, not of the library for apps.

The database is somebody's file: it is opened without a right to write, nothing in it but plain tables is
read, and what takes long is ended.
"""

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, BinaryIO

from django.conf import settings
from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Refused, value_of
from fitness.imports.findings import Code, Findings
from fitness.imports.messages import Unreadable
from fitness.imports.samples import BROKEN, Counted, Sample, measured, opened
from fitness.imports.values import check_day

BLOCK = 1_000_000
MAX_SECONDS = 20.0  # a worker holds its task for 30 and reads nothing of the file meanwhile
MAX_VALUE_BYTES = 1_000_000
STEPS_AT_ONCE = 100_000  # of SQLite's machine, between two looks at the clock
STRENGTH = (45, 55)  # EXERCISE_SESSION_TYPE_STRENGTH_TRAINING, _WEIGHTLIFTING
MACROS = {"energy": "calories", "protein": "protein_g", "total_carbohydrate": "carbs_g", "total_fat": "fat_g"}
# What is read of each table: its columns by what they become.
INSTANTS = {
    "weight_record_table": ("weight", "weight"),
    "body_fat_record_table": ("percentage", "fat"),
}
NUTRITION, SESSIONS = "nutrition_record_table", "exercise_session_record_table"
TABLES = (*INSTANTS, NUTRITION, SESSIONS)
# Grams into kg, calories into kcal. Android writes the smallest double where there is no value.
FACTORS = {"weight": 0.001, "calories": 0.001}
NONE = 1e-300
OTHER = _("This database is not that of Health Connect.")
NO_ROOM = _("This export is larger than what this service can unpack.")


def fits(head: bytes) -> bool:
    return head.startswith(b"SQLite format 3\0")


def samples(file: BinaryIO, findings: Findings) -> Iterator[Sample]:
    """Yields the values, a table after the other. Raises Unreadable."""
    # Not in /tmp, which is memory in containers, but in one without a folder of its own.
    folder = settings.DATA_DIR if os.access(settings.DATA_DIR, os.W_OK) else None
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".db") as unpacked:
        with opened(file, fits) as found:
            if found is None:
                raise Unreadable(BROKEN)
            unpack(found, unpacked)
        try:
            with closing(connected(unpacked.name)) as database:
                yield from samples_of(database, findings)
        except sqlite3.Error as error:
            raise Unreadable(BROKEN) from error


def unpack(found: Counted, target: IO[bytes]) -> None:
    while block := found.read(BLOCK):
        try:
            target.write(block)
            target.flush()
        except OSError as error:
            raise Unreadable(NO_ROOM) from error


def connected(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(f"{Path(path).as_uri()}?mode=ro&immutable=1", uri=True)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    ends_at = time.monotonic() + MAX_SECONDS
    database.set_progress_handler(lambda: time.monotonic() > ends_at, STEPS_AT_ONCE)
    database.row_factory = sqlite3.Row
    return database


def samples_of(database: sqlite3.Connection, findings: Findings) -> Iterator[Sample]:
    found = columns_of(database)
    if not found:
        raise Unreadable(OTHER)
    for table, (column, what) in INSTANTS.items():
        for row in rows(database, table, found, "time", column):
            yield from sample(row, "time", "time", {column: what}, findings)
    for row in rows(database, NUTRITION, found, "start_time", "end_time", *MACROS):
        yield from sample(row, "start_time", "end_time", MACROS, findings)
    for row in rows(database, SESSIONS, found, "start_time", "end_time", "exercise_type", "title"):
        if row["exercise_type"] in STRENGTH:
            yield from sample(row, "start_time", "end_time", {"exercise_type": "session"}, findings)


def columns_of(database: sqlite3.Connection) -> dict[str, set[str]]:
    """The columns of the plain tables that are read, which an app that never wrote such values lacks."""
    plain = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
    names = [row["name"] for row in database.execute(plain) if row["name"] in TABLES]
    return {
        name: {row["name"] for row in database.execute("SELECT name FROM pragma_table_info(?)", [name])}
        for name in names
    }


def rows(
    database: sqlite3.Connection, table: str, found: dict[str, set[str]], *columns: str
) -> Iterator[sqlite3.Row]:
    """The rows of a table, with NULL for a column that another version of Android does not have."""
    if table not in found:
        return
    named = ("row_id", "app_info_id", *columns)
    listed = ", ".join(name if name in found[table] else f"NULL AS {name}" for name in named)
    yield from database.execute(f"SELECT {listed} FROM {table}")


def sample(
    row: sqlite3.Row, start: str, end: str, columns: dict[str, str], findings: Findings
) -> Iterator[Sample]:
    """The samples of a row: one for each of its columns that says something."""
    line = row["row_id"] if isinstance(row["row_id"], int) and 0 < row["row_id"] < 2**31 else 0
    try:
        begun, ended = moment(row[start]), moment(row[end])
        for column, what in columns.items():
            value = row[column]
            if value is not None and not (isinstance(value, float) and abs(value) < NONE):
                number = measured(what, value, "", {"": FACTORS.get(what, 1)})
                title = str(row["title"] or "") if what == "session" else ""
                app = str(row["app_info_id"] or "")
                yield Sample(line, what, app, begun, ended, number, "kg", title)
    except Refused as refused:
        refused.tell(findings, line)


def moment(milliseconds: Any) -> datetime:
    """Raises Refused."""
    text = str(milliseconds)
    try:
        read = datetime.fromtimestamp(int(text) / 1000, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise Refused("time", text, Code.DATE, _("is not a date")) from error
    value_of("time", text, Code.DATE, lambda text: check_day(read.date()))
    return read
