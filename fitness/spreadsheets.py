"""CSV that spreadsheets and other apps read: UTF-8, CRLF, texts in quotes, and no text that is a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

# Imports take the quote off again before these, so there are no others: the lists of the admin have more.
FORMULA_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r")
PIECE_CHARACTERS = 64_000


class Mark(str):
    """A text that the format prescribes, such as `-` for none: it is written as it is."""

    __slots__ = ()


Cell = str | int | float | None  # bool, too
Row = Sequence[Cell]


def harmless(text: str) -> str:
    """A text with a `'` before it where a spreadsheet would take it for a formula.

    So has one that begins so after quotes of its own: of these, too, an import takes one off.
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_BEGINNINGS) else text


def csv_pieces(header: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """A file in pieces, which are made while the rows are read. Booleans are written as in JSON."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(header)
    for row in rows:
        writer.writerow(map(written, row))
        if buffer.tell() > PIECE_CHARACTERS:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def written(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return harmless(cell) if isinstance(cell, str) and not isinstance(cell, Mark) else cell
