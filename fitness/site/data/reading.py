"""A file into candidates, whichever format it is in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_noop

from accounts.imports.models import ImportRun
from fitness.imports.findings import Findings
from fitness.imports.formats import Candidate, Format, note_unread, recognise
from fitness.imports.messages import Message, Unreadable
from fitness.imports.tables import MAX_ROWS, Table, read_tables
from fitness.site.data import archive
from fitness.site.data.registry import FILE_FORMATS, FORMATS
from training.models import Exercise

MANY_RECORDS = gettext_noop("This file has more than %(most)s records. Split the file by year.")
MAX_RECORDS = 10_000  # workouts of a file; an archive has its own limits
MAX_MEASURED = 50_000  # of a health export, which nobody can split


@dataclass(frozen=True)
class Options:
    """How a file is read: the command lifts the limits, and may name the format."""

    format: str | None = None
    max_rows: int | None = MAX_ROWS
    max_records: int | None = MAX_RECORDS


@dataclass(frozen=True)
class Found:
    source: str  # the name of the format that most is in
    formats: list[str]  # the names of all
    candidates: Iterator[Candidate]  # may raise Unreadable
    left: list[str]  # members of an archive that nothing is read from


def read(run: ImportRun, file: BinaryIO, options: Options, findings: Findings) -> Found:
    """What is in the file of a run. Raises Unreadable."""
    for form in FILE_FORMATS:
        if options.format in (None, form.name) and form.is_in(file):
            found = form.read(file, ZoneInfo(run.time_zone), findings)
            return Found(form.name, [form.name], limited(found, MAX_MEASURED), [])
    if archive.is_archive(file) and options.format in (None, archive.NAME):
        is_limited = options.max_records is not None
        exercises = set(Exercise.objects.seen_by(run.account).values_list("pk", flat=True))
        found = archive.read(file, findings, exercises, is_limited=is_limited)
        return Found(archive.NAME, [archive.NAME], found, [])
    if options.format == archive.NAME:
        raise Unreadable(gettext_noop("This file is not an archive of an account."))
    formats = [one for one in FORMATS if options.format in (None, one.name)]
    tables = recognise(read_tables(file, run.file_name, max_rows=options.max_rows), formats)
    known = [(table, one) for table, one in tables if one]
    left = [table.name for table, one in tables if one is None]
    _, main = max(known, key=lambda pair: len(pair[1].columns))  # a table of weights may be beside it
    names = list(dict.fromkeys([main.name, *(one.name for _, one in known)]))
    return Found(main.name, names, limited(candidates(known, findings), options.max_records), left)


def candidates(known: Sequence[tuple[Table, Format]], findings: Findings) -> Iterator[Candidate]:
    for table, one in known:
        yield from one.read(table, findings)
        note_unread(table, findings)


def limited(found: Iterator[Candidate], most: int | None) -> Iterator[Candidate]:
    for number, candidate in enumerate(found, 1):
        if most is not None and number > most:
            raise Unreadable(Message(MANY_RECORDS, {"most": f"{most:,}"}))
        yield candidate
