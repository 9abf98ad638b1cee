"""The files that commands write."""

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

STDOUT = Path("-")


@contextmanager
def output(path: Path) -> Iterator[BinaryIO]:
    """Opens a new file, or stdout for `-`, to write bytes. Raises OSError, also if there is such a file."""
    if path == STDOUT:
        with open(sys.stdout.fileno(), "wb", closefd=False) as stdout:
            yield stdout
    else:
        with new_file(path) as file:
            yield file


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


@contextmanager
def exclusive_folder(folder: Path) -> Iterator[None]:
    """Waits until no other process is inside with the same folder. The lock ends with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def readable_by_all() -> Iterator[None]:
    """Files made inside are readable by all: what one user makes, another may serve."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)
