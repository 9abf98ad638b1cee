"""How large the exercises of workouts would be on PostgreSQL if they were stored otherwise.

`DATABASE_URL=postgres://… python -m tests.benchmarks.layouts` copies those of the accounts of 1,000 workouts
into one table for each layout, in the order of their days, and prints bytes a workout. In one transaction
that is rolled back.
"""

from tests.benchmarks import database

# What each column is in a layout, if not as it is, and what is otherwise in its indexes.
EXERCISE = {"exercise_id": "dense_rank() OVER (ORDER BY exercise_id)::int"}
KEYS = EXERCISE | {
    name: f"dense_rank() OVER (ORDER BY {name})::bigint" for name in ("account_id", "workout_id")
}
SETS = {"sets": """regexp_replace(sets, '"(type|weight_kg|reps|completed|rpe|notes)":', '', 'g')"""}
AS_THEY_ARE = {"best_ends": "started_at, workout_id", "sums": "completed_sets, volume_kg"}
SHORT_BEST = {"best_ends": "started_at"}
LAYOUTS = {
    "as they are": ({}, {}),
    "session_totals with the volume before the sets": ({}, {"sums": "volume_kg, completed_sets"}),
    "session_best without the workout": ({}, SHORT_BEST),
    "integers for exercises": (EXERCISE, {}),
    "integers for exercises, accounts and workouts": (KEYS, {}),
    "sets as lists without names": (SETS, {}),
    "sets as lists, all keys integers, session_best without the workout": (KEYS | SETS, SHORT_BEST),
}
IN_ORDER = "ORDER BY started_at, workout_id, position"
SOURCE = """
CREATE TEMPORARY TABLE source AS SELECT * FROM training_workoutexercise WHERE account_id IN
    (SELECT account_id FROM accounts_accountstate WHERE workout_count = 1000)
"""
# As in the Meta of WorkoutExercise.
INDEXES = """
CREATE UNIQUE INDEX ON layout (id);
CREATE UNIQUE INDEX ON layout (workout_id, position);
CREATE INDEX ON layout (account_id, exercise_id, started_at DESC, workout_id DESC, best_weight_kg, best_reps)
    WHERE first_of_exercise;
CREATE INDEX ON layout (account_id, exercise_id, best_weight_kg DESC, best_reps DESC, {best_ends})
    WHERE best_weight_kg IS NOT NULL;
CREATE INDEX ON layout (account_id, muscle_group, started_at, {sums}, first_of_group);
"""


def sizes(cursor, changes, index_parts):
    """Bytes of a layout: (of its rows, of its indexes as they grow, of new ones)."""
    cursor.execute("SELECT * FROM source LIMIT 0")
    # Copied accounts have their ids one after the other, and not in the order of days.
    changes = {"id": f"row_number() OVER ({IN_ORDER})"} | changes
    columns = ", ".join(f"{changes.get(name, name)} AS {name}" for name, *_ in cursor.description)
    cursor.execute(f"CREATE TEMPORARY TABLE arranged AS SELECT {columns} FROM source")
    cursor.execute("CREATE TEMPORARY TABLE layout AS SELECT * FROM arranged LIMIT 0")
    cursor.execute(INDEXES.format(**AS_THEY_ARE | index_parts))
    cursor.execute(f"INSERT INTO layout SELECT * FROM arranged {IN_ORDER}")
    cursor.execute("SELECT pg_table_size('layout'), pg_indexes_size('layout')")
    rows, indexes = cursor.fetchone()
    cursor.execute("REINDEX TABLE layout")
    cursor.execute("SELECT pg_indexes_size('layout')")
    (new_indexes,) = cursor.fetchone()
    cursor.execute("DROP TABLE arranged, layout")
    return rows, indexes, new_indexes


def compare(cursor):
    cursor.execute(SOURCE)
    cursor.execute("SELECT count(DISTINCT workout_id) FROM source")
    (workouts,) = cursor.fetchone()
    print(f"bytes a workout, of {workouts:,}: rows, indexes (new ones)")
    for name, (changes, index_parts) in LAYOUTS.items():
        rows, indexes, new_indexes = (size / workouts for size in sizes(cursor, changes, index_parts))
        print(f"{name}: {rows:,.0f}, {indexes:,.0f} ({new_indexes:,.0f}), {rows + indexes:,.0f} in all")


if __name__ == "__main__":
    with database.ready():
        from django.db import connection, transaction

        with transaction.atomic(), connection.cursor() as cursor:
            compare(cursor)
            transaction.set_rollback(True)
