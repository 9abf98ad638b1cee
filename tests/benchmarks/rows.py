"""The requests that are measured, and the rows of the report that compare them."""

from dataclasses import dataclass

from django.db import connection

from tests.benchmarks.calls import LONG_AGO, POSTED, Call
from tests.benchmarks.data import NEWEST

DAY = f"{NEWEST:%Y-%m-%d}"
UNTIL = f"{DAY}T20:00:00Z"  # on the day of the newest workout, so that there is a streak to count
TOTALS = {"calories": 2500, "protein_g": 180, "carbs_g": 250, "fat_g": 70}

# With a floor; the maximum ratio to the lean one on SQLite, where there is a bound.
LEAN_GOALS = {
    "list 25": 3.5,
    "list 100": None,
    "get one": 4.5,
    "POST 24 sets": 2.7,
    "totals of 90 days": None,
    "records": None,
    "history 25": None,
}


@dataclass(frozen=True)
class Request:
    """The same request in four forms: to the API, to both floors, as a tool call."""

    service: Call
    floor: Call | None = None
    lean: Call | None = None
    tool: Call | None = None


@dataclass(frozen=True)
class Row:
    """One comparison: the CPU time of `measured`, divided by that of `base`."""

    name: str
    base: Call
    measured: Call
    sqlite_goal: float | None = None
    same_bytes: bool = False
    under_gunicorn: bool = True

    @property
    def goal(self):
        return self.sqlite_goal if connection.vendor == "sqlite" else None


def requests_of(athlete):
    """{name: Request} of an account."""
    return requests_with_a_floor(athlete) | other_requests(athlete)


def requests_with_a_floor(athlete):
    """The requests of LEAN_GOALS."""
    workout, newest, exercise = athlete.a_workout(), athlete.newest, athlete.exercise
    history = f"/exercises/{exercise}/history"
    requests = {
        "list 25": (athlete.get("/workouts"), athlete.tool("list_workouts")),
        "list 100": (athlete.get("/workouts?limit=100"), None),
        "get one": (
            athlete.get(f"/workouts/{newest}"),
            athlete.tool("get_workout", workout_id=str(newest)),
        ),
        "POST 24 sets": (athlete.post("/workouts", workout), athlete.tool("log_workout", **workout)),
        "totals of 90 days": (
            athlete.get(f"/stats/training?until={UNTIL}"),
            athlete.tool("get_training_stats", until=UNTIL),
        ),
        "records": (athlete.get("/stats/records"), athlete.tool("get_personal_records")),
        "history 25": (athlete.get(history), athlete.tool("get_exercise_history", exercise_id=exercise)),
    }
    of_floors = {
        "list 25": ("/workouts/25",),
        "list 100": ("/workouts/100",),
        "get one": (f"/workouts/{newest}",),
        "POST 24 sets": ("/workouts", workout),
        "totals of 90 days": (f"/stats/training/{UNTIL}",),
        "records": ("/stats/records",),
        "history 25": (history,),
    }
    return {
        name: Request(service, athlete.floor(*of_floors[name]), athlete.lean(*of_floors[name]), tool)
        for name, (service, tool) in requests.items()
    }


def other_requests(athlete):
    weight = {"weight_kg": 80, "notes": POSTED, "logged_at": LONG_AGO.isoformat()}
    return {
        "events 25": Request(athlete.get("/workouts/events")),
        "tick": Request(athlete.post(f"/supplements/{athlete.supplement}/logs", {"day": DAY})),
        "ticks 25": Request(athlete.get("/supplements/logs")),
        "nutrition day": Request(athlete.put(f"/nutrition/{DAY}", TOTALS)),
        "nutrition 25": Request(athlete.get("/nutrition")),
        "weight": Request(athlete.post("/body/weight", weight)),
        "weight 25": Request(athlete.get("/body/weight")),
    }


def rows(large):
    """All comparisons, for the account of 10,000 workouts."""
    more = requests_of(large)
    listing, posting = more["list 25"].service, more["POST 24 sets"].service
    replacing = large.put(f"/workouts/{large.replaceable}", large.a_workout())
    return [
        *(Row(name, more[name].floor, more[name].service, same_bytes=True) for name in LEAN_GOALS),
        *(
            Row(
                f"lean: {name}",
                more[name].lean,
                more[name].service,
                goal,
                same_bytes=True,
                under_gunicorn=False,
            )
            for name, goal in LEAN_GOALS.items()
        ),
        Row("PUT against POST", posting, replacing),
        Row("events 25 against list 25", listing, more["events 25"].service),
        *(
            Row(f"by a tool: {name}", request.service, request.tool)
            for name, request in more.items()
            if request.tool
        ),
    ]


def loads(athlete):
    """{name: {"floor": call, "service": call}} for the throughput measurements."""
    requests = requests_of(athlete)
    names = ("list 25", "get one", "POST 24 sets", "records")
    return {
        **{name: {"floor": requests[name].floor, "service": requests[name].service} for name in names},
        "list 25 by a tool": {"floor": requests["list 25"].floor, "service": requests["list 25"].tool},
    }


def alone(athlete):
    """{name: call} of requests that are compared with nothing here; docs/performance.md has those of wger."""
    return {
        "CPU of the search of exercises": athlete.get("/exercises?q=bench"),
        "CPU of weight 25": athlete.get("/body/weight"),
        "CPU of the profile": athlete.get("/me"),
    }


def everyday(athlete):
    """A mixture of typical requests, for the memory measurement."""
    requests = requests_of(athlete)
    names = ("list 25", "get one", "records", "POST 24 sets", "list 100")
    profile, search = athlete.tool("get_profile"), athlete.get("/exercises?q=bench")
    return [*(requests[name].service for name in names), requests["list 25"].tool, profile, search]
