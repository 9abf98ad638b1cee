"""The files that an account takes along: one JSON document, CSV in several forms, and all of it in one ZIP.

Each is made in pieces while it is read from the database, in bounded memory. Each list in it has the records
that there were at one moment (fitness/db/batches.py); what changes while the file is made may be in the lists
that are read later, and not in those before.

Small files are made while the browser waits, large ones by a worker (fitness/site/data/preparing.py).
"""

import datetime
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, cast

from django.utils import timezone
from django.utils.translation import gettext_noop as _

from accounts.api.serializers import ProfileSerializer
from accounts.archives import FlatList
from accounts.models import Account
from fitness.json import dumps, timestamp
from fitness.site.data.archive import FORMAT, LISTS, TABLES, VERSION, WORKOUTS
from fitness.spreadsheets import Cell, Row, csv_pieces
from training import exports as training

# Made at once, below about a second: the ZIP of so much takes 0.7 s, the others 0.1 s.
SMALL_BYTES = 2_000_000
RECORD_BYTES = 200  # of a record that is no workout, about
JSON, CSV, ZIP = "application/json", "text/csv; charset=utf-8", "application/zip"


class Choices(NamedTuple):
    """What CSV forms for other apps depend on: the zone of their times, and the unit of Hevy's form."""

    zone: datetime.tzinfo
    unit: str  # "kg" or "lb"


Pieces = Iterator[bytes]


class File(NamedTuple):
    name: str
    content_type: str
    pieces: Pieces


def archive(account: Account) -> File:
    """All data as the API returns it: each list, oldest first if it has a date."""
    return File("fitness.json", JSON, archive_pieces(account))


def archive_pieces(account: Account) -> Pieces:
    about = {"name": FORMAT, "version": VERSION, "made_at": timestamp(timezone.now())}
    yield b'{"format":' + dumps(about)
    yield b',"profile":' + dumps(ProfileSerializer.rendered(account))
    for one in LISTS:
        yield f',"{one.name}":['.encode()
        for index, document in enumerate(one.documents(account)):
            yield b"," * bool(index) + dumps(document)
        yield b"]"
    yield b"}\n"


def strong(account: Account, choices: Choices) -> File:
    """Workouts in Strong's form, for Hevy and others that import it."""
    rows = training.strong_rows(account, choices.zone)
    return File("strong.csv", CSV, csv_pieces(training.STRONG_HEADER, rows))


def hevy(account: Account, choices: Choices) -> File:
    """Workouts in the form of Hevy's own export."""
    rows = training.hevy_rows(account, choices.zone, choices.unit)
    return File("hevy.csv", CSV, csv_pieces(training.hevy_header(choices.unit), rows))


def tables(account: Account) -> Iterator[File]:
    """One CSV file a list, with the names of the API and times in UTC."""
    yield File("workouts.csv", CSV, csv_pieces(training.SETS_HEADER, training.set_rows(account)))
    for table in TABLES:
        yield File(f"{table.name}.csv", CSV, csv_pieces(table.header, table_rows(table, account)))


def table_rows(table: FlatList, account: Account) -> Iterator[Row]:
    for document in table.documents(account):
        yield list(cast(dict[str, Cell], document).values())


def all_tables(account: Account) -> File:
    return File("tables.zip", ZIP, zip_pieces(tables(account)))


def everything(account: Account, choices: Choices) -> File:
    """All forms in one ZIP."""
    files = [archive(account), strong(account, choices), hevy(account, choices), *tables(account)]
    return File("fitness.zip", ZIP, zip_pieces(files))


class Form(NamedTuple):
    """A file that the page of data offers."""

    label: str  # a message, which pages translate
    address: str  # the name of its URL
    file: Callable[[Account, Choices], File]


FORMS: Mapping[str, Form] = {
    "everything": Form(_("Everything, in one ZIP"), "export-everything", everything),
    "json": Form("JSON", "export", lambda account, choices: archive(account)),
    "strong": Form(_("CSV to import into Hevy"), "export-strong", strong),
    "hevy": Form(_("CSV for apps that read files of Hevy"), "export-hevy", hevy),
}


def estimated_bytes(account: Account) -> int:
    """About how much is read for one form: a little more than the JSON has, three times a form of CSV.

    The ZIP holds all forms, and has a fifth of it.
    """
    others = sum(one.of(account).count() for one in LISTS if one is not WORKOUTS)
    return account.state.stored_bytes + RECORD_BYTES * others


def is_large(account: Account) -> bool:
    return estimated_bytes(account) > SMALL_BYTES


def dated(name: str) -> str:
    """The name of a file with the day in it: fitness-2026-11-25.zip."""
    stem, _, ending = name.rpartition(".")
    return f"{stem}-{timezone.now():%Y-%m-%d}.{ending}"


class Outlet(io.RawIOBase):
    """A file that is written and taken away in pieces; ZipFile finds no way to seek in it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, piece: object) -> int:
        self.written += cast(bytes, piece)
        return len(cast(bytes, piece))

    def take(self) -> bytes:
        piece = bytes(self.written)
        self.written.clear()
        return piece


def zip_pieces(files: Iterable[File]) -> Pieces:
    """One piece for each piece of a file, most of them empty: whoever takes them can do something between."""
    outlet, made_at = Outlet(), timezone.now().timetuple()[:6]
    with zipfile.ZipFile(outlet, "w") as packed:
        for file in files:
            info = zipfile.ZipInfo(file.name, made_at)
            info.compress_type = zipfile.ZIP_DEFLATED
            with packed.open(info, "w") as member:
                for piece in file.pieces:
                    member.write(piece)
                    yield outlet.take()
    yield outlet.take()
