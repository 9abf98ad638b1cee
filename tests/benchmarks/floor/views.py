"""The floor: the minimum cost of a request. Bare Django views that send the same bytes with constant SQL.

They use neither DRF nor the ORM, and check no API key, limits or input.
The account id is in the URL. The cursor of a page is signed once and then cached, because signing it
is part of the service's cost.
"""

import datetime
from functools import cache
from types import SimpleNamespace
from uuid import UUID

import orjson
from django.http import HttpResponse
from django.urls import path

from accounts.models import Account
from fitness.db.keysets import Keyset
from tests.benchmarks.floor import sql
from tests.benchmarks.floor.log import log_workout
from tests.benchmarks.floor.sql import datetime_in, datetime_out, fetch, id_in, id_out

PAGE = 25


def workouts(request, account_id, limit):
    rows = fetch(sql.NEWEST, id_in(account_id), limit + 1)[:limit]
    _, started_at, last_id = rows[-1]
    documents = ",".join([row[0] for row in rows])
    cursor = encoded_cursor("workouts", account_id, "", started_at, last_id)
    return json_response(f'{{"workouts":[{documents}],"next_cursor":"{cursor}"}}')


def workout(request, account_id, workout_id):
    ((document,),) = fetch(sql.ONE, id_in(workout_id), id_in(account_id))
    return json_response(document)


def history(request, account_id, exercise_id):
    rows = fetch(sql.HISTORY, id_in(account_id), exercise_id)[:PAGE]
    sessions = [
        {
            "workout_id": id_out(workout_id),
            "started_at": datetime_out(started_at),
            "sets": orjson.Fragment(sets_of_all or sets),
            "best_set": {
                "weight_kg": weight_kg,
                "reps": reps,
                "estimated_1rm_kg": estimated_1rm_kg(weight_kg, reps),
            },
        }
        for workout_id, started_at, sets, sets_of_all, weight_kg, reps, _, _ in rows
    ]
    last_id, started_at, *_, name = rows[-1]
    cursor = encoded_cursor("sessions", account_id, exercise_id, started_at, last_id)
    exercise = {"id": exercise_id, "name": name}
    return json_response(orjson.dumps({"exercise": exercise, "sessions": sessions, "next_cursor": cursor}))


def personal_records(request, account_id):
    owner = id_in(account_id)
    rows = fetch(sql.RECORDS, owner, owner, owner)[:PAGE]
    best = [
        {
            "exercise_id": exercise_id,
            "name": name,
            "weight_kg": weight_kg,
            "reps": reps,
            "estimated_1rm_kg": estimated_1rm_kg(weight_kg, reps),
            "workout_id": id_out(workout_id),
            "date": datetime_out(started_at),
        }
        for exercise_id, name, weight_kg, reps, workout_id, started_at, _ in rows
    ]
    *_, started_at, last_id = rows[-1]
    cursor = encoded_cursor("records", account_id, "", started_at, last_id)
    return json_response(orjson.dumps({"records": best, "next_cursor": cursor}))


def training_totals(request, account_id, until):
    owner, until = id_in(account_id), datetime.datetime.fromisoformat(until)
    since = until - datetime.timedelta(days=90)
    window = (owner, datetime_in(since), datetime_in(until))
    ((sessions, duration_seconds),) = fetch(sql.TOTALS, *window)
    groups = fetch(sql.GROUPS, *window)
    ((newest_day,),) = fetch(sql.NEWEST_DAY, owner, datetime_in(until))
    ((first_day,),) = fetch(sql.FIRST_DAY, owner, newest_day, owner)
    result = {
        "since": datetime_out(since),
        "until": datetime_out(until),
        "sessions": sessions,
        "completed_sets": sum(sets for _, _, sets, _ in groups),
        "volume_kg": round(sum(volume_kg for *_, volume_kg in groups), 2),
        "total_duration_seconds": duration_seconds,
        "by_muscle_group": [
            {"muscle_group": group, "sessions": count, "sets": sets, "volume_kg": round(volume_kg, 2)}
            for group, count, sets, volume_kg in groups
        ],
        "streak_days": newest_day - first_day + 1,
    }
    return json_response(orjson.dumps(result))


def json_response(body):
    return HttpResponse(body, content_type="application/json")


def estimated_1rm_kg(weight_kg, reps):
    return round(weight_kg * (1 + reps / 30), 1)


@cache
def encoded_cursor(name, account_id, scope, started_at, last_id):
    """The next_cursor of a page that ends with this row. Cached."""
    list_of_all = Keyset(name, "at", "id")
    last_id = UUID(last_id) if isinstance(last_id, str) else last_id
    row = SimpleNamespace(at=started_at.replace(tzinfo=datetime.UTC), id=last_id)
    return list_of_all.encode(row, list_of_all.salt(Account(pk=account_id), scope))


urlpatterns = [
    path("workouts", log_workout),
    path("workouts/<int:limit>", workouts),
    path("workouts/<uuid:workout_id>", workout),
    path("exercises/<str:exercise_id>/history", history),
    path("stats/records", personal_records),
    path("stats/training/<str:until>", training_totals),
]
