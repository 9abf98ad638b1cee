"""What an account takes along: CSV forms, the ZIP, and who may fetch them."""

import csv
import io
import json
import zipfile

import pytest

from fitness.spreadsheets import csv_pieces
from tests.conftest import a_set, freshly_signed_in, statements
from tests.imports.accounts import everything, exported, fill, workout

EXPORT = "/settings/data/export"
ADDRESSES = [EXPORT, *(f"{EXPORT}/{name}" for name in ("everything", "strong", "hevy"))]


@pytest.fixture
def filled(account):
    account.units = "kg"
    account.time_zone = "Europe/Berlin"
    account.save()
    return fill(account)


def table(text):
    """The rows of a CSV file as dicts."""
    return list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))


def zipped(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("beginning", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_is_a_formula(beginning):
    (text,) = csv_pieces(["notes"], [[f"{beginning}1"]])
    assert text == f'"notes"\r\n"\'{beginning}1"\r\n'.encode()


def test_numbers_keep_their_sign_and_texts_their_quotes():
    (text,) = csv_pieces(["a", "b", "c", "d"], [[-1.5, 'say "hi", 💪', True, None], [60.0, "a\nb", False, 7]])
    assert text.decode() == ('"a","b","c","d"\r\n-1.5,"say ""hi"", 💪","true",""\r\n60,"a\nb","false",7\r\n')


def test_a_long_file_comes_in_pieces_that_are_one_table():
    pieces = list(csv_pieces(["n", "text"], ([n, "x" * 100] for n in range(2000))))
    assert len(pieces) > 2
    assert [row["n"] for row in table(b"".join(pieces))] == [str(n) for n in range(2000)]


def test_strong_form(filled, page):
    rows = table(exported(page, f"{EXPORT}/strong"))
    assert ",".join(rows[0]) == (
        "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,"
        "Notes,Workout Notes,RPE"
    )
    assert {(row["Date"], row["Workout Name"], row["Duration"], row["Workout Notes"]) for row in rows} == {
        ("2026-03-02 18:30:00", "Leg day", "1h 5m 30s", "'-1 hour of sleep"),
        ("2026-03-04 18:30:00", "Later", "1h 5m 30s", "'-1 hour of sleep"),
    }
    shown = [tuple(row[name] for name in ("Set Order", "Weight", "Reps", "Notes", "RPE")) for row in rows]
    assert shown[: len(rows) // 2] == [
        ("Note", "", "", "deep\nslow", ""),
        ("W", "60", "5", "-", ""),
        ("1", "102.058", "5", "-", "8.5"),
        ("Note", "", "", "60 s", ""),
        ("1", "0", "8", "-", ""),
    ]


def test_hevy_form_in_kg(filled, page):
    rows = table(exported(page, f"{EXPORT}/hevy", unit="kg"))
    assert ",".join(rows[0]) == (
        "title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,set_type,"
        "weight_kg,reps,distance_km,duration_seconds,rpe"
    )
    assert [row["title"] for row in rows] == ["Later"] * 4 + ["Leg day"] * 4
    assert (rows[4]["start_time"], rows[4]["end_time"]) == ("2 Mar 2026, 18:30", "2 Mar 2026, 19:35")
    shown = ("superset_id", "exercise_notes", "set_index", "set_type", "weight_kg", "reps", "rpe")
    assert [tuple(row[name] for name in shown) for row in rows[4:]] == [
        ("", r"deep\nslow", "0", "warmup", "60", "5", ""),
        ("", r"deep\nslow", "1", "normal", "102.05828325", "5", "8.5"),
        ("", "60 s", "0", "normal", "", "", ""),
        ("a", "", "0", "normal", "", "8", ""),
    ]


def test_hevy_form_in_pounds_is_exact(filled, page, account):
    rows = table(exported(page, f"{EXPORT}/hevy", unit="lb"))
    assert rows[5]["weight_lbs"] == "225"
    assert "distance_miles" in rows[0]
    account.units = "lb"
    account.save()
    assert table(exported(page, f"{EXPORT}/hevy")) == rows


def test_an_unknown_unit_is_not_found(page):
    assert page.get(f"{EXPORT}/hevy", {"unit": "stone"}).status_code == 404


@pytest.mark.parametrize("name", ["strong", "hevy"])
@pytest.mark.parametrize("started_at", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_ends_of_the_calendar_are_exported(account, api, page, name, started_at):
    account.time_zone = "America/Los_Angeles"
    account.save()
    body = workout(started_at=started_at, duration_seconds=604_800)
    assert api.post("/workouts", body).status_code == 201
    assert len(table(exported(page, f"{EXPORT}/{name}"))) > 1


def as_text(value):
    if isinstance(value, bool):
        return str(value).lower()
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    text = "" if value is None else str(number)
    return f"'{text}" if isinstance(value, str) and text.startswith(tuple("=+-@")) else text


def test_the_tables_hold_what_the_lists_of_the_api_hold(filled, page):
    files = zipped(exported(page, f"{EXPORT}/everything"))
    tables = {"supplement_logs": "logs", **{name: name for name in ("weight", "measurements", "goals")}}
    tables |= {"nutrition": "nutrition", "supplements": "supplements"}
    for file, name in tables.items():
        rows = [{key: as_text(value) for key, value in item.items()} for item in everything(filled, name)]
        assert rows
        found = table(files[f"{file}.csv"])
        if file == "nutrition":  # which says as well what is known of the app alone
            assert {row.pop("is_complete") for row in found} == {"true", "false"}
        assert sorted(found, key=str) == sorted(rows, key=str)


def test_the_tables_of_foods_and_of_what_was_eaten_hold_what_the_archive_holds(filled, page):
    files = zipped(exported(page, f"{EXPORT}/everything"))
    archive = json.loads(files["fitness.json"])
    for name in ("foods", "food_entries"):
        rows = [{key: as_text(value) for key, value in item.items()} for item in archive[name]]
        assert table(files[f"{name}.csv"]) == rows
    lunch = table(files["food_entries.csv"])[-1]
    assert (lunch["name"], lunch["protein_g"], lunch["is_included"]) == ("'=Lunch", "", "true")


def test_the_table_of_workouts_has_a_row_for_each_set(filled, page):
    rows = table(zipped(exported(page, f"{EXPORT}/everything"))["workouts.csv"])
    expected = []
    for one in reversed(everything(filled, "workouts")):
        head = {key: as_text(value) for key, value in one.items() if key != "exercises"}
        for entry in one["exercises"]:
            shared = {key: as_text(value) for key, value in entry.items() if key not in ("sets", "notes")}
            shared["exercise_notes"] = as_text(entry["notes"])
            for number, one_set in enumerate(entry["sets"] or [{}], 1):
                cells = {key: as_text(one_set.get(key)) for key in ("type", *SET_NUMBERS, "completed")}
                expected.append({**head, **shared, **cells, "set": str(number) if one_set else ""})
    assert rows == expected


SET_NUMBERS = ("weight_kg", "reps", "rpe")


def test_the_zip_holds_every_form(filled, page):
    response = page.get(f"{EXPORT}/everything", headers={"Accept-Encoding": "gzip"})
    assert response.headers["Content-Disposition"].startswith('attachment; filename="fitness-')
    assert response.headers["Content-Type"] == "application/zip"
    files = zipped(response.getvalue())
    resources = ("workouts", "weight", "measurements", "goals", "nutrition", "foods", "food_entries")
    tables = (*resources, "supplements", "supplement_logs")
    assert list(files) == ["fitness.json", "strong.csv", "hevy.csv", *(f"{name}.csv" for name in tables)]
    assert files["strong.csv"] == exported(page, f"{EXPORT}/strong")
    assert files["hevy.csv"] == exported(page, f"{EXPORT}/hevy")
    without_time = files["fitness.json"].partition(b"profile")[2]
    assert without_time == exported(page).partition(b"profile")[2]


@pytest.mark.parametrize("address", ADDRESSES[2:])
def test_a_stranger_sees_nothing_of_it(filled, stranger, address):
    assert table(exported(freshly_signed_in(stranger), address)) == []


def test_the_zip_of_a_stranger_is_empty(filled, stranger):
    files = zipped(exported(freshly_signed_in(stranger), ADDRESSES[1]))
    del files["fitness.json"]
    assert all(table(text) == [] for text in files.values())


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_export_takes_the_same_statements_for_any_number_of_records(filled, page, address):
    with statements() as few:
        exported(page, address)
    for _ in range(3):
        filled.post("/workouts", workout(title="More", notes="", exercises=[]))
        filled.post("/body/weight", {"weight_kg": 80})
        filled.post("/goals", {})
    filled.post("/workouts", workout(exercises=[{"exercise_id": "plank", "sets": [a_set()]}]))
    with statements() as many:
        exported(page, address)
    assert len(many) == len(few)
