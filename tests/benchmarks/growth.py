"""What the same requests cost in accounts of 1,000, 10,000 and 100,000 workouts."""

from dataclasses import dataclass

from tests.benchmarks.calls import Call
from tests.benchmarks.data import HUGE, LARGE, SMALL
from tests.benchmarks.rows import other_requests, requests_with_a_floor

SIZES = (SMALL, LARGE, HUGE)
GOAL = 1.15  # the maximum ratio to the smallest account
SCREEN_GOAL = 1.3
SCREEN_GOAL_KB = 60


@dataclass(frozen=True)
class Growth:
    """The same request of several accounts, smallest first; `goal` is the maximum ratio to the first."""

    name: str
    calls: tuple[Call, ...]
    goal: float | None = GOAL


def growths(athletes):
    """All Growths, for the accounts of SIZES. HUGE has no more than LARGE of what is not training."""
    found = [
        *in_each(athletes, training_requests),
        *in_each(athletes[:2], lambda athlete: calls_of(other_requests(athlete))),
        *in_each(athletes, screens, SCREEN_GOAL),
    ]
    return sorted(found, key=writes)  # reads first: writes add to what they read


def in_each(athletes, calls, goal=GOAL):
    """Growths of `calls(athlete)`, {name: call}."""
    by_account = [calls(athlete) for athlete in athletes]
    return [Growth(name, tuple(calls[name] for calls in by_account), goal) for name in by_account[0]]


def writes(growth):
    return growth.calls[0].method != "GET"


def calls_of(requests):
    return {name: request.service for name, request in requests.items()}


def training_requests(athlete):
    return {**calls_of(requests_with_a_floor(athlete)), "workouts/count": athlete.get("/workouts/count")}


def screens(athlete):
    exercise = f"/exercises/{athlete.exercise}"
    addresses = {
        "home screen": "/",
        "train screen": "/train",
        "progress screen": "/progress",
        "workouts screen": "/workouts",
        "workout screen": f"/workouts/{athlete.newest}",
        "exercise screen": exercise,
        "exercise screen of all history": f"{exercise}?range=all",
        "plan screen": f"/plans/{athlete.plan}",
        "body screen": "/body",
        "developer screen": "/settings/developer",
    }
    return {name: athlete.screen(address) for name, address in addresses.items()}
