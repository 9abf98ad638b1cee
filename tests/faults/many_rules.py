"""What a plan with all of its limits at their most costs its owner and a neighbour.

Run as `python -m tests.faults.many_rules`, on SQLite or on the database that DATABASE_URL names. One account
logs workouts of 8,000 sets that follow a plan of 700 entries, first without rules, then with 100, each a wave
of six weeks; another logs and reads workouts meanwhile. Prints how long both wait.

Goals: with rules a POST takes at most twice as long; the neighbour's p99 is at most 0.25 s more than without.
"""

import datetime
import math
import statistics
import tempfile
from pathlib import Path

from tests.faults.long_work import Bystander
from tests.faults.service import Service
from tests.faults.traffic import Caller
from tests.server import own_database

ENTRIES, RULES, SETS = 100, 100, 80  # of each of seven days; of the plan; of each exercise of a workout
SESSIONS = 12
FIRST = datetime.date(2020, 1, 6)  # a Monday
WEEKS = [
    {"sets": 3, "reps": reps, "percent": percent}
    for reps, percent in ((5, 65), (5, 70), (3, 80), (3, 85), (1, 90), (1, 95))
]


def plan_of(caller, exercises):
    entries = [{"exercise_id": one, "sets": 3, "reps": 5, "weight_kg": 60} for one in exercises]
    days = [
        {"weekday": day, "label": "All", "focus": "", "rest": False, "exercises": entries}
        for day in range(1, 8)
    ]
    answer = caller.api("POST", "/plans", {"name": "All of it", "days": days})
    assert answer.status == 201, answer
    return answer.json["id"]


def give_rules(caller, plan_id, exercises):
    rule = {"weekday": 1, "kind": "wave", "training_max_kg": 100, "weeks": WEEKS}
    rules = [{**rule, "position": at, "exercise_id": one} for at, one in enumerate(exercises[:RULES])]
    answer = caller.api("PUT", f"/plans/{plan_id}/progression", {"rules": rules})
    assert answer.status == 200, answer


def session(plan_id, exercises, week):
    lifts = [{"exercise_id": one, "sets": [{"weight_kg": 60, "reps": 5}] * SETS} for one in exercises]
    started_at = f"{FIRST + datetime.timedelta(weeks=week)}T17:00:00Z"
    return {"started_at": started_at, "duration_seconds": 3600, "plan_id": plan_id, "exercises": lifts}


def logged(service, caller, name, bodies):
    """Prints how long each POST took, and what a neighbour has waited meanwhile; returns the median."""
    bystander = Bystander(service)
    bystander.start()
    answers = [caller.api("POST", "/workouts", body) for body in bodies]
    bystander.is_over.set()
    bystander.join()
    assert all(one.status == 201 for one in answers), answers
    waits = sorted(one.seconds for one in bystander.responses)
    taken = [one.seconds for one in answers]
    median = statistics.median(taken)
    print(
        f"{name}: POST median {median * 1000:.0f} ms, slowest {max(taken) * 1000:.0f} ms; a neighbour's "
        f"p50 {statistics.median(waits) * 1000:.0f} ms, "
        f"p99 {waits[math.ceil(0.99 * len(waits)) - 1] * 1000:.0f} ms of {len(waits)}",
        flush=True,
    )
    return median


def main():
    with tempfile.TemporaryDirectory() as folder, own_database(Path(folder)) as database:
        service = Service(Path(folder), database, WEB_CONCURRENCY="1", RATE_LIMIT_KEY="9000/m")
        service.manage("prepare")
        service.start()
        try:
            caller = Caller(service, *service.people(1))
            exercises = [
                one["id"]
                for one in caller.api("GET", f"/exercises?limit={ENTRIES}&equipment=Barbell").json[
                    "exercises"
                ]
            ]
            plan_id = plan_of(caller, exercises)
            without = logged(
                service, caller, "no rules", [session(plan_id, exercises, week) for week in range(SESSIONS)]
            )
            give_rules(caller, plan_id, exercises)
            later = [session(plan_id, exercises, week) for week in range(SESSIONS, 2 * SESSIONS)]
            with_rules = logged(service, caller, f"{RULES} rules", later)
            steps = caller.api("GET", f"/plans/{plan_id}/progression/steps?limit=1").json["steps"]
            print(f"× {with_rules / without:.2f}; the last step: {steps[0]['reason']}")
        finally:
            service.stop()


if __name__ == "__main__":
    main()
