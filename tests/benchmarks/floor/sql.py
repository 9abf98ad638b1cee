"""The SQL of the floor, and the conversion of its parameters and results on both databases."""

import datetime
from functools import cache
from uuid import UUID

from django.db import connection

from tests.benchmarks.floor.connections import OnPostgreSQL, OnSQLite

SQLITE = connection.vendor == "sqlite"

NEWEST = """
SELECT document, started_at, id FROM training_workout WHERE account_id = %s
ORDER BY started_at DESC, id DESC LIMIT %s
"""
ONE = "SELECT document FROM training_workout WHERE id = %s AND account_id = %s"
HISTORY = """
SELECT s.workout_id, s.started_at, s.sets, s.session_sets, s.best_weight_kg, s.best_reps, e.id, e.name
FROM training_workoutexercise s JOIN training_exercise e ON e.id = s.exercise_id
WHERE s.account_id = %s AND s.exercise_id = %s AND s.first_of_exercise
ORDER BY s.started_at DESC, s.workout_id DESC LIMIT 26
"""
RECORDS = """
WITH RECURSIVE used(exercise_id) AS (
    SELECT min(exercise_id) FROM training_workoutexercise
    WHERE account_id = %s AND best_weight_kg IS NOT NULL
    UNION ALL
    SELECT (
        SELECT min(exercise_id) FROM training_workoutexercise
        WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id > used.exercise_id
    )
    FROM used WHERE used.exercise_id IS NOT NULL
)
SELECT s.exercise_id, e.name, s.best_weight_kg, s.best_reps, s.workout_id, s.started_at, s.id
FROM training_workoutexercise s JOIN training_exercise e ON e.id = s.exercise_id
WHERE s.id IN (
    SELECT (
        SELECT id FROM training_workoutexercise
        WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id = used.exercise_id
        ORDER BY best_weight_kg DESC, best_reps DESC, started_at, workout_id LIMIT 1
    )
    FROM used WHERE exercise_id IS NOT NULL
)
ORDER BY s.started_at DESC, s.id DESC LIMIT 26
"""
TOTALS = """
SELECT count(*), coalesce(sum(duration_seconds), 0) FROM training_workout
WHERE account_id = %s AND started_at >= %s AND started_at < %s
"""
GROUPS = """
SELECT muscle_group, count(CASE WHEN first_of_group THEN 1 END), sum(completed_sets), sum(volume_kg)
FROM training_workoutexercise
WHERE account_id = %s AND started_at >= %s AND started_at < %s
AND muscle_group IN ('Chest', 'Back', 'Legs', 'Shoulders', 'Arms', 'Core', 'Full body')
GROUP BY muscle_group HAVING sum(completed_sets) > 0 ORDER BY 4 DESC, muscle_group
"""
NEWEST_DAY = """
SELECT day FROM training_workout WHERE account_id = %s AND started_at < %s
ORDER BY started_at DESC, id DESC LIMIT 1
"""
FIRST_DAY = """
SELECT w.day FROM training_workout w WHERE w.account_id = %s AND w.day <= %s AND NOT EXISTS (
    SELECT 1 FROM training_workout b WHERE b.account_id = %s AND b.day = w.day - 1 LIMIT 1
)
ORDER BY w.day DESC LIMIT 1
"""
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


def id_out(value):
    return str(UUID(value)) if SQLITE else str(value)


def datetime_out(value):
    return f"{value.replace(tzinfo=None).isoformat()}Z"
