"""Files that somebody has made to be slow, large or wrong: each ends in a sentence, or in an import."""

import io
import time
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from fitness.imports.findings import Findings
from fitness.imports.messages import Unreadable
from fitness.site.data import archive
from tests.imports.reading import FILES, read, tables_of

NUTRITION = "Date,Meal,Calories,Fat (g),Carbohydrates (g),Protein (g)\n"
PATIENCE_SECONDS = 60  # what grows with the square of a file takes many minutes


@pytest.fixture
def soon():
    began = time.monotonic()
    yield
    assert time.monotonic() - began < PATIENCE_SECONDS


def test_numbers_that_overflow_when_they_are_added_are_refused():
    found = read(NUTRITION + "2026-05-05,Lunch,1e308,0,0,0\n2026-05-05,Dinner,1e308,0,0,0\n")
    assert found.rows == {"refused": 2}
    assert {problem[2] for problem in found.problems} == {"is not a number that can be stored"}


def test_hours_beyond_all_numbers_are_refused(autumn):
    lines = (FILES / "stronglifts.csv").read_text().splitlines()
    hours = lines[0].split(",").index("Duration (hours)")
    cells = lines[1].split(",")
    cells[hours] = "1e308"
    found = read("\n".join([lines[0], ",".join(cells)]))
    assert found.rows == {"refused": 1}


@pytest.mark.usefixtures("soon")
def test_a_file_of_empty_lines_is_refused():
    with pytest.raises(Unreadable, match="1,000,000 lines"):
        tables_of(b"Date,Weight\n" + b"\n" * 19_000_000)


@pytest.mark.usefixtures("soon")
def test_a_heading_of_spaces_is_read_at_once():
    (table,) = tables_of("### " + "x " * 2000 + " " * 6000 + "x ###\na\n1\n")
    assert len(table.sections) == 1


@pytest.mark.usefixtures("soon")
def test_the_members_of_an_archive_have_the_rows_of_one_file():
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as opened:
        for number in range(3):
            opened.writestr(f"{number}.csv", "Date,Weight\n" + "2026-05-05,80\n" * 40_000)
    with pytest.raises(Unreadable, match="more than 100,000"):
        tables_of(packed.getvalue())


@pytest.mark.parametrize(
    "content",
    [
        "### EXERCISE LOGS ###\nename,logs,mydate\n"
        + f'Bench Press,"{",".join(["60x5"] * 100)}",2026-05-05\n' * 1001,
        "Date (yyyy/mm/dd),Exercise,"
        + ",".join(f"Set {n} (Reps),Set {n} (KG)" for n in range(1, 201))
        + f"\n2026/05/05,Squat{',5,60' * 200}" * 501,
    ],
)
def test_rows_of_many_sets_have_no_more_sets_than_files_may_have_rows(content):
    with pytest.raises(Unreadable, match="more than 100,000"):
        read(content)


def test_the_name_of_an_exercise_is_cut_to_what_can_be_chosen_for():
    header = "Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Notes\n"
    found = read(header + f"2026-05-05 10:00:00,A,{'x' * 1000},1,60,5,\n")
    assert {*found.findings.unknown_names} == {"x" * 200}
    assert [change.text for change in found.findings.changes] == ["is cut after 200 characters"]


def archive_with(packing):
    packed = io.BytesIO()
    with ZipFile(packed, "w", packing) as opened:
        opened.writestr("fitness.json", b"{}" * 1000)
    return packed


@pytest.mark.parametrize("packing", [ZIP_LZMA, ZIP_BZIP2])
def test_an_archive_of_this_service_in_a_rare_packing_is_refused(packing):
    with pytest.raises(Unreadable, match="rare way"):
        list(archive.read(archive_with(packing), Findings()))


def test_an_archive_with_a_broken_rare_packing_is_refused():
    packed = bytearray(archive_with(ZIP_LZMA).getvalue())
    start = packed.index(b"fitness.json") + len("fitness.json")
    packed[start + 4 : start + 9] = b"\xff" * 5
    with pytest.raises(Unreadable):
        list(archive.read(io.BytesIO(packed), Findings()))


def test_a_directory_of_many_entries_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr("zipfile.ZipFile.__init__", None)
    with pytest.raises(Unreadable, match="more than 1,000 entries"):
        archive.is_archive(io.BytesIO(b"PK\x03\x04" + b"PK\x01\x02" * 1001))


@pytest.mark.parametrize("value", [b"{}", b"[]", b"1"])
def test_json_of_many_small_values_is_refused_before_it_is_parsed(value):
    text = b'{"format": {"name": "fitness-account", "version": 1}, "x": ['
    with pytest.raises(Unreadable, match="too many values"):
        list(archive.read(io.BytesIO(text + b",".join([value] * 5_000_000) + b"]}"), Findings()))
