"""Bytes into rows: encodings, delimiters, ZIP archives, and their limits."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fitness.imports.findings import Findings


class Unreadable(Exception):
    """A file that cannot be imported; the message is a sentence for the person who chose it."""


class Row(NamedTuple):
    line: int  # of the file, where the row begins; the header is 1
    cells: dict[str, str]  # by the column's name, trimmed and in lower case; texts are stripped


@dataclass
class Table:
    """One table of a file."""

    name: str  # of the file, or of the member of an archive
    header: list[str]  # as the file has it, trimmed
    delimiter: str

    def rows(self, findings: Findings) -> Iterator[Row]:
        """Yields the rows in the order of the file; refuses those with more or fewer cells than the header."""
        raise NotImplementedError
