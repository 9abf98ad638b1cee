"""Files that workers read or have made: what somebody uploads, and exports.

They lie in the database, so that every machine finds them, whichever one received or made them, and what is
half written is nobody's. Each part is a row: a process has one part of a file in memory.
"""

import datetime
import io
from collections.abc import Iterator
from typing import Any, BinaryIO, Self

from django.conf import settings
from django.db import models
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.db.owned import Owned, OwnedForeignKey

PART_BYTES = 500_000
PARTS_AT_ONCE = 10  # deleted in one transaction
KEPT_FOR = datetime.timedelta(days=1)
MAX_NAME, MAX_PROBLEM = 200, 500


class StoredFileQuerySet(models.QuerySet["StoredFile"]):
    def expired(self) -> Self:
        return self.filter(created_at__lt=timezone.now() - KEPT_FOR)

    def exports(self) -> Self:
        """Those that are made, not uploaded. An account has one."""
        return self.exclude(form="")


class StoredFile(Owned):
    """A file of an account, for a day."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="stored_files", db_index=False
    )
    name = models.CharField(max_length=MAX_NAME)
    content_type = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now)  # of an export, when it was whole
    size = models.BigIntegerField(default=0)  # bytes of its parts; of an upload that comes, of the request
    is_whole = models.BooleanField(default=False)
    # Of an export: which file it is, what that depends on, and why it is not made.
    form = models.CharField(max_length=20, blank=True, db_default="", default="")
    time_zone = models.CharField(max_length=64, blank=True, db_default="", default="")
    unit = models.CharField(max_length=2, blank=True, db_default="", default="")
    problem = models.CharField(max_length=MAX_PROBLEM, blank=True, db_default="", default="")

    objects = StoredFileQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["account", "-created_at"], name="stored_files_newest")]

    def __str__(self) -> str:
        return self.name

    @property
    def expires_at(self) -> datetime.datetime:
        return self.created_at + KEPT_FOR

    @property
    def parts(self) -> "models.QuerySet[FilePart]":
        return FilePart.objects.filter(account=self.account_id, file=self).order_by("number")

    def add_part(self, number: int, content: bytes) -> None:
        """Stores the next part; all but the last one have PART_BYTES."""
        FilePart.objects.create(account_id=self.account_id, file=self, number=number, content=content)
        self.size += len(content)

    def write(self, file: BinaryIO) -> None:
        """Stores what a file holds."""
        file.seek(0)
        for number, content in enumerate(iter(lambda: file.read(PART_BYTES), b"")):
            self.add_part(number, content)
        self.is_whole = True
        self.save(update_fields=["size", "is_whole"])

    def remove_parts(self) -> None:
        """Deletes what it holds, some at a time: of a large file that takes a while."""
        while numbers := list(self.parts.values_list("number", flat=True)[:PARTS_AT_ONCE]):
            self.parts.filter(number__in=numbers).delete()

    def remove(self) -> None:
        self.remove_parts()
        self.delete()

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` up to `end`, in pieces of at most a part, with a statement for each."""
        for number in range(start // PART_BYTES, -(-end // PART_BYTES)):
            content = bytes(self.parts.values_list("content", flat=True).get(number=number))
            offset = number * PART_BYTES
            yield content[max(start - offset, 0) : end - offset]


class FilePart(Owned):
    """Some bytes of a file, in the order of `number`."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="file_parts", db_index=False
    )
    file = OwnedForeignKey(StoredFile, on_delete=models.CASCADE, db_index=False)
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "file", "number"], name="one_file_part")]

    def __str__(self) -> str:
        return f"part {self.number}"


class Parts(io.RawIOBase):
    """A stored file to read from any place, with one part of it in memory."""

    def __init__(self, stored: StoredFile) -> None:
        self.stored, self.place, self.number, self.part = stored, 0, -1, b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self.place = offset + (0, self.place, self.stored.size)[whence]
        return self.place

    def tell(self) -> int:
        return self.place

    def readinto(self, buffer: Any, /) -> int:
        number, begin = divmod(self.place, PART_BYTES)
        if self.place >= self.stored.size:
            return 0
        if number != self.number:
            (self.part,) = self.stored.pieces(
                number * PART_BYTES, min((number + 1) * PART_BYTES, self.stored.size)
            )
            self.number = number
        some = self.part[begin : begin + len(buffer)]
        buffer[: len(some)] = some
        self.place += len(some)
        return len(some)
