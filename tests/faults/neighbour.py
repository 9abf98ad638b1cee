"""Another account, which logs and reads workouts while somebody keeps the service busy, and what it waits."""

import math
import re
import statistics
import time
from pathlib import Path

from tests.faults.traffic import Caller, Clients, log_workout, read_workouts


class Neighbour(Clients):
    """Sends requests as fast as a busy client, until the `with` block ends."""

    def __init__(self, service):
        super().__init__([Caller(service, *service.people(1))])
        self.responses = []

    def request(self, caller):
        self.responses += [act(caller) for act in (log_workout, read_workouts)]
        time.sleep(0.02)

    @property
    def failed(self):
        return [response for response in self.responses if not response.succeeded]

    @property
    def seconds(self):
        return sorted(response.seconds for response in self.responses)

    @property
    def p99(self):
        return self.seconds[math.ceil(0.99 * len(self.responses)) - 1]

    def __str__(self):
        waits = {"p50": statistics.median(self.seconds), "p99": self.p99, "slowest": self.seconds[-1]}
        shown = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in waits.items())
        return f"a neighbour's {len(self.responses)} responses, {len(self.failed)} failed, {shown}"


def peak_mb(*processes):
    """The most memory that one of these processes has had."""
    statuses = [Path(f"/proc/{pid}/status").read_text() for pid in processes]
    return max(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) for status in statuses) // 1024
