"""Exports of Apple Health and Health Connect: what is taken of them, and what is one."""

import io
from zoneinfo import ZoneInfo

import pytest

from accounts.imports.kinds import Answers
from fitness.imports.findings import Findings
from fitness.imports.messages import Unreadable
from fitness.site.data import importing, steps
from fitness.site.data.health import AppleHealth, HealthConnect
from fitness.site.data.reading import Options
from tests.conftest import a_set, a_workout, client_of
from tests.factories import AccountFactory
from tests.imports.accounts import created, everything
from tests.imports.health_files import (
    HEAD,
    TABLES,
    apple,
    connect,
    export_xml,
    milliseconds,
    record,
    session,
    zipped,
)
from tests.imports.steps import Import, imported, read

pytestmark = [pytest.mark.usefixtures("autumn"), pytest.mark.each_database]

AT = "2026-10-20 07:12:33 +0200"
EVENING = ("2026-10-20 18:00:00 +0200", "2026-10-20 19:00:00 +0200")


@pytest.fixture
def account(db):
    return AccountFactory()


@pytest.fixture
def api(account):
    return client_of(account)


def candidates(file, form=None, zone="Europe/Berlin"):
    findings = Findings()
    return list((form or AppleHealth()).read(file, ZoneInfo(zone), findings)), findings


def payloads(file, kind, **options):
    return [one.payload for one in candidates(file, **options)[0] if one.kind == kind]


def imported_in(account, file, zone):
    run = steps.receive(account, file, "export.zip", Answers(ZoneInfo(zone), "kg"), Options())
    importing.begin_storing(run)
    steps.go_on_to_the_end(run)
    return Import(run)


@pytest.mark.parametrize(
    ("value", "unit", "kg"),
    [
        ("82.4", "kg", 82.4),
        ("82.40000000000001", "kg", 82.4),
        ("181.5", "lb", 82.327),
        ("12.5", "st", 79.3787),
        ("82400", "g", 82.4),
    ],
)
def test_weights_are_taken_in_each_unit(account, api, value, unit, kg):
    imported(account, apple(record("BodyMass", value, unit, AT)))
    (weight,) = everything(api, "weight")
    assert weight["weight_kg"] == pytest.approx(kg, abs=0.0001)
    assert weight["logged_at"] == "2026-10-20T05:12:33Z"


@pytest.mark.parametrize(
    ("value", "unit", "cm"), [("84", "cm", 84), ("33", "in", 83.82), ("0.84", "m", 84), ("2.75", "ft", 83.82)]
)
def test_waists_are_measurements(account, api, value, unit, cm):
    ran = imported(account, apple(record("WaistCircumference", value, unit, AT)))
    (measured,) = everything(api, "measurements")
    assert measured["waist_cm"] == cm
    assert ran.undo() == []
    assert everything(api, "measurements") == []


@pytest.mark.parametrize("later", ["07:12:33", "07:12:59", "07:13:20"])
def test_body_fat_belongs_to_the_weight_of_its_minute_or_of_one_beside(account, api, later):
    fat = record("BodyFatPercentage", "0.182", "%", f"2026-10-20 {later} +0200")
    imported(account, apple(record("BodyMass", "80", "kg", AT), fat))
    assert everything(api, "weight")[0]["body_fat_percent"] == 18.2


def test_body_fat_alone_is_left_out_and_said():
    fat = record("BodyFatPercentage", "0.182", "%", "2026-10-20 09:00:00 +0200")
    found, findings = candidates(apple(record("BodyMass", "80", "kg", AT), fat))
    assert [one.payload["body_fat_percent"] for one in found] == [None]
    assert [one.text for one in findings.changes] == ["has no weight of the same minute: left out"]
    assert findings.rows.ignored == 1


def test_a_percentage_that_is_no_part_of_one_is_taken_as_it_is_meant():
    fat = record("BodyFatPercentage", "18.2", "%", AT)
    (weight,) = payloads(apple(record("BodyMass", "80", "kg", AT), fat), "weight")
    assert weight["body_fat_percent"] == 18.2


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("Europe/Berlin", {"2026-10-24": 1000, "2026-10-25": 300, "2026-10-26": 200}),
        ("UTC", {"2026-10-24": 1300, "2026-10-25": 200}),
        ("Asia/Tokyo", {"2026-10-25": 1300, "2026-10-26": 200}),
    ],
)
def test_what_was_eaten_adds_up_by_the_day_of_the_account(zone, days):
    """Around the night in which the clocks of Berlin are set back."""
    eaten = [
        ("1000", "2026-10-24 23:30:00 +0200"),
        ("300", "2026-10-25 00:30:00 +0200"),
        ("200", "2026-10-26 00:10:00 +0100"),
    ]
    records = [record("DietaryEnergyConsumed", value, "kcal", at) for value, at in eaten]
    found = payloads(apple(*records), "nutrition", zone=zone)
    assert {one["day"]: one["totals"]["calories"] for one in found} == days


