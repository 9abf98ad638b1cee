"""Bytes into rows: encodings, delimiters, archives, and sentences for what cannot be read."""

import io
import struct
import time
import zipfile
import zlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile

from fitness.imports.findings import Findings
from fitness.imports.formats import recognise
from fitness.imports.messages import Unreadable
from fitness.imports.tables import read_tables
from tests.imports.reading import FILES, FORMATS, entries, read, tables_of

pytestmark = pytest.mark.usefixtures("autumn")

PLAIN = "Date,Weight\n2026-09-28,80.5\n"


def temporary_upload(name, content):
    file = TemporaryUploadedFile(name, "text/csv", len(content), None)
    file.write(content)
    return file


def rows_of(content, **options):
    findings = Findings()
    [table] = tables_of(content, **options)
    return [(row.line, row.cells) for row in table.rows(findings)], findings


def sentence(content, **options):
    with pytest.raises(Unreadable) as caught:
        recognise(tables_of(content, **options), FORMATS)
    return str(caught.value)


def archive(members, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, **options) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_text_is_read_in_its_encoding(encoding):
    found, _ = rows_of("Name,Größe\nRücken,5\n".encode(encoding))
    assert found == [(2, {"name": "Rücken", "größe": "5"})]


FITBIT = "\n".join(
    [
        *("Body", "Date,Weight,BMI,Fat", '"2026-09-27","81.2","24.1","18.5"', ""),
        *("Foods", "Date,Calories In", '"2026-09-27","2,100"', ""),
        *("Food Log 20260927", "Daily Totals", '"","Calories","2,100"', ""),
    ]
)


@pytest.mark.parametrize("content", [FITBIT, FITBIT.replace("Body", "Body,,,").replace("\n\n", "\n,,,\n")])
def test_tables_may_stand_under_titles(content):
    body, *others = tables_of(content, "fitbit.csv")
    assert [table.name for table in others] == ["fitbit.csv: Foods", "fitbit.csv: Food Log 20260927"]
    assert body.header == ["Date", "Weight", "BMI", "Fat"]
    assert [row.line for row in body.rows(Findings()) if row.cells["date"]] == [3]
    recognised = [known and known.name for _, known in recognise([body, *others], FORMATS)]
    assert recognised == ["weight", None, None]


def test_many_titles_end_in_one_table():
    tables = tables_of("\n\n".join(f"Day {number}\nA,B\n1,2" for number in range(1000)))
    assert len(tables) == 20


@pytest.mark.parametrize("mark", ["sep=;", '"SEP=;"', "\nsep=;"])
def test_the_first_line_may_name_the_delimiter_for_excel(mark):
    lines = mark.count("\n") + 1
    assert rows_of(f"{mark}\nDate;A,B,C\n2026-09-28;80,5\n")[0] == [
        (lines + 2, {"date": "2026-09-28", "a,b,c": "80,5"})
    ]
    assert read(f"{mark}\nDate;Weight (kg)\n2026-09-28;80,5\n").workouts[0]["weight_kg"] == 80.5


@pytest.mark.parametrize("order", ["le", "be"])
def test_both_orders_of_utf16_are_read_by_their_mark(order):
    mark = {"le": b"\xff\xfe", "be": b"\xfe\xff"}[order]
    assert rows_of(mark + "a,b\n1,💪\n".encode(f"utf-16-{order}"))[0] == [(2, {"a": "1", "b": "💪"})]


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xff\xd8\xff\xe0\x10JFIF\x81\x8d",
        b"Date,Weight\n2026-09-28,\0\n",
        "Date,Weight\n".encode("utf-16-le"),  # without a mark
        b"\xff\xfe\x00\xd8",  # half of a pair
    ],
)
def test_what_is_no_text_is_refused(content):
    assert sentence(content).startswith("This file is not text.")


@pytest.mark.parametrize("content", ["", "\n\n  \n"])
def test_an_empty_file_is_refused(content):
    assert sentence(content).startswith("This file is empty.")


def test_a_saved_web_page_is_refused():
    assert "web page" in sentence("\n<!DOCTYPE html>\n<html><title>Export</title></html>")


