"""The requests that are measured."""

from dataclasses import dataclass

from tests.benchmarks.calls import LONG_AGO, POSTED, Call
from tests.benchmarks.data import NEWEST

DAY = f"{NEWEST:%Y-%m-%d}"
UNTIL = f"{DAY}T20:00:00Z"  # on the day of the newest workout, so that there is a streak to count
TOTALS = {"calories": 2500, "protein_g": 180, "carbs_g": 250, "fat_g": 70}

# The bounds of the ratios to the floor.
BOUNDS = {
    "list 25": {"sqlite": 3.5, "postgresql": 3.5},
    "get one": {"sqlite": 4.5, "postgresql": 4.5},
    "POST 24 sets": {"sqlite": 2.7, "postgresql": 2.4},
}


@dataclass(frozen=True)
class Request:
    """The same request to the API and to the floor."""

    service: Call
    floor: Call


def with_a_floor(athlete):
    """{name: Request}, the requests of BOUNDS."""
    workout, newest = athlete.a_workout(), athlete.newest
    return {
        "list 25": Request(athlete.get("/workouts"), athlete.floor("/workouts/25")),
        "get one": Request(athlete.get(f"/workouts/{newest}"), athlete.floor(f"/workouts/{newest}")),
        "POST 24 sets": Request(athlete.post("/workouts", workout), athlete.floor("/workouts", workout)),
    }


def of_training(athlete):
    """{name: Call}"""
    more = {
        "list 100": athlete.get("/workouts?limit=100"),
        "totals of 90 days": athlete.get(f"/stats/training?until={UNTIL}"),
        "records": athlete.get("/stats/records"),
        "history 25": athlete.get(f"/exercises/{athlete.exercise}/history"),
        "workouts/count": athlete.get("/workouts/count"),
    }
    return {name: request.service for name, request in with_a_floor(athlete).items()} | more


def of_other_records(athlete):
    """{name: Call}"""
    weight = {"weight_kg": 80, "notes": POSTED, "logged_at": LONG_AGO.isoformat()}
    return {
        "events 25": athlete.get("/workouts/events"),
        "tick": athlete.post(f"/supplements/{athlete.supplement}/logs", {"day": DAY}),
        "ticks 25": athlete.get("/supplements/logs"),
        "nutrition day": athlete.put(f"/nutrition/{DAY}", TOTALS),
        "nutrition 25": athlete.get("/nutrition"),
        "weight": athlete.post("/body/weight", weight),
        "weight 25": athlete.get("/body/weight"),
    }