def test_a_day_of_nutrition_has_its_macros(account, api):
    values = {"Protein": "30", "Carbohydrates": "60.5", "FatTotal": "10"}
    records = [record(f"Dietary{name}", value, "g", AT) for name, value in values.items()]
    imported_in(account, apple(record("DietaryEnergyConsumed", "2092", "kJ", AT), *records), "Europe/Berlin")
    (day,) = everything(api, "nutrition")
    macros = {name: day[name] for name in ("day", "calories", "protein_g", "carbs_g", "fat_g")}
    assert macros == {"day": "2026-10-20", "calories": 500, "protein_g": 30, "carbs_g": 60.5, "fat_g": 10}


def test_two_apps_with_equal_totals_of_a_day_are_one_and_others_add_up():
    def day(app, *values):
        return [record("DietaryEnergyConsumed", value, "kcal", AT, app=app) for value in values]

    (one,) = payloads(apple(*day("A", 400, 100), *day("B", 500), *day("Shakes", 120)), "nutrition")
    assert one["totals"]["calories"] == 620
    assert one["rows"] in (2, 3)


@pytest.mark.parametrize(
    ("others", "stored"),
    [
        ([record("BodyMass", "80", "kg", AT, app="Other")], 1),
        ([record("BodyMass", "80.004", "kg", "2026-10-20 07:12:50 +0200", app="Other")], 1),
        ([record("BodyMass", "80", "kg", "2026-10-20 06:12:40 +0100", app="Other")], 1),  # the same moment
        ([record("BodyMass", "80.5", "kg", AT, app="Other")], 2),
        ([record("BodyMass", "80", "kg", "2026-10-20 07:14:33 +0200", app="Other")], 2),
    ],
)
def test_the_same_weight_of_two_apps_is_one(account, api, others, stored):
    imported(account, apple(record("BodyMass", "80", "kg", AT), *others))
    assert len(everything(api, "weight")) == stored


def test_a_weight_that_is_there_by_another_way_is_not_stored_again(account, api):
    created(api.post("/body/weight", {"weight_kg": 80, "logged_at": "2026-10-20T05:12:00Z"}))
    ran = imported(account, apple(record("BodyMass", "80", "kg", AT)))
    assert (len(ran.stored), len(ran.there)) == (0, 1)
    assert ran.undo() == []
    assert len(everything(api, "weight")) == 1


def test_strength_training_becomes_a_workout_without_sets(account, api):
    ran = imported(account, apple(session(*EVENING), session(*EVENING, kind="Running")))
    (workout,) = everything(api, "workouts")
    assert (workout["started_at"], workout["duration_seconds"]) == ("2026-10-20T16:00:00Z", 3600)
    assert workout["exercises"] == []
    assert ran.rows["records"] == 1
    assert ran.undo() == []
    assert everything(api, "workouts") == []


@pytest.mark.parametrize(
    ("start", "minutes", "made"),
    [
        ("2026-10-20T16:10:00Z", 40, 0),
        ("2026-10-20T15:30:00Z", 45, 0),
        ("2026-10-20T16:59:00Z", 0, 0),
        ("2026-10-20T15:00:00Z", 60, 1),  # it ends as the session begins
        ("2026-10-20T17:00:00Z", 60, 1),
        ("2026-10-19T16:10:00Z", 40, 1),
    ],
)
def test_a_session_at_the_time_of_a_workout_is_not_made(account, api, start, minutes, made):
    created(api.post("/workouts", a_workout(a_set(), started_at=start, duration_seconds=60 * minutes)))
    assert len(imported(account, apple(session(*EVENING))).stored) == made


def test_of_two_sessions_at_one_time_the_longer_is_taken():
    phone = session("2026-10-20 18:05:00 +0200", "2026-10-20 18:30:00 +0200", app="Phone")
    (found,), findings = candidates(apple(phone, session(*EVENING)))
    assert found.payload["end"] == "2026-10-20T17:00:00+00:00"
    assert findings.rows.duplicate == 1


