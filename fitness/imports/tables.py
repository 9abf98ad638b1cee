"""Bytes into rows: encodings, delimiters, and their limits; `packing` unpacks ZIP archives.

The file itself is the only copy: it is decoded anew for each pass over its rows, and members of an archive
are unpacked into temporary files. Memory stays bounded by one row.
"""

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO, NamedTuple

from django.utils.translation import gettext_noop as _

from fitness.imports.findings import Code, Findings
from fitness.imports.messages import Message, Unreadable, as_message
from fitness.imports.packing import BLOCK, ZIP, members, shortened

MAX_FILE_BYTES = 20_000_000
MAX_ROWS = 100_000
MAX_WORKOUTS = 10_000
MAX_LINES = 1_000_000  # of a file: texts have line breaks, and empty lines take time, too
MAX_COLUMNS = 500
MAX_FIELD = 65_536  # characters of a cell, and of the header
MAX_ROW = 1_000_000  # characters of a row, so that one line of 20 MB is not read at once
MAX_SECTIONS = 20  # each takes a pass over the lines before it

DELIMITERS = ",;\t"
EMPTY = DELIMITERS + " \r\n\ufeff"  # what a line without a cell is made of
SEPARATOR = re.compile(rf'"?sep=([{DELIMITERS}])"?', re.IGNORECASE)  # the first line of some, for Excel
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Where our own exports put a quote before a text that a spreadsheet would take for a formula.
QUOTED = re.compile(r"'+[=+\-@\t\r]")
# Invisible marks that say in which direction a text is written.
DIRECTIONS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF])

# What is said of a file, with its values.
MANY_LINES = _("This file has more than %(most)s lines. Split the file by year.")
ONE_COLUMN = _("has %(count)s column, not %(columns)s")
OTHER_COLUMNS = _("has %(count)s columns, not %(columns)s")
LARGE = _("This file is larger than %(megabytes)s MB. Split it by year, and import the parts.")
OF_MEMBER = "%(member)s: %(problem)s"
MANY_COLUMNS = _(
    "This file has %(count)s columns, more than %(most)s. Choose the file as the app exports it."
)
MANY_SECTIONS = _("This file has more than %(most)s sections. Is it the app's own file?")
MANY_ROWS = _("This file has %(count)s rows, more than %(most)s. Split the file by year.")
TOO_MANY_ROWS = _("This file has too many rows, more than %(most)s. Split the file by year.")
OPEN_QUOTE = _(
    "The quotation mark in line %(line)s is never closed, so the rows after it cannot be told apart. "
    "Export the file again, or mend that line."
)
LONG_TEXT = _(
    "Line %(line)s holds a text of more than %(kilobytes)s KB: probably a quotation mark that is never "
    "closed. Mend that line."
)


class NotText(Unreadable):
    """A file that holds no text. In an archive it is left alone."""


class Row(NamedTuple):
    line: int  # of the file, where the row begins; the header is 1
    cells: dict[str, str]  # by the column's name, trimmed and in lower case; texts are stripped


@dataclass(frozen=True)
class Text:
    """A file that holds text."""

    file: IO[bytes]
    encoding: str

    def lines(self, first: int = 1, last: int | None = None) -> Iterator[str]:
        """Yields the lines from `first` to `last`, with their ends. One pass at a time."""
        self.file.seek(0)
        buffered = io.BufferedReader(Shared(self.file), BLOCK)
        text = io.TextIOWrapper(buffered, self.encoding, newline="")
        lines = itertools.islice(iter(lambda: text.readline(MAX_ROW), ""), last)
        for number, line in enumerate(lines, 1):
            if number > MAX_LINES:
                raise Unreadable(Message(MANY_LINES, {"most": f"{MAX_LINES:,}"}))
            if number >= first:
                yield line


