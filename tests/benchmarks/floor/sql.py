"""The SQL of the floor, and the conversion of its parameters and results on both databases."""

import datetime
from functools import cache

from django.db import connection

from tests.benchmarks.floor.connections import OnPostgreSQL, OnSQLite

SQLITE = connection.vendor == "sqlite"

NEWEST = """
SELECT document, started_at, id FROM training_workout WHERE account_id = %s
ORDER BY started_at DESC, id DESC LIMIT %s
"""
ONE = "SELECT document FROM training_workout WHERE id = %s AND account_id = %s"
SIX_EXERCISES = """
SELECT id, name, muscle_group FROM training_exercise WHERE id IN (%s, %s, %s, %s, %s, %s)
"""
STAMP = f"""
UPDATE accounts_accountstate SET last_change = {"max" if SQLITE else "greatest"}(last_change + 1, %s)
WHERE account_id = %s RETURNING last_change
"""
INSERT_WORKOUT = f"""
INSERT INTO training_workout (id, account_id, title, notes, started_at, day, duration_seconds, volume_kg,
    plan_id, plan_name, created_at, updated_at, document)
VALUES ({", ".join(["%s"] * 13)})
"""
INSERT_SIX_EXERCISES = f"""
INSERT INTO training_workoutexercise (workout_id, account_id, exercise_id, started_at, position, muscle_group,
    notes, superset_id, sets, session_sets, first_of_exercise, first_of_group, completed_sets, volume_kg,
    best_weight_kg, best_reps)
VALUES {", ".join([f"({', '.join(['%s'] * 16)})"] * 6)}
"""


@cache
def database():
    """The connection of this process."""
    return OnSQLite() if SQLITE else OnPostgreSQL()


def fetch(sql, *parameters):
    return database().run(sql, parameters).fetchall()


def run(sql, *parameters):
    database().run(sql, parameters)


# Parameters: SQLite stores ids as hexadecimal digits, and datetimes as text in UTC.


def id_in(value):
    return value.hex if SQLITE else value


def datetime_in(value):
    return value.astimezone(datetime.UTC).replace(tzinfo=None) if SQLITE else value


# Results, as they appear in JSON.


def datetime_out(value):
    return f"{value.replace(tzinfo=None).isoformat()}Z"
