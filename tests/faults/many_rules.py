"""What a plan with all of its limits at their most costs its owner and a neighbour.

`python -m tests.faults.long_work rules`: one account logs workouts of 8,000 sets that follow a plan of 700
entries, first without rules, then with 100, each a wave of six weeks; another account goes on meanwhile.

Goals: with rules a POST takes at most twice as long; the neighbour's p99 is at most 0.25 s more than without.
"""

import datetime
import statistics

from tests.faults.neighbour import Neighbour
from tests.faults.traffic import Caller

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
    with Neighbour(service) as neighbour:
        answers = [caller.api("POST", "/workouts", body) for body in bodies]
    assert all(one.status == 201 for one in answers), answers
    taken = [one.seconds for one in answers]
    median = statistics.median(taken)
    print(
        f"{name}: POST median {median * 1000:.0f} ms, slowest {max(taken) * 1000:.0f} ms; {neighbour}",
        flush=True,
    )
    return median


def cost(service):
    caller = Caller(service, *service.people(1))
    page = caller.api("GET", f"/exercises?limit={ENTRIES}&equipment=Barbell").json
    exercises = [one["id"] for one in page["exercises"]]
    plan_id = plan_of(caller, exercises)
    bodies = [session(plan_id, exercises, week) for week in range(2 * SESSIONS)]
    without = logged(service, caller, "no rules", bodies[:SESSIONS])
    give_rules(caller, plan_id, exercises)
    with_rules = logged(service, caller, f"{RULES} rules", bodies[SESSIONS:])
    steps = caller.api("GET", f"/plans/{plan_id}/progression/steps?limit=1").json["steps"]
    print(f"× {with_rules / without:.2f}; the last step: {steps[0]['reason']}")
