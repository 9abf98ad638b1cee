"""The floor: what a request costs in bare Django, by constant statements that answer the same bytes.

No framework above Django's views, no key, no limits, no validation, no ORM; the middleware is the
service's. The account stands in the address. The cursor of a page is sealed once and then remembered,
because sealing it is the service's work.
"""

import datetime
from functools import cache
from types import SimpleNamespace
from uuid import UUID

import orjson
from django.http import HttpResponse
from django.urls import path

from accounts.models import Account
from fitness.api.pagination import Keyset
from tests.benchmarks.floor import sql
from tests.benchmarks.floor.log import log_workout
from tests.benchmarks.floor.sql import fetch, id_in, id_out, moment_in, moment_out

PAGE = 25


def workouts(request, account_id, limit):
    rows = fetch(sql.NEWEST, id_in(account_id), limit + 1)[:limit]
    _, started_at, last_id = rows[-1]
    records = ",".join([row[0] for row in rows])
    cursor = sealed("workouts", account_id, "", started_at, last_id)
    return answer(f'{{"workouts":[{records}],"next_cursor":"{cursor}"}}')


def workout(request, account_id, workout_id):
    ((record,),) = fetch(sql.ONE, id_in(workout_id), id_in(account_id))
    return answer(record)


def history(request, account_id, exercise_id):
    rows = fetch(sql.HISTORY, id_in(account_id), exercise_id)[:PAGE]
    sessions = [
        {
            "workout_id": id_out(workout_id),
            "started_at": moment_out(started_at),
            "sets": orjson.Fragment(sets_of_all or sets),
            "best_set": {"weight_kg": weight_kg, "reps": reps, "estimated_1rm_kg": one_rep(weight_kg, reps)},
        }
        for workout_id, started_at, sets, sets_of_all, weight_kg, reps, _, _ in rows
    ]
    last_id, started_at, *_, name = rows[-1]
    cursor = sealed("sessions", account_id, exercise_id, started_at, last_id)
    exercise = {"id": exercise_id, "name": name}
    return answer(orjson.dumps({"exercise": exercise, "sessions": sessions, "next_cursor": cursor}))


def records(request, account_id):
    owner = id_in(account_id)
    rows = fetch(sql.RECORDS, owner, owner, owner)[:PAGE]
    best = [
        {
            "exercise_id": exercise_id,
            "name": name,
            "weight_kg": weight_kg,
            "reps": reps,
            "estimated_1rm_kg": one_rep(weight_kg, reps),
            "workout_id": id_out(workout_id),
            "date": moment_out(started_at),
        }
        for exercise_id, name, weight_kg, reps, workout_id, started_at, _ in rows
    ]
    *_, started_at, last_id = rows[-1]
    cursor = sealed("records", account_id, "", started_at, last_id)
    return answer(orjson.dumps({"records": best, "next_cursor": cursor}))


def totals(request, account_id, until):
    owner, until = id_in(account_id), datetime.datetime.fromisoformat(until)
    since = until - datetime.timedelta(days=90)
    window = (owner, moment_in(since), moment_in(until))
    ((sessions, duration_seconds),) = fetch(sql.TOTALS, *window)
    groups = fetch(sql.GROUPS, *window)
    ((newest_day,),) = fetch(sql.NEWEST_DAY, owner, moment_in(until))
    ((first_day,),) = fetch(sql.FIRST_DAY, owner, newest_day, owner)
    result = {
        "since": moment_out(since),
        "until": moment_out(until),
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
    return answer(orjson.dumps(result))


def answer(body):
    return HttpResponse(body, content_type="application/json")


def one_rep(weight_kg, reps):
    return round(weight_kg * (1 + reps / 30), 1)


@cache
def sealed(name, account_id, scope, started_at, last_id):
    """The next_cursor of a page that ends at this place."""
    list_of_all = Keyset(name, "at", "id")
    last_id = UUID(last_id) if isinstance(last_id, str) else last_id
    row = SimpleNamespace(at=started_at.replace(tzinfo=datetime.UTC), id=last_id)
    return list_of_all.encode(row, list_of_all.salt(Account(pk=account_id), scope))


urlpatterns = [
    path("workouts", log_workout),
    path("workouts/<int:limit>", workouts),
    path("workouts/<uuid:workout_id>", workout),
    path("exercises/<str:exercise_id>/history", history),
    path("stats/records", records),
    path("stats/training/<str:until>", totals),
]
