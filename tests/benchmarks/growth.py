"""What the same requests cost in accounts of 1,000, 10,000 and 100,000 workouts."""

from dataclasses import dataclass

from tests.benchmarks.calls import Call
from tests.benchmarks.requests import of_other_records, of_training

BOUND, SCREEN_BOUND = 1.15, 1.4  # the maximum ratio to the smallest account
ALL_HISTORY = "exercise screen of all history"  # reads each session, and has no bound


@dataclass(frozen=True)
class Growth:
    """The same request of several accounts, smallest first; `bound` is the maximum ratio to the first."""

    name: str
    calls: tuple[Call, ...]
    bound: float | None


def growths(athletes):
    """All Growths. The largest account has no more than the one before it of what is not training."""
    found = [
        *in_each(athletes, of_training, BOUND),
        *in_each(athletes[:2], of_other_records, BOUND),
        *in_each(athletes, screens, SCREEN_BOUND),
    ]
    return sorted(found, key=writes)  # reads first: writes add to what they read


def in_each(athletes, calls, bound):
    """Growths of `calls(athlete)`, {name: call}."""
    by_account = [calls(athlete) for athlete in athletes]
    return [
        Growth(name, tuple(each[name] for each in by_account), None if name == ALL_HISTORY else bound)
        for name in by_account[0]
    ]


def writes(growth):
    return growth.calls[0].method != "GET"


def screens(athlete):
    exercise = f"/exercises/{athlete.exercise}"
    addresses = {
        "home screen": "/",
        "train screen": "/train",
        "progress screen": "/progress",
        "workouts screen": "/workouts",
        "workout screen": f"/workouts/{athlete.newest}",
        "exercise screen": exercise,
        ALL_HISTORY: f"{exercise}?range=all",
        "plan screen": f"/plans/{athlete.plan}",
        "body screen": "/body",
        "developer screen": "/settings/developer",
    }
    return {name: athlete.screen(address) for name, address in addresses.items()}
