"""The cells of one row, read as what their columns hold."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from fitness.imports.findings import Code, Findings
from fitness.imports.messages import Said
from fitness.imports.tables import Row, Table
from fitness.imports.values import Moments, number, seconds_of, unit_of

T = TypeVar("T")

# Columns of weights, with the unit in their name. Of several weights in a row, the first one counts.
WEIGHTS = {
    **dict.fromkeys(["weight_kg", "weight (kg)", "weight(kg)", "weight (kgs)", "weight(kgs)"], "kg"),
    **dict.fromkeys(["gewicht (kg)", "gewicht(kg)", "gewicht in kg", "körpergewicht (kg)"], "kg"),
    **dict.fromkeys(["gewicht [kg]", "körpergewicht [kg]", "weight [kg]"], "kg"),
    **dict.fromkeys(
        ["weight_lbs", "weight_lb", "weight (lb)", "weight(lb)", "weight (lbs)", "weight(lbs)"], "lb"
    ),
    **dict.fromkeys(["weight", "gewicht", "körpergewicht"]),
}


class Refused(Exception):
    """A row that cannot be read."""

    def __init__(self, column: str, value: str, code: Code, said: Said) -> None:
        super().__init__(said)
        self.column, self.value, self.code, self.said = column, value, code, said

    def tell(self, findings: Findings, line: int, rows: int = 1) -> None:
        findings.refuse(line, self.column, self.value, self.code, self.said, rows=rows)


def value_of(column: str, text: str, code: Code, read: Callable[[str], T]) -> T:
    """What `read` makes of a text. Raises Refused where that raises ValueError."""
    try:
        return read(text)
    except ValueError as error:
        raise Refused(column, text, code, str(error)) from error


@dataclass(frozen=True)
class Weight:
    value: float
    unit: str | None  # None where the file does not say


class Cells:
    """A row with its table's rules for numbers. What cannot be read raises Refused."""

    def __init__(self, row: Row, table: Table) -> None:
        self.line, self.cells, self.delimiter = row.line, row.cells, table.delimiter
        self.asked = table.asked

    def cell(self, name: str) -> str:
        self.asked.add(name)
        return self.cells.get(name, "")

    def text(self, *names: str) -> str:
        """The cell of the first of these columns that has one; an empty text without."""
        return next(filter(None, map(self.cell, names)), "")

    def number(self, name: str, code: Code = Code.NUMBER) -> float | None:
        text = self.cell(name)
        return value_of(name, text, code, partial(number, delimiter=self.delimiter)) if text else None

    def percent(self, name: str) -> float | None:
        text = self.cell(name).rstrip("%").rstrip()
        return value_of(name, text, Code.NUMBER, partial(number, delimiter=self.delimiter)) if text else None

    def seconds(self, name: str) -> int | None:
        text = self.cell(name)
        read = partial(seconds_of, delimiter=self.delimiter)
        return value_of(name, text, Code.NUMBER, read) if text else None

    def moment(self, moments: Moments, *names: str) -> str:
        """The moment that these columns have together, as `Moments.read` returns it."""
        text = " ".join(filter(None, map(self.cell, names)))
        return value_of(names[0], text, Code.DATE, moments.read)

    def weight(self) -> Weight | None:
        """The weight in the unit that its column, or the column "Weight Unit", names."""
        for name, unit in WEIGHTS.items():
            if self.cell(name) and (value := self.number(name, Code.WEIGHT)) is not None:
                return Weight(value, unit or self.unit("weight unit"))
        return None

    def unit(self, name: str) -> str | None:
        return value_of(name, self.cell(name), Code.WEIGHT, unit_of)
