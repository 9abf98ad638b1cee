"""The catalogue that the service comes with: one JSON file a muscle group, written for this project."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict


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
    secondary_muscles: Sequence[str]
    instructions: str
    images: NotRequired[list[str]]
    aliases: NotRequired[list[str]]


def entries() -> Iterator[CatalogueEntry]:
    """Yields every entry, file by file in the order of their names."""
    for path in sorted(Path(__file__).parent.glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))
