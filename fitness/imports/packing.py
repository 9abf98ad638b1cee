"""ZIP archives: their members one after another as temporary files, and their limits."""

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO

from django.utils.translation import gettext_noop as _

from fitness.imports.messages import Message, Unreadable

MAX_UNPACKED_BYTES = 60_000_000  # of all members of an archive
MAX_MEMBERS = 20
MAX_ENTRIES = 1_000  # of an archive's directory, with folders and what systems add
MAX_NAME = 200  # characters of a file's name in sentences

BLOCK = 65_536
SPOOLED_BYTES = 1_000_000  # of a member in memory; beyond, it is a temporary file
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
ENTRY = b"PK\x01\x02"
SYSTEM_FOLDER = "__MACOSX/"
BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)

MANY_ENTRIES = _("This archive has more than %(most)s entries. Unpack it and choose one file.")
MANY_MEMBERS = _("This archive holds %(count)s files, more than %(most)s. Unpack it and choose one file.")
LARGE_UNPACKED = _("This archive holds more than %(megabytes)s MB. Unpack it and choose one file.")


def members(archive: BinaryIO) -> Iterator[tuple[str, IO[bytes]]]:
    """Yields the name of each file in a ZIP archive, and the file as unpacked. Raises Unreadable."""
    check_entries(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            yield from unpacked_members(opened)
    except BROKEN_ZIP as error:
        raise Unreadable(
            _("This archive is damaged. Download it again, or unpack it and choose one file.")
        ) from error


def unpacked_bytes(file: BinaryIO, size: int) -> int:
    """How much there is to read in a file of this size: in an archive what it says; no more is unpacked."""
    try:
        check_entries(file)
        with zipfile.ZipFile(file) as opened:
            said = sum(info.file_size for info in opened.infolist())
    except (Unreadable, *BROKEN_ZIP):
        return size
    return max(size, min(said, MAX_UNPACKED_BYTES))


def check_entries(archive: BinaryIO, most: int = MAX_ENTRIES) -> None:
    """Raises Unreadable for an archive of many entries: reading its directory takes memory for each."""
    archive.seek(0)
    count, end = 0, b""
    while block := archive.read(SPOOLED_BYTES):
        count += (end + block).count(ENTRY)
        end = block[1 - len(ENTRY) :]
    if count > most:
        raise Unreadable(Message(MANY_ENTRIES, {"most": f"{most:,}"}))


def unpacked_members(archive: zipfile.ZipFile) -> Iterator[tuple[str, IO[bytes]]]:
    infos = [info for info in archive.infolist() if is_file(info)]
    if any(info.filename.startswith("xl/") for info in infos):
        raise Unreadable(_("This is a workbook of a spreadsheet. Save it as CSV, and choose that file."))
    if len(infos) > MAX_MEMBERS:
        raise Unreadable(Message(MANY_MEMBERS, {"count": len(infos), "most": MAX_MEMBERS}))
    left = MAX_UNPACKED_BYTES
    for info in infos:
        member = unpacked(archive, info, left)
        left -= member.tell()
        yield shortened(info.filename), member


def is_file(info: zipfile.ZipInfo) -> bool:
    return not info.is_dir() and not info.filename.startswith(SYSTEM_FOLDER)


def unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, max_bytes: int) -> IO[bytes]:
    """A member as a temporary file. Its bytes are counted: what an archive says of itself may be wrong."""
    check_packing(info)
    member = tempfile.SpooledTemporaryFile(SPOOLED_BYTES)  # noqa: SIM115  # its Table reads it later
    with archive.open(info) as packed:
        while block := packed.read(BLOCK):
            if member.tell() + len(block) > max_bytes:
                raise Unreadable(Message(LARGE_UNPACKED, {"megabytes": MAX_UNPACKED_BYTES // 1_000_000}))
            member.write(block)
    return member


def check_packing(info: zipfile.ZipInfo) -> None:
    """Raises Unreadable for a member that needs a password, or a way of packing that takes any memory."""
    if info.flag_bits & 1:
        raise Unreadable(_("This archive needs a password. Unpack it and choose the file inside."))
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Unreadable(_("This archive is packed in a rare way. Unpack it and choose the file inside."))


def shortened(name: str) -> str:
    return name[:MAX_NAME]
