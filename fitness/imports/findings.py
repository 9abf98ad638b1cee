"""What becomes of the rows of a file, said while they are read."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self

from fitness.imports.messages import Said

MAX_PROBLEMS = 5000  # kept of one import; further ones are counted
MAX_VALUE = 100  # characters of a refused value


class Code(StrEnum):
    """Why a row is refused."""

    DATE = "date"
    WEIGHT = "weight"
    REPS = "reps"
    NUMBER = "number"
    EMPTY = "empty"
    EXERCISE = "exercise"
    COLUMNS = "columns"
    TOO_MANY = "too_many"


class Ask(StrEnum):
    """What a file does not say."""

    TIMEZONE = "timezone"
    UNIT = "unit"
    DAY_FIRST = "day_first"  # whether 04/05/2026 is in May


@dataclass(frozen=True)
class Finding:
    """A row that is refused; without a code, something that is stored otherwise than the file has it.

    Lines count from 1, which is the header's.
    """

    line: int
    column: str
    said: Said
    value: str = ""
    code: Code | None = None

    @property
    def text(self) -> str:
        return str(self.said)


@dataclass
class Rows:
    """How many rows of a file became what. Each row counts once."""

    sets: int = 0
    notes: int = 0
    ignored: int = 0
    refused: int = 0
    duplicate: int = 0  # of records that are there already or repeated
    records: int = 0  # weights, days and others that are no workouts

    @property
    def total(self) -> int:
        return self.sets + self.notes + self.ignored + self.refused + self.duplicate + self.records


@dataclass
class Findings:
    """What reading a file, or making records of it, has found."""

    problems: list[Finding] = field(default_factory=list)
    changes: list[Finding] = field(default_factory=list)
    asks: set[Ask] = field(default_factory=set)
    rows: Rows = field(default_factory=Rows)
    unknown_names: Counter[str] = field(default_factory=Counter)  # sets by the name of their exercise
    chosen_names: set[str] = field(default_factory=set)  # names of exercises that somebody chose one for
    heaviest: float = 0  # of the weights without a unit
    more_problems: int = 0  # beyond MAX_PROBLEMS
    stored: int = 0  # problems and changes that are stored already, with an earlier part of the file

    @classmethod
    def going_on(cls, counts: Mapping[str, Any]) -> Self:
        """Findings that go on where those with these `counts` ended."""
        return cls(
            rows=Rows(**counts["rows"]),
            unknown_names=Counter(counts["unknown_names"]),
            chosen_names=set(counts["chosen_names"]),
            more_problems=counts["more_problems"],
            stored=counts["stored"],
        )

    def counts(self) -> dict[str, Any]:
        """What `going_on` needs, in JSON, once the problems and changes are stored."""
        return {
            "rows": asdict(self.rows),
            "unknown_names": dict(self.unknown_names),
            "chosen_names": sorted(self.chosen_names),
            "more_problems": self.more_problems,
            "stored": self.stored + len(self.problems) + len(self.changes),
        }

    def refuse(self, line: int, column: str, value: str, code: Code, said: Said, *, rows: int = 1) -> None:
        """Adds why a row is refused, and counts it. A reason may be that of several rows."""
        self.rows.refused += rows
        if self.stored + len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Finding(line, column, said, value[:MAX_VALUE], code))
        else:
            self.more_problems += 1

    def change(self, line: int, column: str, said: Said) -> None:
        """Adds that something of a row is stored otherwise than the file has it."""
        if self.stored + len(self.changes) < MAX_PROBLEMS:
            self.changes.append(Finding(line, column, said))
