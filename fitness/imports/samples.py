"""Values that were measured one by one, as health stores of phones have them, and the archives of these."""

import datetime
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO, BinaryIO, NamedTuple

from django.utils.translation import gettext_noop as _

from fitness.imports.cells import Refused, value_of
from fitness.imports.findings import Code, Findings
from fitness.imports.messages import Message, Unreadable
from fitness.imports.packing import BROKEN_ZIP, ZIP, check_entries, check_packing, is_file
from fitness.imports.values import number

MAX_ENTRIES = 50_000  # of an archive: Apple adds a file for each walk
MAX_UNPACKED_BYTES = 4_000_000_000
LARGE = _("This export holds more than %(gigabytes)s GB.")
BROKEN = _("This export is damaged, or was not saved to its end. Export it again.")
NO_UNIT = _("has the unit %(unit)s, which is not known here")

Units = dict[str, float]  # what a value in a unit is multiplied by


class Sample(NamedTuple):
    """One value, or a session of training."""

    line: int  # of the file, or a number of its row
    what: str  # "weight", "fat" (%), "waist" (cm), "session", or the name of a macronutrient (kcal, g)
    app: str  # that has measured it
    start: datetime.datetime
    end: datetime.datetime
    value: float = 0
    unit: str = ""  # of a weight: "kg" or "lb"
    title: str = ""  # of a session


class Counted:
    """A member of an archive while it is unpacked: what an archive says of itself may be wrong."""

    def __init__(self, member: IO[bytes]) -> None:
        self.member, self.count = member, 0

    def read(self, size: int) -> bytes:
        block = self.member.read(size)
        self.count += len(block)
        if self.count > MAX_UNPACKED_BYTES:
            raise Unreadable(Message(LARGE, {"gigabytes": MAX_UNPACKED_BYTES // 1_000_000_000}))
        return block


Fits = Callable[[bytes], bool]  # whether a file is the one, by its first bytes
HEAD_BYTES = 4096


class Store(NamedTuple):
    """How the exports of a health store are read."""

    fits: Fits
    samples: Callable[[BinaryIO, Findings], Iterator[Sample]]


@contextmanager
def opened(file: BinaryIO, fits: Fits) -> Iterator[Counted | None]:
    """The first file of an archive that fits, or the file itself where it does. Raises Unreadable."""
    file.seek(0)
    head = file.read(HEAD_BYTES)
    if head[:4] not in ZIP:
        file.seek(0)
        yield Counted(file) if fits(head) else None
        return
    check_entries(file, MAX_ENTRIES)
    try:
        with zipfile.ZipFile(file) as archive:
            for info in filter(is_file, archive.infolist()):
                if info.filename.lower().endswith((".xml", ".db")):
                    check_packing(info)
                    with archive.open(info) as member:
                        if fits(member.read(HEAD_BYTES)):
                            member.seek(0)
                            yield Counted(member)
                            return
        yield None
    except BROKEN_ZIP as error:
        raise Unreadable(BROKEN) from error


def measured(what: str, value: object, unit: str, units: Units) -> float:
    """A value in the unit that samples have. Raises Refused."""
    if unit not in units:
        raise Refused(what, str(value), Code.NUMBER, Message(NO_UNIT, {"unit": unit}))
    return (value_of(what, str(value), Code.NUMBER, partial(number, delimiter=",")) or 0) * units[unit]
