"""Pictures of exercises: files in DATA_DIR/images, which belong to no account and are not in backups.

1. `manage.py load_images FOLDER` (training/management/commands/load_images.py, which alone imports Pillow)
   finds the exercise of each folder, checks and resizes each file, and writes the results and their index.
2. Requests call `pictures`, which reads the index once in each process, and again once it has changed. So a
   request takes neither a statement nor a listing, and no process needs a restart.
3. Browsers fetch the files from `picture` (training/web/views/exercise.py), and keep them: each name has a
   digest of the content.

Example of a failure: `Bench_Press/0.jpg` is cut off. `resized` raises Refused, the report names the file, and
the other picture of the exercise is loaded.
"""

import json
import logging
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from django.conf import settings

from fitness.addresses import PICTURES_PATH

log = logging.getLogger("fitness.catalogue")

INDEX = "index.json"
NAME = re.compile(r"[A-Za-z0-9_-]+\.webp")  # of a file; no path is one


class Version(NamedTuple):
    """A picture in one of its two sizes, in pixels."""

    name: str
    width: int
    height: int

    @property
    def address(self) -> str:
        return f"{PICTURES_PATH}{self.name}"


class Picture(NamedTuple):
    small: Version  # for lists
    large: Version


Pictures: TypeAlias = Mapping[str, Sequence[Picture]]  # by the id of the exercise, in the order of a movement


def folder() -> Path:
    return settings.DATA_DIR / "images"


def pictures() -> Pictures:
    """The pictures of all exercises that have some."""
    return index.read()


class Index:
    """The index file as it is now. It is read once after each change, which costs a request a `stat`."""

    def __init__(self) -> None:
        self.kept: tuple[object, Pictures] = (None, {})

    def read(self) -> Pictures:
        path = f"{settings.DATA_DIR}/images/{INDEX}"  # a Path would take longer than to look at the file
        change = change_of(path)
        kept_change, kept = self.kept  # threads share it
        if change == kept_change:
            return kept
        found = pictures_in(path) if change else {}
        self.kept = change, found
        return found


def change_of(path: str) -> object:
    """What is another after each change of a file; None where there is no such file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def pictures_in(path: str) -> Pictures:
    """Without pictures the catalogue is still of use: a damaged index is a line in the log."""
    try:
        rows: dict[str, list[list[tuple[str, int, int]]]] = json.loads(Path(path).read_bytes())
        return {pk: [Picture(*(Version(*one) for one in row)) for row in of] for pk, of in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        log.warning("no pictures are shown: %s cannot be read: %s", path, error)
        return {}


def as_json(found: Pictures) -> bytes:
    """What `pictures_in` reads."""
    return json.dumps(found, separators=(",", ":")).encode()


index = Index()