class Shared(io.RawIOBase):
    """A file that stays open when what reads it is closed, or collected."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self.file.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


@dataclass
class Table:
    """One table of a file."""

    name: str  # of the file, or of the member of an archive
    header: list[str]  # as the file has it, trimmed; empty where a member of an archive is no text
    delimiter: str
    text: Text | None = None
    first: int = 1  # the line of the header
    last: int | None = None  # the last line; None for the end of the file
    # Where a file has several tables, each under a line `### NAME ###`: these, by `### name`. The file's own
    # table has their names as its header, and no rows.
    sections: dict[str, "Table"] = field(default_factory=dict)
    max_workouts: int | None = MAX_WORKOUTS
    count: int = 0  # of its rows, and those of its sections
    max_rows: int | None = None  # also of sets, where a row holds several
    asked: set[str] = field(default_factory=set)  # the columns that a format has looked for, also in vain

    @property
    def columns(self) -> list[str]:
        """The names of the columns by which rows have their cells: a repeated one takes a number."""
        names: list[str] = []
        for name in self.header:
            plain = name.lower()
            names.append(plain if plain not in names else f"{plain} ({len(names) + 1})")
        return names

    def rows(self, findings: Findings) -> Iterator[Row]:
        """Yields the rows in the order of the file; refuses those with more or fewer cells than the header.

        Empty rows are left out. One pass at a time, also over the sections of a file.
        """
        columns = self.columns
        for line, found in self.records():
            cells = [plain_text(cell) for cell in found]
            if len(cells) == len(columns):
                if any(cells):
                    yield Row(line, dict(zip(columns, cells, strict=True)))
            else:
                message = ONE_COLUMN if len(cells) == 1 else OTHER_COLUMNS
                text = Message(message, {"count": len(cells), "columns": len(columns)})
                findings.refuse(line, "", self.delimiter.join(cells), Code.COLUMNS, text)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """The cells of each row below the header, with the line where it begins."""
        if self.text and self.header:
            yield from itertools.islice(records(self.text, self.delimiter, self.first, self.last), 1, None)


def read_tables(file: BinaryIO, name: str, *, max_rows: int | None = MAX_ROWS) -> list[Table]:
    """The tables of a file, or of the members of a ZIP archive. Raises Unreadable.

    All rows are read once to find what is beyond the limits, so that reading them again finds nothing new.
    Without `max_rows` there is no limit of workouts either.
    """
    if file.seek(0, io.SEEK_END) > MAX_FILE_BYTES:
        raise Unreadable(Message(LARGE, {"megabytes": MAX_FILE_BYTES // 1_000_000}))
    file.seek(0)
    if file.read(4) not in ZIP:
        tables = checked(tables_of(file, shortened(name)), max_rows)
    else:
        tables = list(tables_of_members(file, max_rows))
    for table in tables:
        table.max_workouts = None if max_rows is None else MAX_WORKOUTS
    return tables


def tables_of_members(archive: BinaryIO, max_rows: int | None) -> Iterator[Table]:
    """The table of each file in a ZIP archive; `max_rows` is for all of them together."""
    for name, member in members(archive):
        for table in tables_of_member(member, name, max_rows):
            max_rows = None if max_rows is None else max_rows - table.count
            yield table


def tables_of_member(member: IO[bytes], name: str, max_rows: int | None) -> list[Table]:
    try:
        return checked(tables_of(member, name), max_rows)
    except NotText:
        return [Table(name, [], ",")]
    except Unreadable as error:
        raise Unreadable(Message(OF_MEMBER, {"member": name, "problem": as_message(error.said)})) from error


def tables_of(file: IO[bytes], name: str) -> list[Table]:
    """The table of a file, or the one that has its sections; each of those under titles."""
    text = Text(file, encoding_of(file))
    lines = ((number, line) for number, line in enumerate(text.lines(), 1) if line.strip())
    number, head = next(lines, (1, ""))
    if not head:
        raise Unreadable(_("This file is empty. Export it again from the app."))
    if head.lstrip().startswith("<"):
        raise Unreadable(_("This is a web page, not a table. Download the app's CSV file itself."))
    if head.startswith("###"):
        sections = sections_of(text, name)
        by_key = {key.lower(): table for key, table in sections.items()}
        return [Table(name, list(sections), ",", sections=by_key)]
    if named := SEPARATOR.fullmatch(head.strip()):
        return [with_header(Table(name, [], named[1], text, first=number + 1))]
    second = next(lines, (0, ""))[1]
    if is_title(head) and not is_title(second):
        return [with_header(table) for table in titled(text, name)]
    return [with_header(Table(name, [], delimiter_of(head), text))]


def titled(text: Text, name: str) -> list[Table]:
    """The tables of a file like Fitbit's: "Body" above names of columns and rows, an empty line, "Foods"."""
    found: list[Table] = []
    is_begin = True  # of the file, or after an empty line
    is_header = False  # what follows a title
    for number, line in enumerate(text.lines(), 1):
        if is_begin and is_title(line) and len(found) < MAX_SECTIONS:
            if found:
                found[-1].last = number - 1
            title = shortened(line.strip(EMPTY).strip('"'))
            found.append(Table(f"{name}: {title}", [], ",", text, first=number + 1))
            is_header = True
        elif is_header and line.strip(EMPTY):
            found[-1].delimiter = delimiter_of(line)
            is_header = False
        is_begin = not line.strip(EMPTY)
    return found


def is_title(line: str) -> bool:
    """Whether a line has one cell alone, perhaps with the delimiters that spreadsheets add."""
    cell = line.strip(EMPTY)
    return bool(cell) and not any(delimiter in cell for delimiter in DELIMITERS)


def delimiter_of(line: str) -> str:
    return max(DELIMITERS, key=line.count)


