"""How large a workout is in the database: its tables and their indexes, divided by all workouts."""

from django.db import connection

from training.models import Workout, WorkoutExercise

TABLES = [model._meta.db_table for model in (Workout, WorkoutExercise)]
BOUND_KB = {"postgresql": 7.1, "sqlite": None}

ON_POSTGRESQL = (
    "SELECT sum(pg_table_size(name)), sum(pg_indexes_size(name)) FROM unnest(%s::regclass[]) AS name"
)
ON_SQLITE = """
SELECT sum(size) FILTER (WHERE type = 'table'), sum(size) FILTER (WHERE type = 'index') FROM (
    SELECT type, (SELECT pgsize FROM dbstat WHERE dbstat.name = sqlite_master.name AND aggregate = 1) AS size
    FROM sqlite_master WHERE tbl_name IN (%s, %s)
)
"""


def kb_a_workout():
    """KB of 1,000 bytes: (in the tables, in the indexes). None if this SQLite was built without `dbstat`."""
    if connection.vendor == "sqlite" and not has_dbstat():
        return None
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(ON_SQLITE, TABLES)
        else:
            cursor.execute(ON_POSTGRESQL, [TABLES])
        sizes = cursor.fetchone()
    workouts = Workout.objects.count()
    return tuple(float(size) / workouts / 1000 for size in sizes)


def has_dbstat():
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_compileoption_used('ENABLE_DBSTAT_VTAB')")
        return bool(cursor.fetchone()[0])
