"""What a format of another app's file is: the base of all of them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_noop as _

from fitness.imports.findings import Findings
from fitness.imports.messages import Message, Unreadable
from fitness.imports.tables import Table

OTHER_COLUMNS = _("This file is not recognised. Its columns are %(columns)s; these apps are: %(apps)s.")
NO_TABLE = _("This file is not recognised. It holds no table; these apps are: %(apps)s.")
NOT_READ = _("is a column that is not read; one with the name %(name)s is")
BRACKETS = re.compile(r"\(.*?\)|\[.*?\]")
WORD = re.compile(r"[^\W_]+")
UNITS = {"kg", "kgs", "lb", "lbs", "km", "mi", "miles", "m", "meters", "in"}
MAX_COLUMNS_SAID = 200  # characters of the names of columns in a sentence


@dataclass(frozen=True)
class Candidate:
    """A record as its file writes it, before any answer.

    `key` is what the record is known by in its source, such as the local start and the title of a workout: a
    newer export of the same history has it again. `payload` is stored as JSON until the record is stored; its
    form is the business of the Format that writes it and the Kind that reads it.
    """

    kind: str  # the name of the Kind
    key: str
    lines: tuple[int, int]  # the first and the last line of the file
    payload: dict[str, Any]


class Known:
    """A form of files that are read."""

    name: ClassVar[str]  # "hevy": what is stored and what commands take
    label: ClassVar[str]  # "Hevy": what people read
    where: ClassVar[str]  # where the app hides its export, one sentence


class FileFormat(Known, ABC):
    """A file of a form of its own, which is no table."""

    @abstractmethod
    def is_in(self, file: BinaryIO) -> bool:
        """Whether a file, or an archive, is of the form. Reads little of it. Raises Unreadable."""

    @abstractmethod
    def read(self, file: BinaryIO, zone: ZoneInfo, findings: Findings) -> Iterator[Candidate]:
        """Yields the records of the file, as `Format.read`. Days are those of `zone`. Raises Unreadable."""


class Format(Known, ABC):
    """How an app writes its records into a table."""

    # What must be there, in lower case: of each collection of names at least one.
    columns: ClassVar[Sequence[Collection[str]]]

    def fits(self, header: frozenset[str]) -> int:
        """How many columns of a header the format needs, 0 if one of them is missing.

        The header's names are trimmed and in lower case. Where several formats fit, the one that needs most
        is taken.
        """
        return 0 if any(header.isdisjoint(names) for names in self.columns) else len(self.columns)

    @abstractmethod
    def read(self, table: Table, findings: Findings) -> Iterator[Candidate]:
        """Yields the records of the table in its order.

        Rows that become none of them are counted in `findings.rows` as refused (by `findings.refuse`) or
        ignored; all others are counted by the Kind that makes records of the candidates. Adds to
        `findings.asks` what the file does not say. Raises Unreadable for more workouts than the table allows.
        """


def recognise(tables: Sequence[Table], formats: Sequence[Format]) -> list[tuple[Table, Format | None]]:
    """Each table with the format that it has, or None: such a table is named and left alone.

    Raises Unreadable if no table has one.
    """
    found = [(table, format_of(table, formats)) for table in tables]
    if any(recognised for _, recognised in found):
        return found
    columns = [name for table in tables for name in table.header if name]
    said = ", ".join(columns)
    if len(said) > MAX_COLUMNS_SAID:
        said = f"{said[:MAX_COLUMNS_SAID]}…"
    known = ", ".join(dict.fromkeys(known.label for known in formats))
    raise Unreadable(Message(OTHER_COLUMNS if said else NO_TABLE, {"columns": said, "apps": known}))


def format_of(table: Table, formats: Sequence[Format]) -> Format | None:
    """The most specific format that fits a table."""
    header = frozenset(name.lower() for name in table.header)
    fits = {known: known.fits(header) for known in formats}
    best = max(formats, key=lambda known: fits[known], default=None)
    return best if best and fits[best] else None


def note_unread(table: Table, findings: Findings) -> None:
    """Names the columns of a table that look like one that its format has looked for in vain."""
    header = dict(zip(table.columns, table.header, strict=True))
    found = {words_of(name) for name in table.asked if name in header}
    missed = {words_of(name): name for name in sorted(table.asked)}
    for column, shown in header.items():
        words = words_of(column)
        alike = [name for some, name in missed.items() if some and some not in found and some <= words]
        if alike and column not in table.asked:
            findings.change(table.first, shown, Message(NOT_READ, {"name": alike[0]}))


def words_of(name: str) -> frozenset[str]:
    """The words of a column's name, without units."""
    return frozenset(WORD.findall(BRACKETS.sub(" ", name))) - UNITS
