"""What is measured: the requests, and the rows of the table that compare them."""

from dataclasses import dataclass

from django.db import connection

from tests.benchmarks.calls import LONG_AGO, POSTED, Call
from tests.benchmarks.data import NEWEST

DAY = f"{NEWEST:%Y-%m-%d}"
UNTIL = f"{DAY}T20:00:00Z"  # on the day of the newest workout, so that there is a streak to count
TOTALS = {"calories": 2500, "protein_g": 180, "carbs_g": 250, "fat_g": 70}

# At most so many times the other call, on (PostgreSQL, SQLite).
FLOOR_GOALS = {
    "list 25": (1.5, 1.7),
    "list 100": (1.4, 1.65),
    "get one": (1.85, 1.7),
    "POST 24 sets": (1.4, 1.45),
    "totals of 90 days": (1.25, 1.25),
    "records": (1.25, 1.25),
    "history 25": (1.45, 1.35),
}
PUT_GOAL = (1.25, 1.25)
EVENTS_GOAL = (1.2, 1.2)
TOOL_GOAL = (1.2, 1.2)
GROWTH_GOAL = (1.15, 1.15)


@dataclass(frozen=True)
class Request:
    """A request in all its ways: of the service, of the floor, by a tool."""

    service: Call
    floor: Call | None = None
    tool: Call | None = None


@dataclass(frozen=True)
class Row:
    """One comparison: what the second call costs in terms of the first."""

    name: str
    base: Call
    measured: Call
    goals: tuple[float, float]
    same_bytes: bool = False

    @property
    def goal(self):
        return self.goals[connection.vendor == "sqlite"]


def requests_of(one):
    """{name: Request} of an account."""
    workout, newest, exercise = one.a_workout(), one.newest, one.exercise
    history = f"/exercises/{exercise}/history"
    weight = {"weight_kg": 80, "notes": POSTED, "logged_at": LONG_AGO.isoformat()}
    return {
        "list 25": Request(one.get("/workouts"), one.floor("/workouts/25"), one.tool("list_workouts")),
        "list 100": Request(one.get("/workouts?limit=100"), one.floor("/workouts/100")),
        "get one": Request(
            one.get(f"/workouts/{newest}"),
            one.floor(f"/workouts/{newest}"),
            one.tool("get_workout", workout_id=str(newest)),
        ),
        "POST 24 sets": Request(
            one.post("/workouts", workout),
            one.floor("/workouts", workout),
            one.tool("log_workout", **workout),
        ),
        "totals of 90 days": Request(
            one.get(f"/stats/training?until={UNTIL}"),
            one.floor(f"/stats/training/{UNTIL}"),
            one.tool("get_training_stats", until=UNTIL),
        ),
        "records": Request(
            one.get("/stats/records"), one.floor("/stats/records"), one.tool("get_personal_records")
        ),
        "history 25": Request(
            one.get(history), one.floor(history), one.tool("get_exercise_history", exercise_id=exercise)
        ),
        "events 25": Request(one.get("/workouts/events")),
        "tick": Request(one.post(f"/supplements/{one.supplement}/logs", {"day": DAY})),
        "ticks 25": Request(one.get("/supplements/logs")),
        "nutrition day": Request(one.put(f"/nutrition/{DAY}", TOTALS)),
        "nutrition 25": Request(one.get("/nutrition")),
        "weight": Request(one.post("/body/weight", weight)),
        "weight 25": Request(one.get("/body/weight")),
    }


def rows(small, large):
    """All comparisons, for the account of 1,000 workouts and the one of 10,000."""
    less, more = requests_of(small), requests_of(large)
    listing, posting = more["list 25"].service, more["POST 24 sets"].service
    replacing = large.put(f"/workouts/{large.replaceable}", large.a_workout())
    return [
        *(
            Row(name, more[name].floor, more[name].service, goals, same_bytes=True)
            for name, goals in FLOOR_GOALS.items()
        ),
        Row("PUT against POST", posting, replacing, PUT_GOAL),
        Row("events 25 against list 25", listing, more["events 25"].service, EVENTS_GOAL),
        *(
            Row(f"by a tool: {name}", request.service, request.tool, TOOL_GOAL)
            for name, request in more.items()
            if request.tool
        ),
        *(
            Row(f"growth of {name}", less[name].service, request.service, GROWTH_GOAL)
            for name, request in more.items()
        ),
    ]


def loads(one):
    """{name: {"floor": call, "service": call}} of what is sent as fast as it is answered."""
    requests = requests_of(one)
    names = ("list 25", "get one", "POST 24 sets", "records")
    return {
        **{name: {"floor": requests[name].floor, "service": requests[name].service} for name in names},
        "list 25 by a tool": {"floor": requests["list 25"].floor, "service": requests["list 25"].tool},
    }


def everyday(one):
    """A mixture of what clients call."""
    requests = requests_of(one)
    names = ("list 25", "get one", "records", "POST 24 sets", "list 100")
    profile, search = one.tool("get_profile"), one.get("/exercises?q=bench")
    return [*(requests[name].service for name in names), requests["list 25"].tool, profile, search]
