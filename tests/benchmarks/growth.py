"""What the same requests cost in accounts of 1,000, 10,000 and 100,000 workouts."""

from dataclasses import dataclass

from tests.benchmarks.calls import Call
from tests.benchmarks.data import HUGE, LARGE, SMALL
from tests.benchmarks.rows import UNTIL, other_requests, requests_with_a_floor

SIZES = (SMALL, LARGE, HUGE)
SINCE_EVER = "0001-01-01T00:00:00Z"
GOAL = 1.15  # the maximum ratio to the smallest account
SCREEN_GOAL = 1.3
SCREEN_GOAL_KB = 60
TOTALS_OF_LARGE_MS = 25


@dataclass(frozen=True)
class Growth:
    """The same request of several accounts, smallest first. Those after number `base` are compared with it.

    `goal` is the maximum ratio, `base_goal_ms` the maximum for the base itself; None where there is none.
    """

    name: str
    calls: tuple[Call, ...]
    goal: float | None = GOAL
    base: int = 0
    base_goal_ms: float | None = None


def growths(athletes):
    """All Growths, for the accounts of SIZES. HUGE has no more than LARGE of what is not training."""
    found = [
        *in_each(athletes, training_requests),
        *in_each(athletes[:2], lambda athlete: calls_of(other_requests(athlete))),
        *in_each(athletes, screens, SCREEN_GOAL),
        *in_each(athletes, home, None),
        *in_each(athletes, totals_of_all_history, base=SIZES.index(LARGE), base_goal_ms=TOTALS_OF_LARGE_MS),
    ]
    return sorted(found, key=writes)  # reads first: writes add to what they read


def in_each(athletes, calls, goal=GOAL, **values):
    """Growths of `calls(athlete)`, {name: call}."""
    by_account = [calls(athlete) for athlete in athletes]
    return [
        Growth(name, tuple(calls[name] for calls in by_account), goal, **values) for name in by_account[0]
    ]


def writes(growth):
    return growth.calls[0].method != "GET"


def calls_of(requests):
    return {name: request.service for name, request in requests.items()}


def training_requests(athlete):
    return {**calls_of(requests_with_a_floor(athlete)), "workouts/count": athlete.get("/workouts/count")}


def totals_of_all_history(athlete):
    path = f"/stats/training?since={SINCE_EVER}&until={UNTIL}"
    return {"totals of all history, from 10,000 on": athlete.get(path)}


def screens(athlete):
    address = f"/exercises/{athlete.exercise}"
    return {
        "exercise screen": athlete.screen(address),
        "exercise screen of all history": athlete.screen(f"{address}?range=all"),
    }


def home(athlete):
    return {"home screen": athlete.screen("/")}
