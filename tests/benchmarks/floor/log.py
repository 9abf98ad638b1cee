"""The floor for logging a workout: the same statements as the service, with all columns for statistics."""

import datetime
import time

import orjson
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from uuid_utils.compat import uuid7

from tests.benchmarks.floor import sql
from tests.benchmarks.floor.sql import datetime_in, datetime_out, fetch, id_in, run

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
A_SET = {"type": "working", "weight_kg": None, "reps": None, "completed": True, "rpe": None}


@csrf_exempt
def log_workout(request, account_id):
    """Stores a workout of six different exercises. Does not validate it."""
    body = orjson.loads(request.body)
    ids = [entry["exercise_id"] for entry in body["exercises"]]
    exercises = {exercise_id: names for exercise_id, *names in fetch(sql.SIX_EXERCISES, *ids)}
    with sql.database().atomic():
        document = store(id_in(account_id), uuid7(), body, exercises)
    return HttpResponse(document, content_type="application/json", status=201)


def store(owner, workout_id, body, exercises):
    """Inserts the rows of a workout and returns its JSON. `exercises` maps ids to (name, muscle group)."""
    ((stamp,),) = fetch(sql.STAMP, time.time_ns() // 1000, owner)
    started_at = datetime.datetime.fromisoformat(body["started_at"])
    now = EPOCH + datetime.timedelta(microseconds=stamp)
    entries = [rendered_entry(entry, *exercises[entry["exercise_id"]]) for entry in body["exercises"]]
    rows = [aggregates(entry["sets"]) for entry in entries]
    volume_kg = sum(row[1] for row in rows)
    document = rendered_workout(workout_id, body, started_at, volume_kg, entries, now)
    started_at, now = datetime_in(started_at), datetime_in(now)
    run(
        sql.INSERT_WORKOUT,
        *(id_in(workout_id), owner, body["title"], body["notes"], started_at, started_at.toordinal()),
        *(body["duration_seconds"], volume_kg, None, None, now, now, document),
    )
    run(sql.INSERT_SIX_EXERCISES, *exercise_columns(id_in(workout_id), owner, started_at, entries, rows))
    return document


def rendered_entry(entry, name, muscle_group):
    return {
        "exercise_id": entry["exercise_id"],
        "name": name,
        "muscle_group": muscle_group,
        "notes": "",
        "superset_id": None,
        "sets": [{**A_SET, **one_set} for one_set in entry["sets"]],
    }


def rendered_workout(workout_id, body, started_at, volume_kg, entries, now):
    """The workout as JSON text, with its fields in the order of the service's response."""
    return orjson.dumps(
        {
            "id": str(workout_id),
            "title": body["title"],
            "notes": body["notes"],
            "started_at": datetime_out(started_at),
            "duration_seconds": body["duration_seconds"],
            "volume_kg": round(volume_kg, 2),
            "plan_id": None,
            "plan_name": None,
            "exercises": entries,
            "created_at": datetime_out(now),
            "updated_at": datetime_out(now),
        }
    ).decode()


def aggregates(sets):
    """(completed sets, volume_kg, best weight_kg, its repetitions) of an exercise."""
    work = [one for one in sets if one["completed"] and one["type"] == "working"]
    volume_kg = sum(one["weight_kg"] * one["reps"] for one in work)
    return (
        sum(one["completed"] for one in sets),
        volume_kg,
        *max((one["weight_kg"], one["reps"]) for one in work),
    )


def exercise_columns(workout_id, owner, started_at, entries, rows):
    """The parameters of INSERT_SIX_EXERCISES."""
    groups = set()
    for position, (entry, row) in enumerate(zip(entries, rows, strict=True)):
        group = entry["muscle_group"]
        yield from (workout_id, owner, entry["exercise_id"], started_at, position, group, "", None)
        yield from (orjson.dumps(entry["sets"]).decode(), None, True, group not in groups, *row)
        groups.add(group)