HEVY = (
    "title,start_time,end_time,exercise_title,set_index,set_type,reps,weight_kg\n"
    "Legs,2026-10-20 16:05:00,2026-10-20 16:55:00,Squat (Barbell),0,normal,5,100\n"
)


def test_a_session_gives_way_to_the_workout_with_its_sets(account, api):
    first = imported(account, apple(session(*EVENING)))
    imported(account, io.BytesIO(HEVY.encode()))
    (workout,) = everything(api, "workouts")
    assert workout["title"] == "Legs"
    assert first.undo() == []
    assert len(everything(api, "workouts")) == 1
    again = imported(account, apple(session(*EVENING)))
    assert (len(again.stored), len(again.there)) == (0, 1)


def test_a_session_that_somebody_has_changed_stays(account, api):
    imported(account, apple(session(*EVENING)))
    (workout,) = everything(api, "workouts")
    body = {name: workout[name] for name in ("started_at", "duration_seconds", "exercises")}
    created(api.put(f"/workouts/{workout['id']}", {**body, "title": "Mine"}))
    imported(account, io.BytesIO(HEVY.encode()))
    assert sorted(one["title"] for one in everything(api, "workouts")) == ["Legs", "Mine"]


def test_a_workout_without_sets_that_no_import_has_made_stays(account, api):
    created(api.post("/workouts", a_workout(started_at="2026-10-20T16:00:00Z", duration_seconds=3600)))
    imported(account, io.BytesIO(HEVY.encode()))
    assert len(everything(api, "workouts")) == 2


def test_what_cannot_be_read_is_refused_with_its_line():
    _, findings = candidates(
        apple(
            record("BodyMass", "80", "cubit", AT),
            record("BodyMass", "many", "kg", AT),
            record("BodyMass", "nan", "kg", AT),
            record("BodyMass", "80", "kg", "yesterday"),
            record("BodyMass", "80", "kg", "1970-01-01 00:00:00 +0000"),
            session(EVENING[1], EVENING[0]),
        )
    )
    first = HEAD.count("\n") + 1
    assert [(one.line - first, one.column, one.text) for one in findings.problems] == [
        (0, "weight", "has the unit cubit, which is not known here"),
        (1, "weight", "is not a number"),
        (2, "weight", "is not a number"),
        (3, "date", "is not a date"),
        (4, "date", "is before 1990"),
        (5, "end", "does not end after its start"),
    ]


def test_records_in_a_correlation_are_not_counted_twice():
    eaten = record("DietaryEnergyConsumed", "500", "kcal", AT)
    food = f' <Correlation type="HKCorrelationTypeIdentifierFood">\n{eaten}</Correlation>\n'
    (day,) = payloads(apple(food, eaten), "nutrition")
    assert day["totals"]["calories"] == 500


def test_declarations_that_no_parser_takes_and_control_characters_are_passed_over():
    broken = HEAD.replace("<!ELEMENT", "<!ATTLIST Broken\n<!ELEMENT")
    element = record("BodyMass", "80", "kg", AT, app="Sc\x0bale")
    content = broken + element + "</HealthData>"
    (found,), _ = candidates(zipped(Exportieren__xml=content))
    assert found.lines == (broken.count("\n") + 1,) * 2


def test_export_xml_is_taken_without_its_archive():
    assert len(payloads(io.BytesIO(export_xml(record("BodyMass", "80", "kg", AT))), "weight")) == 1


ENTITY = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><HealthData>&a;</HealthData>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (export_xml(record("BodyMass", "80", "kg", AT))[:-20], "This export is damaged"),
        (export_xml("<Record type='x'"), "This export is damaged"),
        (ENTITY, "declares what such an export never has"),
        (export_xml(f"<Me a='{'x' * 1_500_000}'/>"), "declares what such an export never has"),
        (export_xml(*(f"<a{n}/>" for n in range(5000))), "declares what such an export never has"),
        (export_xml("<a>" * 50_000, "</a>" * 50_000), "declares what such an export never has"),
    ],
    ids=["cut", "broken", "entity", "long", "names", "deep"],
)
def test_an_export_that_is_damaged_or_made_to_harm_is_refused(content, said):
    with pytest.raises(Unreadable, match=said):
        candidates(zipped(export__xml=content))


