"""The floor: the minimum cost of a request. Bare Django views that send the same bytes with constant SQL.

They use neither DRF nor the ORM, and check no API key, limits or input.
The account id is in the URL. The cursor of a page is signed once and then cached, because signing it
is part of the service's cost.
"""

import datetime
from functools import cache
from types import SimpleNamespace
from uuid import UUID

from django.http import HttpResponse
from django.urls import path

from accounts.models import Account
from tests.benchmarks.floor import sql
from tests.benchmarks.floor.log import log_workout
from tests.benchmarks.floor.sql import fetch, id_in
from training.models.workout import WorkoutQuerySet


def workouts(request, account_id, limit):
    rows = fetch(sql.NEWEST, id_in(account_id), limit + 1)[:limit]
    _, started_at, last_id = rows[-1]
    documents = ",".join([row[0] for row in rows])
    cursor = encoded_cursor(account_id, started_at, last_id)
    return json_response(f'{{"workouts":[{documents}],"next_cursor":"{cursor}"}}')


def workout(request, account_id, workout_id):
    ((document,),) = fetch(sql.ONE, id_in(workout_id), id_in(account_id))
    return json_response(document)


def json_response(body):
    return HttpResponse(body, content_type="application/json")


@cache
def encoded_cursor(account_id, started_at, last_id):
    """The next_cursor of a page that ends with this row. Cached."""
    newest_first = WorkoutQuerySet.newest_first
    last_id = UUID(last_id) if isinstance(last_id, str) else last_id
    row = SimpleNamespace(started_at=started_at.replace(tzinfo=datetime.UTC), id=last_id)
    return newest_first.encode(row, newest_first.salt(Account(pk=account_id), ""))


urlpatterns = [
    path("workouts", log_workout),
    path("workouts/<int:limit>", workouts),
    path("workouts/<uuid:workout_id>", workout),
]
