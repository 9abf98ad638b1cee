"""Health exports in the layout of each store, made by scripts."""

import io
import sqlite3
import tempfile
import zipfile
from datetime import datetime

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 13 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
]>
<HealthData locale="en_GB">
 <ExportDate value="2026-10-31 08:00:00 +0100"/>
"""
TAIL = "</HealthData>\n"
QUANTITY = "HKQuantityTypeIdentifier"
STRENGTH = "TraditionalStrengthTraining"

TABLES = """
CREATE TABLE application_info_table (row_id INTEGER PRIMARY KEY, package_name TEXT);
CREATE TABLE weight_record_table (row_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB, app_info_id INTEGER,
    time INTEGER, zone_offset INTEGER, local_date INTEGER, weight REAL);
CREATE TABLE body_fat_record_table (row_id INTEGER PRIMARY KEY AUTOINCREMENT, app_info_id INTEGER,
    time INTEGER, zone_offset INTEGER, percentage REAL);
CREATE TABLE nutrition_record_table (row_id INTEGER PRIMARY KEY AUTOINCREMENT, app_info_id INTEGER,
    start_time INTEGER, end_time INTEGER, energy REAL, protein REAL, total_carbohydrate REAL, total_fat REAL);
CREATE TABLE exercise_session_record_table (row_id INTEGER PRIMARY KEY AUTOINCREMENT, app_info_id INTEGER,
    start_time INTEGER, end_time INTEGER, exercise_type INTEGER, title TEXT, notes TEXT);
"""


def record(what, value, unit, start, *, app="Scale", end=None):
    return (
        f' <Record type="{QUANTITY}{what}" sourceName="{app}" sourceVersion="1" unit="{unit}" '
        f'creationDate="{start}" startDate="{start}" endDate="{end or start}" value="{value}"/>\n'
    )


def session(start, end, *, kind=STRENGTH, app="Watch"):
    return (
        f' <Workout workoutActivityType="HKWorkoutActivityType{kind}" duration="60" durationUnit="min" '
        f'sourceName="{app}" startDate="{start}" endDate="{end}">\n  <WorkoutEvent type="x"/>\n </Workout>\n'
    )


def export_xml(*elements):
    return "".join([HEAD, *elements, TAIL]).encode()


def zipped(**members):
    """A ZIP of files; `__` in a name is a dot, and Apple's folder is before each."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"apple_health_export/{name.replace('__', '.')}", content)
    file.seek(0)
    return file


def apple(*elements):
    other = "<?xml version='1.0'?><ClinicalDocument/>"
    return zipped(export_cda__xml=other, export__xml=export_xml(*elements), route__gpx="<gpx/>")


def milliseconds(text):
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def connect(*rows, schema=TABLES):
    """A ZIP with a database that has these rows: (table, {column: value})."""
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        database = sqlite3.connect(file.name)
        database.executescript(schema)
        for table, values in rows:
            marks = ", ".join("?" * len(values))
            database.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", [*values.values()]
            )
        database.commit()
        database.close()
        content = file.read()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("health_connect_export.db", content)
    archive.seek(0)
    return archive
