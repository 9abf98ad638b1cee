"""Whatever a file holds, each row is counted once, and nothing but Unreadable is raised."""

import csv
import io
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fitness.imports.messages import Unreadable
from tests.imports.reading import FILES, NAMES, read

SAMPLES = sorted(path.name for path in FILES.iterdir())
ODD = st.sampled_from(
    [
        *(
            "",
            "0",
            "-1",
            "5",
            "5.5",
            "1,000",
            "102,5",
            "1e308",
            "-1e308",
            "nan",
            "inf",
            "99999999999999999999",
        ),
        *(
            "2026-09-28",
            "2026-02-02 18:30:00",
            "0001-01-01",
            "9999-12-31 23:59:59",
            "03/04/2026",
            "13/13/2026",
        ),
        *("2 Feb 2026, 18:30", "2026-09-05 10:12:33 +2359", "2026-09-05 10:12:33 +9999", "1767279600"),
        *("1h 5m", "999999h", "0:27:30", "lbs", "kgs", "stone", "warmup", "dropset", "W", "F", "Note"),
        *("Rest Timer", "135x10,135x8", "x", "true", "Done", "Total", "'=1+1", "\u202e\u200f", "💪", "n\\nn"),
        *("Left out", "A note", *list(NAMES)[:6]),
    ]
)
CELL = ODD | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


def table_of(name):
    """The header and the rows of a sample file."""
    text = (FILES / name).read_text("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text), delimiter=";" if ";" in text.partition("\n")[0] else ","))
    return rows[0], rows[1:]


def written(rows):
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("jefit.csv", "stronglifts.csv")])
@settings(max_examples=40)
@given(data=st.data())
def test_each_row_counts_once(name, data):
    header, known = table_of(name)
    cells = st.lists(CELL, min_size=len(header), max_size=len(header))
    mixed = st.builds(
        lambda row, places: [places.get(place, cell) for place, cell in enumerate(row)],
        st.sampled_from(known),
        st.dictionaries(st.integers(0, len(header) - 1), CELL, max_size=4),
    )
    rows = data.draw(st.lists(cells | mixed | st.just(["too", "few"]) | st.sampled_from(known), max_size=12))
    reading = read(written([header, *rows]), zone="Europe/Berlin", unit="lb")
    blank = sum(not any(cell.strip() for cell in row) for row in rows)
    assert sum(reading.rows.values()) == len(rows) - blank
    assert reading.rows.get("refused", 0) >= len(reading.findings.problems)


@pytest.mark.parametrize("name", ["jefit.csv", "stronglifts.csv"])
@settings(max_examples=40)
@given(data=st.data())
def test_rows_of_several_sets_never_fail(name, data):
    lines = (FILES / name).read_text("utf-8-sig").split("\n")
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(1, len(lines) - 1))
        cells = lines[place].split(",")
        cells[data.draw(st.integers(0, len(cells) - 1))] = data.draw(ODD).replace(",", "")
        lines[place] = ",".join(cells)
    with suppress(Unreadable):
        read("\n".join(lines))


@settings(max_examples=200)
@given(st.binary(max_size=400) | st.text(max_size=400).map(lambda text: text.encode("utf-8", "ignore")))
@example(b"PK\x03\x04")
@example(b"PK\x05\x06" + b"\0" * 18)
@example(b"###\n")
@example(b'"')
@example(b"\xef\xbb\xbf")
def test_any_bytes_are_read_or_refused_in_a_sentence(content):
    with pytest.raises(Unreadable, match=r"^[A-Z].*\.$"):
        read(content)


@settings(max_examples=60)
@given(st.integers(0, 2000), st.binary(min_size=1, max_size=8))
def test_a_damaged_file_is_read_or_refused(place, damage):
    content = bytearray((FILES / "hevy_kg.csv").read_bytes())
    content[place : place + len(damage)] = damage
    with suppress(Unreadable):
        read(bytes(content))
