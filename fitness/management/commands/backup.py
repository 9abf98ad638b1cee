import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from django.core.management.base import CommandError, CommandParser
from django.db import Error

from fitness.management.base import OneLineCommand, one_line
from fitness.site import backup


class Command(OneLineCommand):
    help = (
        "Writes all accounts with all their records to one new file, while the service runs. "
        "manage.py restore reads it, on SQLite and on PostgreSQL."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="where to; - is stdout")

    def handle(self, file: Path, **options: object) -> None:
        try:
            if str(file) == "-":
                with open(sys.stdout.fileno(), "wb", closefd=False) as stdout:
                    backup.write(stdout)
            else:
                with new_file(file) as opened:
                    count = backup.write(opened)
                self.stdout.write(f"{file}: {count} rows, {file.stat().st_size} bytes")
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except (backup.BackupError, Error) as error:
            raise CommandError(f"{file} was not written: {one_line(error)}") from None


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a binary file with mode 0600, which gets its name once it is complete and on the disk.

    Raises FileExistsError if there is a file of that name.
    """
    if path.exists():
        raise FileExistsError(None, "there is such a file, and it stays as it is")
    handle, unfinished = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(handle)
        os.rename(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
