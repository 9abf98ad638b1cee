"""The floor of logging a workout: the service's statements and the columns that statistics need."""

import datetime
import time

import orjson
from django.db import transaction
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from uuid_utils.compat import uuid7

from tests.benchmarks.floor import sql
from tests.benchmarks.floor.sql import fetch, id_in, moment_in, moment_out, run

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
A_SET = {"type": "working", "weight_kg": None, "reps": None, "completed": True, "rpe": None}


@csrf_exempt
def log_workout(request, account_id):
    """Stores a workout of six exercises, none of them twice, and trusts that it is one."""
    body = orjson.loads(request.body)
    ids = [entry["exercise_id"] for entry in body["exercises"]]
    known = {exercise_id: names for exercise_id, *names in fetch(sql.SIX_EXERCISES, *ids)}
    with transaction.atomic():
        record = store(id_in(account_id), uuid7(), body, known)
    return HttpResponse(record, content_type="application/json", status=201)


def store(owner, workout_id, body, known):
    """The stored record, as text. `known` maps exercise ids to (name, muscle group)."""
    ((stamp,),) = fetch(sql.STAMP, time.time_ns() // 1000, owner)
    started_at = datetime.datetime.fromisoformat(body["started_at"])
    now = EPOCH + datetime.timedelta(microseconds=stamp)
    entries, rows = [], []
    for entry in body["exercises"]:
        name, group = known[entry["exercise_id"]]
        sets = [{**A_SET, **one} for one in entry["sets"]]
        entries.append(
            {
                "exercise_id": entry["exercise_id"],
                "name": name,
                "muscle_group": group,
                "notes": "",
                "superset_id": None,
                "sets": sets,
            }
        )
        rows.append(aggregates(sets))
    volume_kg = sum(row[1] for row in rows)
    record = orjson.dumps(
        {
            "id": str(workout_id),
            "title": body["title"],
            "notes": body["notes"],
            "started_at": moment_out(started_at),
            "duration_seconds": body["duration_seconds"],
            "volume_kg": round(volume_kg, 2),
            "plan_id": None,
            "plan_name": None,
            "exercises": entries,
            "created_at": moment_out(now),
            "updated_at": moment_out(now),
        }
    ).decode()
    started_at, now = moment_in(started_at), moment_in(now)
    run(
        sql.INSERT_WORKOUT,
        *(id_in(workout_id), owner, body["title"], body["notes"], started_at, started_at.toordinal()),
        *(body["duration_seconds"], volume_kg, None, None, now, now, record),
    )
    run(sql.INSERT_SIX_EXERCISES, *session_columns(id_in(workout_id), owner, started_at, entries, rows))
    return record


def aggregates(sets):
    """(completed sets, volume, best weight, its repetitions) of an exercise."""
    work = [one for one in sets if one["completed"] and one["type"] == "working"]
    volume_kg = sum(one["weight_kg"] * one["reps"] for one in work)
    return (
        sum(one["completed"] for one in sets),
        volume_kg,
        *max((one["weight_kg"], one["reps"]) for one in work),
    )


def session_columns(workout_id, owner, started_at, entries, rows):
    groups = set()
    for position, (entry, row) in enumerate(zip(entries, rows, strict=True)):
        group = entry["muscle_group"]
        yield from (workout_id, owner, entry["exercise_id"], started_at, position, group, "", None)
        yield from (orjson.dumps(entry["sets"]).decode(), None, True, group not in groups, *row)
        groups.add(group)