def with_header(table: Table) -> Table:
    """The table as its first row that is not empty names the columns."""
    assert table.text
    for line, cells in records(table.text, table.delimiter, table.first, table.last):
        table.first = line
        table.header = [cell.translate(DIRECTIONS).strip() for cell in cells]
        break
    if len(table.header) > MAX_COLUMNS:
        raise Unreadable(Message(MANY_COLUMNS, {"count": f"{len(table.header):,}", "most": MAX_COLUMNS}))
    if sum(map(len, table.header)) > MAX_FIELD:
        raise Unreadable(
            _("The first line of this file is too long for names of columns. Is it the app's CSV file?")
        )
    return table


def sections_of(text: Text, name: str) -> dict[str, Table]:
    """The tables under lines `### NAME ###`, by `### NAME`. A line of nothing but `#` ends one."""
    found: dict[str, Table] = {}
    current: Table | None = None
    for number, line in enumerate(text.lines(), 1):
        if not line.startswith("###"):
            continue
        section = line.strip().strip("#").strip()
        if current:
            current.last = number - 1
        current = Table(name, [], ",", text, first=number + 1) if section else None
        if current:
            found.setdefault(f"### {section}", current)
        if len(found) > MAX_SECTIONS:
            raise Unreadable(Message(MANY_SECTIONS, {"most": MAX_SECTIONS}))
    return {key: with_header(table) for key, table in found.items()}


def checked(tables: list[Table], max_rows: int | None) -> list[Table]:
    """The tables. Raises Unreadable if reading their rows does, or if there are more than `max_rows`."""
    for table in tables:
        for part in [table, *table.sections.values()]:
            part.max_rows = max_rows
            table.count += sum(1 for _ in part.records())
    check_rows(sum(table.count for table in tables), max_rows)
    return tables


def check_rows(count: int, max_rows: int | None) -> None:
    if max_rows is not None and count > max_rows:
        message = MANY_ROWS if max_rows == MAX_ROWS else TOO_MANY_ROWS
        raise Unreadable(Message(message, {"count": f"{count:,}", "most": f"{MAX_ROWS:,}"}))


def records(text: Text, delimiter: str, first: int, last: int | None) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that has any, the header first, with its first line. Raises Unreadable."""
    lines = RowLines(text.lines(first, last), first)
    cells: list[str]
    try:
        for cells in csv.reader(lines, delimiter=delimiter):
            begin, length, taken = lines.next_row()
            if length > MAX_FIELD and max(map(len, cells)) > MAX_FIELD:
                raise too_long(begin)
            if cells:
                yield begin, cells
    except csv.Error as error:  # a field beyond csv's own limit
        raise too_long(lines.begin) from error
    if lines.begin > first and is_open(taken, delimiter):
        raise Unreadable(Message(OPEN_QUOTE, {"line": begin}))


def is_open(lines: list[str], delimiter: str) -> bool:
    """Whether a quotation mark of a row's lines is not closed: then one more would belong to the same row."""
    return len(list(csv.reader([*lines, '"'], delimiter=delimiter))) == 1


def too_long(line: int) -> Unreadable:
    return Unreadable(Message(LONG_TEXT, {"line": line, "kilobytes": MAX_FIELD // 1024}))


class RowLines:
    """Hands lines to csv, and notes which ones make a row."""

    def __init__(self, lines: Iterator[str], first: int) -> None:
        self.lines = lines
        self.begin = first  # the line where the current row begins
        self.taken: list[str] = []
        self.length = 0

    def __iter__(self) -> "RowLines":
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        self.taken.append(line)
        self.length += len(line)
        if self.length >= MAX_ROW:
            raise too_long(self.begin)
        return line

    def next_row(self) -> tuple[int, int, list[str]]:
        """(line where the row that was read begins, its length, its lines); turns to the next."""
        row = self.begin, self.length, self.taken
        self.begin, self.length, self.taken = self.begin + len(self.taken), 0, []
        return row


def encoding_of(file: IO[bytes]) -> str:
    """The encoding of a text: by its mark, else UTF-8, else Windows' Western one. Raises NotText."""
    file.seek(0)
    head = file.read(3)
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            candidates = [encoding]
            break
    else:
        candidates = ["utf-8", "cp1252"]
    for encoding in candidates:
        if is_text(file, encoding):
            return encoding
    raise NotText(
        _("This file is not text. Choose the CSV file that the app exports, or a ZIP archive of it.")
    )


def is_text(file: IO[bytes], encoding: str) -> bool:
    file.seek(0)
    decode = codecs.getincrementaldecoder(encoding)().decode
    try:
        while block := file.read(BLOCK):
            if "\0" in decode(block):
                return False
        return "\0" not in decode(b"", True)
    except UnicodeDecodeError:
        return False


def plain_text(cell: str) -> str:
    """A cell's text, stripped, without the quote that our own exports put before what is like a formula."""
    text = cell.strip()
    return text[1:] if text[:1] == "'" and QUOTED.match(text) else text


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