def test_an_archive_within_an_archive_is_not_recognised(account):
    with pytest.raises(Unreadable, match="This file is not recognised"):
        read(account, zipped(export__zip=apple(record("BodyMass", "80", "kg", AT)).getvalue()))


def test_more_than_four_gigabytes_are_not_unpacked(monkeypatch):
    monkeypatch.setattr("fitness.imports.samples.MAX_UNPACKED_BYTES", 100_000)
    with pytest.raises(Unreadable, match="more than"):
        candidates(apple(" " * 200_000))


WEIGHT, FAT = "weight_record_table", "body_fat_record_table"
EATEN, TRAINED = "nutrition_record_table", "exercise_session_record_table"
TIME = milliseconds("2026-10-20T05:12:33+00:00")
HOUR = 3_600_000


def test_health_connect_gives_the_same_kinds(account, api):
    file = connect(
        (WEIGHT, {"app_info_id": 1, "time": TIME, "weight": 82400.0}),
        (WEIGHT, {"app_info_id": 2, "time": TIME, "weight": 82400.0}),
        (FAT, {"app_info_id": 1, "time": TIME, "percentage": 18.2}),
        (
            EATEN,
            {"app_info_id": 3, "start_time": TIME, "end_time": TIME, "energy": 500_000.0, "protein": 30.0},
        ),
        (EATEN, {"app_info_id": 3, "start_time": TIME, "end_time": TIME, "energy": 5e-324, "total_fat": 8.0}),
        (TRAINED, {"start_time": TIME, "end_time": TIME + HOUR, "exercise_type": 45, "title": "Push"}),
        (TRAINED, {"start_time": TIME + 2 * HOUR, "end_time": TIME + 3 * HOUR, "exercise_type": 33}),
    )
    ran = imported(account, file)
    assert ran.run.source == "health_connect"
    (weight,) = everything(api, "weight")
    assert (weight["weight_kg"], weight["body_fat_percent"]) == (82.4, 18.2)
    (day,) = everything(api, "nutrition")
    assert (day["calories"], day["protein_g"], day["carbs_g"], day["fat_g"]) == (500, 30, 0, 8)
    (workout,) = everything(api, "workouts")
    assert (workout["title"], workout["duration_seconds"]) == ("Push", 3600)
    assert ran.undo() == []
    assert all(everything(api, name) == [] for name in ("weight", "nutrition", "workouts"))


def test_the_same_weight_of_two_stores_is_one(account, api):
    imported(account, apple(record("BodyMass", "82.4", "kg", AT)))
    ran = imported(account, connect((WEIGHT, {"time": TIME, "weight": 82400.0})))
    assert (len(ran.stored), len(ran.there)) == (0, 1)


def test_rows_of_health_connect_that_cannot_be_read_are_refused():
    _, findings = candidates(
        connect(
            (WEIGHT, {"time": TIME, "weight": "heavy"}),
            (WEIGHT, {"time": "noon", "weight": 80000.0}),
            (WEIGHT, {"time": None, "weight": 80000.0}),
            (WEIGHT, {"time": 2**62, "weight": 80000.0}),
            (WEIGHT, {"time": 0, "weight": 80000.0}),
            (WEIGHT, {"time": TIME, "weight": b"\0\xff"}),
        ),
        HealthConnect(),
    )
    said = [(one.line, one.text) for one in findings.problems]
    dates = [(line, "is not a date") for line in (2, 3, 4)]
    assert said == [(1, "is not a number"), *dates, (5, "is before 1990"), (6, "is not a number")]


def test_an_older_table_without_a_column_is_read():
    schema = TABLES.replace("total_carbohydrate REAL, ", "")
    row = (EATEN, {"start_time": TIME, "end_time": TIME, "energy": 500_000.0})
    assert len(payloads(connect(row, schema=schema), "nutrition", form=HealthConnect())) == 1


ENDLESS = """CREATE VIEW weight_record_table AS
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
SELECT x AS row_id, 1 AS app_info_id, x AS time, 80000.0 AS weight FROM n;"""


@pytest.mark.parametrize("schema", ["CREATE TABLE notes (text TEXT);", ENDLESS])
def test_a_database_of_something_else_is_refused(schema):
    with pytest.raises(Unreadable, match="not that of Health Connect"):
        candidates(connect(schema=schema), HealthConnect())


def test_a_damaged_database_is_refused():
    with pytest.raises(Unreadable, match="damaged"):
        candidates(zipped(health__db=b"SQLite format 3\0" + b"\xff" * 5000), HealthConnect())
