"""The catalogue that the service comes with: one JSON file a muscle group, written for this project.

`imported_names.json` has the names of its exercises in other apps.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NotRequired, TypedDict

FOLDER = Path(__file__).parent
IMPORTED_NAMES = FOLDER / "imported_names.json"


class CatalogueEntry(TypedDict):
    """One exercise of a catalogue file: keyword arguments of an Exercise."""

    id: str
    name: str
    muscle_group: str
    equipment: str
    level: str
    mechanic: str
    force: str
    category: str
    is_assisted: NotRequired[bool]  # the weight of its sets is help
    secondary_muscles: Sequence[str]
    instructions: str
    images: NotRequired[list[str]]
    aliases: NotRequired[list[str]]


def entries() -> Iterator[CatalogueEntry]:
    """Yields every entry, file by file in the order of their names."""
    for path in sorted({*FOLDER.glob("*.json")} - {IMPORTED_NAMES}):
        yield from json.loads(path.read_text(encoding="utf-8"))


@cache
def imported_names() -> Mapping[str, Mapping[str, str | None]]:
    """Ids of exercises by the names of each app ("hevy", ...) and of no app ("general"); None is to ask."""
    file = json.loads(IMPORTED_NAMES.read_text(encoding="utf-8"))
    sources: dict[str, dict[str, str | None]] = file["sources"]
    return sources
