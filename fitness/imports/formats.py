"""What a format of another app's file is: the base of all of them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fitness.imports.findings import Findings
from fitness.imports.tables import Table


@dataclass(frozen=True)
class Candidate:
    """A record as its file writes it, before any answer.

    `key` is what the record is known by in its source, such as the local start and the title of a workout: a
    newer export of the same history has it again. `payload` is stored as JSON until the record is stored; its
    form is the business of the Format that writes it and the Kind that reads it.
    """

    kind: str  # the name of the Kind
    key: str
    lines: tuple[int, int]  # the first and the last line of the file
    payload: dict[str, Any]


class Format(ABC):
    """How an app writes its records into a table."""

    name: ClassVar[str]  # "hevy": what is stored and what commands take
    label: ClassVar[str]  # "Hevy": what people read
    where: ClassVar[str]  # where the app hides its export, one sentence

    @abstractmethod
    def fits(self, header: frozenset[str]) -> int:
        """How many columns of a header the format needs, 0 if one of them is missing.

        The header's names are trimmed and in lower case. Where several formats fit, the one that needs most
        is taken.
        """

    @abstractmethod
    def read(self, table: Table, findings: Findings) -> Iterator[Candidate]:
        """Yields the records of the table in its order.

        Rows that become none of them are counted in `findings.rows` as refused (by `findings.refuse`) or
        ignored; all others are counted by the Kind that makes records of the candidates. Adds to
        `findings.asks` what the file does not say.
        """
