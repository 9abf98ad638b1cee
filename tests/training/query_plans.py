"""Long histories made by SQL, and how the databases run statements on them."""

import re

from django.db import connection

POSTGRESQL = connection.vendor == "postgresql"
EXPLAIN = "EXPLAIN" if POSTGRESQL else "EXPLAIN QUERY PLAN"

RANDOM_ID = "gen_random_uuid()" if POSTGRESQL else "lower(hex(randomblob(16)))"
# The n-th of some workouts a day, on six days of seven.
DAY = "(n / {per_day} + n / {per_day} / 6)"
MOMENT = (
    f"timestamptz '{{first}} 18:00Z' + {DAY} * interval '1 day' + (n %% {{per_day}}) * interval '1 minute'"
    if POSTGRESQL
    else f"datetime('{{first}} 18:00', {DAY} || ' days', (n %% {{per_day}}) || ' minutes')"
)
ADD_WORKOUTS = f"""
INSERT INTO training_workout (id, account_id, title, notes, started_at, day, duration_seconds, volume_kg,
    created_at, updated_at, document)
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {{count}})
SELECT {RANDOM_ID}, %s, '', '', {MOMENT}, {{first_day}} + {DAY}, 3600, 500, {MOMENT}, {MOMENT},
    '{{{{"title":"","exercises":[]}}}}'
FROM numbers
"""
ADD_EXERCISES = """
INSERT INTO training_workoutexercise (workout_id, account_id, exercise_id, started_at, position,
    muscle_group, notes, sets, first_of_exercise, first_of_group, completed_sets, volume_kg,
    best_weight_kg, best_reps)
SELECT workout.id, account_id, exercise.id, started_at, 0, muscle_group, '', '[]', true, true, 1, 500, 100, 5
FROM training_workout workout JOIN
    (SELECT id, muscle_group, row_number() OVER (ORDER BY id) AS number FROM training_exercise) exercise
    ON number = day %% 20 + 1
WHERE account_id = %s
"""


def add_history(account, count, first, per_day=1):
    """Gives an account workouts from a day on, each with one of twenty exercises."""
    values = {"count": count, "first": first.isoformat(), "first_day": first.toordinal(), "per_day": per_day}
    with connection.cursor() as cursor:
        cursor.execute(ADD_WORKOUTS.format(**values), [account.db_pk])
        cursor.execute(ADD_EXERCISES, [account.db_pk])


def explained(run):
    """The lines of the plans of these statements."""
    lines = []
    with connection.cursor() as cursor:
        for sql in run:
            if re.match(r"\d+ times: ", sql):  # `executemany`, which inserts
                continue
            cursor.execute(f"{EXPLAIN} {sql}")
            lines += [row[-1].strip() for row in cursor.fetchall()]
    return lines


def scans(plan):
    """Lines that read a table from end to end.

    `used` is the list of exercises that EACH_EXERCISE makes, and `json_each` reads the sets of one row.
    """
    of_results = re.compile(r"SCAN (used|json_each|\d+ CONSTANT ROWS)")
    return [
        line
        for line in plan
        if "Seq Scan on training_workout" in line or (line.startswith("SCAN ") and not of_results.match(line))
    ]


def sorts(plan):
    """Lines that sort, if only what the index leaves equal."""
    found = ("Sort  (", "Incremental Sort  (", "USE TEMP")
    return [line for line in plan if line.removeprefix("->  ").startswith(found)]
