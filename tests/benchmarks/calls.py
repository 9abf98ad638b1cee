"""Requests that the benchmark sends as one account: to the API, to screens and to the floor."""

import datetime
import json
from dataclasses import dataclass, field
from functools import cached_property

from django.conf import settings
from django.test import Client

from accounts.models import AccountState, ApiKey
from tests.benchmarks.clock import EVENING
from tests.benchmarks.floor import lean
from training.models import Exercise, Plan, Workout

POSTED = "Posted by the benchmark"
# Of workouts: after each `until` that is asked for, and in the current month, as most workouts are.
POSTED_AT = EVENING + datetime.timedelta(hours=1)
LONG_AGO = datetime.datetime(2001, 3, 2, 17, 30, tzinfo=datetime.UTC)


def a_week():
    """Days of a plan: six with six exercises each, and a day of rest."""
    targets = {"sets": 3, "reps": 8, "weight_kg": 60.0, "rest_seconds": 120, "notes": ""}
    columns = ("name", "muscle_group", "equipment")
    exercises = [
        {"exercise_id": exercise.id, **{name: getattr(exercise, name) for name in columns}, **targets}
        for exercise in Exercise.objects.all()[:6]
    ]
    return [
        {
            "weekday": day,
            "label": f"Day {day}",
            "focus": "",
            "rest": day == 7,
            "exercises": exercises if day < 7 else [],
        }
        for day in range(1, 8)
    ]


@dataclass(frozen=True)
class Call:
    """One request, prepared once and sent many times."""

    method: str
    path: str
    body: bytes = b""
    headers: dict = field(default_factory=dict)

    @cached_property
    def environ(self):
        """The WSGI environ of the request, without its body."""
        headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in self.headers.items()}
        path, _, query = self.path.partition("?")
        return {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": headers.pop("HTTP_CONTENT_TYPE", ""),
            "CONTENT_LENGTH": str(len(self.body)),
            "REMOTE_ADDR": "127.0.0.1",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "127.0.0.1:8000",
            "wsgi.url_scheme": "http",
            **headers,
        }


class Athlete:
    """An account that sends requests, and the ids that these contain."""

    def __init__(self, account):
        self.account = account
        ApiKey.objects.filter(account=account).delete()
        key, _ = account.issue_key("benchmark", ApiKey.Scope.READ_WRITE, "never")
        self.delete_added()  # left over from an interrupted run
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def get(self, path):
        return Call("GET", f"/api/v1{path}", headers=self.headers)

    def post(self, path, body):
        return Call("POST", f"/api/v1{path}", json.dumps(body).encode(), self.headers)

    def put(self, path, body):
        return Call("PUT", f"/api/v1{path}", json.dumps(body).encode(), self.headers)

    def screen(self, path):
        """The request of a browser that is signed in."""
        return Call("GET", path, headers={"Cookie": self.cookie})

    def floor(self, path, body=None):
        """The request to the view of the floor that sends the same response."""
        address = f"{lean.PREFIX}/{self.account.pk}{path}"
        return Call("POST", address, json.dumps(body).encode()) if body else Call("GET", address)

    @cached_property
    def cookie(self):
        browser = Client()
        browser.force_login(self.account)
        return f"{settings.SESSION_COOKIE_NAME}={browser.session.session_key}"

    @cached_property
    def newest(self):
        return self.account.workouts.order_by("-started_at").values_list("id", flat=True).first()

    @cached_property
    def exercise(self):
        return self.account.workout_exercises.order_by("id").values_list("exercise_id", flat=True).first()

    @cached_property
    def plan(self):
        """The id of a plan with six exercises on each of six days, which is not active."""
        stored = self.account.plans.first()
        return (stored or Plan.objects.create_for(self.account, {"name": "Six days", "days": a_week()})).id

    @cached_property
    def supplement(self):
        return self.account.supplements.get().id

    def a_workout(self):
        """A body with 24 sets. Lists read it from then on, so it is about as long as the others."""
        ids = self.account.workout_exercises.filter(workout=self.newest).values_list("exercise_id", flat=True)
        sets = [{"type": "warmup", "weight_kg": 20.0, "reps": 10}] + [
            {"type": "working", "weight_kg": 30.0 + step, "reps": 8, "rpe": 8.5} for step in range(3)
        ]
        return {
            "title": POSTED,
            "notes": "",
            "started_at": POSTED_AT.isoformat(),
            "duration_seconds": 3600,
            "exercises": [{"exercise_id": exercise_id, "sets": sets} for exercise_id in ids],
        }

    def delete_added(self):
        """Deletes the rows that the measurements have added to the account."""
        posted = self.account.workouts.filter(title=POSTED)
        self.account.workout_exercises.filter(workout__in=posted.values("id")).delete()
        posted.delete()
        Workout.objects.count_for(AccountState.objects.filter(account=self.account))
        self.account.weight_logs.filter(notes=POSTED).delete()
        self.account.sessions.all().delete()