def test_an_unknown_table_is_named_by_its_columns():
    text = sentence("Colour,Shape\nred,round\n")
    assert text.startswith(
        "This file is not recognised. Its columns are Colour, Shape; these apps are: Hevy,"
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_what_the_first_line_has_most_of(delimiter):
    assert rows_of(delimiter.join("abc") + "\n" + delimiter.join("123"))[0] == [
        (2, {"a": "1", "b": "2", "c": "3"})
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_will_do(end):
    assert [line for line, _ in rows_of(end.join(["a,b", "1,2", "", "3,4"]))[0]] == [2, 4]


def test_a_field_may_hold_line_breaks_delimiters_and_quotes():
    found, _ = rows_of('a,b\n1,"two\nlines, and ""quotes"""\n3,4\n')
    assert found == [(2, {"a": "1", "b": 'two\nlines, and "quotes"'}), (4, {"a": "3", "b": "4"})]


def test_a_row_with_other_cells_than_the_header_is_refused():
    found, findings = rows_of("a,b,c\n1,2\n1,2,3\n1,2,3,4\n,,\n")
    assert [line for line, _ in found] == [3]
    assert [(problem.line, problem.text, problem.code) for problem in findings.problems] == [
        (2, "has 2 columns, not 3", "columns"),
        (4, "has 4 columns, not 3", "columns"),
    ]
    assert findings.rows.refused == 2


def test_names_of_columns_and_texts_are_stripped():
    assert rows_of(' A ,"B\u200f"\n  1\u202f, \u00a02 \n')[0] == [(2, {"a": "1", "b": "2"})]


def test_a_column_that_occurs_twice_keeps_both_cells():
    assert rows_of("a,A\n1,2\n")[0] == [(2, {"a": "1", "a (2)": "2"})]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("'=SUM(A1)", "=SUM(A1)"),
        ("'+49", "+49"),
        ("'-5", "-5"),
        ("'@home", "@home"),
        ("'\tx", "\tx"),
        ("''=x", "'=x"),
        ("'quoted'", "'quoted'"),
        ("=SUM(A1)", "=SUM(A1)"),
    ],
)
def test_the_quote_before_a_formula_is_taken_off_again(cell, text):
    assert rows_of(f"a,b\n1,{cell}\n")[0][0][1]["b"] == text


def test_a_quote_that_never_closes_ends_in_a_sentence_at_once():
    rows = "".join(f"2026-09-28,{number}\n" for number in range(500_000))
    begin = time.monotonic()
    text = sentence('Date,Weight\n2026-09-27,"80\n' + rows)
    assert "Line 2 " in text
    assert "quotation mark" in text
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("last", ['2026-09-28,"80', '2026-09-28,"80\n2026-09-29,81\n', '"'])
def test_a_quote_that_never_closes_at_the_end_of_a_file_is_told_too(last):
    assert "is never closed" in sentence(f"{PLAIN}{last}")


@pytest.mark.parametrize("upload", [SimpleUploadedFile, temporary_upload])
def test_uploads_are_read(upload):
    file = upload("weight.csv", PLAIN.encode())
    [table] = read_tables(file, file.name)
    assert [len(list(table.rows(Findings()))) for _ in range(2)] == [1, 1]
    assert not file.closed


def test_inches_are_no_open_quotes():
    assert len(rows_of('a,b\n1,a bar of 5"\n')[0]) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (",".join(f"c{number}" for number in range(50_000)), "50,000 columns"),
        (",".join(f"c{number}" for number in range(501)), "501 columns"),
        (",".join(["x" * 20_000] * 4), "first line"),
        (f"Date,Weight\n2026-09-28,{'8' * 70_000}\n", "64 KB"),
        (f"Date,Weight\n{'a,' * 1_000_000}\n", "64 KB"),
        ("x" * 20_000_001, "20 MB"),
        ("".join(f"### s{number} ###\n" for number in range(200)), "sections"),
    ],
)
def test_what_is_beyond_a_limit_is_refused(content, said):
    assert said in sentence(content)


def test_too_many_rows_are_refused_unless_the_limit_is_lifted():
    content = "Date,Weight\n" + "2026-09-28,80\n" * 5
    assert "Split the file by year" in sentence(content, max_rows=4)
    assert len(rows_of(content, max_rows=5)[0]) == 5
    assert len(rows_of(content, max_rows=None)[0]) == 5


