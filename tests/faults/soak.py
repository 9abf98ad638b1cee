"""Sends a mixture of requests at a fixed rate for a long time: counts responses and measures memory.

Run as `python -m tests.faults.soak --minutes 30`, on the database that DATABASE_URL names (and with
REDIS_URL and WEB_CONCURRENCY), else on a new SQLite file. Exits with status 1 after a 5xx response, a broken
connection, or growth: workers with over 10 % more memory at the end than after a fifth of the time.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
django.setup()

from tests.conftest import a_set, a_workout  # noqa: E402
from tests.faults.service import Service  # noqa: E402
from tests.faults.traffic import READS, Caller, log_by_tool, set_nutrition  # noqa: E402
from tests.server import own_database  # noqa: E402

CLIENTS = 8
MAX_GROWTH = 1.10
WORKOUTS = (
    50  # of each account; later ones are deleted again, because growing responses would look like a leak
)


def log_and_delete(caller):
    logged = caller.api("POST", "/workouts", a_workout(a_set(), a_set(), title="soak"))
    if logged.succeeded:
        caller.api("DELETE", f"/workouts/{logged.json['id']}")
    return logged


def log_weight_and_delete(caller):
    logged = log_by_tool(caller)
    if logged.succeeded:
        caller.api("DELETE", f"/body/weight/{logged.tool_result['id']}")
    return logged


def wrong_body(caller):
    return caller.api("POST", "/workouts", a_workout({"weight": 1}))


def unknown_tool(caller):
    return caller.tool("no_such_tool", {})


def open_signed_out(caller):
    return caller.send("GET", "/settings/profile", None, {})


SCREENS = [
    "/",
    "/workouts",
    "/body",
    "/nutrition",
    "/supplements",
    "/plans",
    "/routines",
    "/exercises",
    "/docs",
]
ACTS = [
    *READS,
    log_and_delete,
    log_weight_and_delete,
    set_nutrition,
    wrong_body,
    unknown_tool,
    open_signed_out,
    *(lambda caller, address=address: caller.open_screen(address) for address in SCREENS),
]


class Soak:
    def __init__(self, service, rate):
        self.service = service
        self.pause_seconds = CLIENTS / rate
        self.stop = threading.Event()
        self.statuses = Counter()
        self.seconds = []
        self.resident_kb = []
        people = service.people(CLIENTS)
        for person in people:
            for _ in range(WORKOUTS):
                Caller(service, person).api("POST", "/workouts", a_workout(a_set()))
        self.threads = [threading.Thread(target=self.go, args=[person]) for person in people]

    def go(self, person):
        caller = Caller(self.service, person)
        next_at = time.monotonic()
        for act in itertools.cycle(ACTS):
            next_at += self.pause_seconds
            if self.stop.wait(max(0, next_at - time.monotonic())):
                return
            response = act(caller)
            self.statuses[response.status] += 1
            self.seconds.append(response.seconds)

    def run(self, minutes):
        for thread in self.threads:
            thread.start()
        step = minutes * 60 / 60
        for number in range(60):
            time.sleep(step)
            self.resident_kb.append(self.service.resident_kb)
            if number % 5 == 4:
                done = (number + 1) * step / 60
                progress = f"{done:6.1f} min  {self.resident_kb[-1] / 1024:7.1f} MB  {dict(self.statuses)}"
                print(progress, flush=True)
        self.stop.set()
        for thread in self.threads:
            thread.join()

    @property
    def growth(self):
        """Memory in the last tenth of the time, divided by memory in the tenth after the first fifth."""
        return statistics.median(self.resident_kb[-6:]) / statistics.median(self.resident_kb[12:18])

    @property
    def faults(self):
        return {status: count for status, count in self.statuses.items() if status == 0 or status >= 500}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=40, help="requests a second")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, own_database(Path(folder)) as database:
        service = Service(Path(folder), database)
        service.manage("prepare")
        service.start()
        try:
            soak = Soak(service, options.rate)
            soak.run(options.minutes)
        finally:
            service.stop()
    cuts = statistics.quantiles(soak.seconds, n=100)
    print(
        f"{len(soak.seconds)} responses, median {cuts[49] * 1000:.0f} ms, 99 % under {cuts[98] * 1000:.0f} ms"
    )
    print(f"memory x {soak.growth:.3f}, faults {soak.faults}")
    sys.exit(bool(soak.faults) or soak.growth > MAX_GROWTH)


if __name__ == "__main__":
    main()