def test_an_archive_is_read_by_what_is_inside():
    content = archive(
        {
            "Nutrition-Summary.csv": (FILES / "myfitnesspal_nutrition.csv").read_bytes(),
            "Exercise-Summary.csv": "Date,Exercise,Type\n2026-09-28,Run,Cardio\n",
            "../../etc/Measurement-Summary.csv": "Date,Weight\n2026-09-28,80.5\n",
            "picture.png": b"\x89PNG\0",
            "__MACOSX/._Nutrition-Summary.csv": b"\0\5",
        }
    )
    found = recognise(tables_of(content), FORMATS)
    assert {table.name: known and known.name for table, known in found} == {
        "Nutrition-Summary.csv": "myfitnesspal",
        "Exercise-Summary.csv": None,
        "../../etc/Measurement-Summary.csv": "weight",
        "picture.png": None,
    }
    tables = [table for table, known in found if known]
    assert [len(list(table.rows(Findings()))) for table in tables] == [4, 1]


def test_an_archive_in_an_archive_is_left_alone():
    content = archive({"inner.zip": archive({"weight.csv": PLAIN}), "weight.csv": PLAIN})
    assert [known and known.name for _, known in recognise(tables_of(content), FORMATS)] == [None, "weight"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (archive({f"{number}.csv": PLAIN for number in range(21)}), "21 files"),
        (archive({f"__MACOSX/{number}": "" for number in range(1_001)}), "1,000 entries"),
        (archive({"xl/workbook.xml": "<workbook/>"}), "spreadsheet"),
        (archive({"weight.csv": PLAIN})[:-30], "damaged"),
        (archive({}), "not recognised"),
        (b"PK\x03\x04 nothing else", "damaged"),
    ],
)
def test_an_archive_that_cannot_be_read_is_refused(content, said):
    assert said in sentence(content)


def test_what_an_archive_unpacks_to_is_counted():
    bomb = archive({"a.csv": b"0" * 61_000_000})
    assert len(bomb) < 100_000
    begin = time.monotonic()
    assert "60 MB" in sentence(bomb)
    assert time.monotonic() - begin < 5


def test_an_archive_that_lies_about_its_size_is_counted_all_the_same():
    bomb = bytearray(archive({"a.csv": b"0" * 61_000_000}))
    directory = bomb.rindex(b"PK\x01\x02")
    bomb[directory + 24 : directory + 28] = struct.pack("<I", 100)  # what it claims to unpack to
    assert sentence(bytes(bomb))


def test_members_share_the_limit():
    assert "60 MB" in sentence(archive({f"{number}.csv": b"\0" * 11_000_000 for number in range(6)}))


def test_an_archive_with_a_password_is_refused():
    content = bytearray(archive({"a.csv": PLAIN}))
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        content[content.rindex(signature) + offset] |= 1
    assert "password" in sentence(bytes(content))


def test_a_broken_member_is_refused():
    content = bytearray(archive({"a.csv": PLAIN * 1_000}))
    start = 30 + len("a.csv")
    content[start : start + 10] = zlib.compress(b"other")[:10]
    assert "damaged" in sentence(bytes(content))


def test_sections_are_tables_of_their_own():
    [table] = tables_of((FILES / "jefit.csv").read_bytes())
    assert table.header == ["### SETTING", "### WORKOUT SESSIONS", "### EXERCISE LOGS"]
    sessions = table.sections["### workout sessions"]
    assert [row.cells["_id"] for row in sessions.rows(Findings())] == ["1767279600", "1767625200"]
    logs = table.sections["### exercise logs"]
    assert [row.line for row in logs.rows(Findings())] == [22, 23, 24]


def test_a_very_long_line_of_hashes_takes_no_time():
    begin = time.monotonic()
    sentence("### a ###\n" + "### " + "# " * 100_000 + "x\n")
    assert time.monotonic() - begin < 2


def test_columns_may_come_in_any_order_and_case_with_others_between():
    reading = read(
        "REPS, weight (KG) ,Mood,Set Order,exercise name,Date\n"
        "5,100,good,1,Squat (Barbell),2026-09-28 18:00:00\n"
    )
    assert reading.format == "strong"
    assert entries(reading.workouts[0]) == [("barbell-back-squat", ["100×5"], "")]


def test_the_most_specific_format_is_taken():
    header = "Date,Exercise,Category,Reps,Weight(kg),isWarmup,Weight,Weight Unit,"
    both = f"{header}Set 1 (Reps),Set 1 (KG),Date (yyyy/mm/dd)\n"
    [(_, known)] = recognise(tables_of(both), FORMATS)
    assert known.name in {"fitnotes", "fitbod"}  # five columns, and not the four of StrongLifts
