"""What a request costs at 10,000 workouts against 1,000, in CPU time of this process and its database.

Run by `make bench`. Prints one table; never a timed test. Rounds alternate between the two accounts,
and the figure is the median of the rounds' ratios, because machines are shared and drift.
"""

import os
import statistics
import time
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
django.setup()

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from fitness.api import ratelimit  # noqa: E402
from tests.benchmarks.data import an_account  # noqa: E402

SMALL, LARGE = 1_000, 10_000
ROUNDS = 9
REQUESTS = 20

READS = {
    "list 25": "/workouts",
    "list 100": "/workouts?limit=100",
    "get one": "/workouts/{newest}",
    "count of 90 days": "/workouts/count?since=2026-06-24T00:00:00Z",
    "events 25": "/workouts/events",
    "history 25": "/exercises/{exercise}/history",
    "records": "/stats/records",
    "totals of 90 days": "/stats/training?until=2026-09-22T00:00:00Z",
    "totals of all history": "/stats/training?since=2000-01-01T00:00:00Z",
}


class Reader:
    """Sends GET requests for one account through the whole stack, in this process."""

    def __init__(self, account):
        self.key, _ = account.issue_key("benchmark", "read", "never")
        self.client = Client(headers={"Authorization": f"Bearer {self.key}", "Host": "127.0.0.1"})
        self.names = {
            "newest": account.workouts.order_by("-started_at").values_list("id", flat=True).first(),
            "exercise": account.workout_exercises.values_list("exercise_id", flat=True).first(),
        }

    def milliseconds(self, path):
        """CPU time of one request: this process and, on PostgreSQL, the backend that serves it."""
        address = "/api/v1" + path.format(**self.names)
        before = cpu_seconds()
        for _ in range(REQUESTS):
            response = self.client.get(address)
        spent = cpu_seconds() - before
        assert response.status_code == 200, response.content
        return spent / REQUESTS * 1000


def cpu_seconds():
    return time.process_time() + backend_seconds()


def backend_seconds():
    """CPU time of the PostgreSQL backend on this machine; 0 on SQLite or where it cannot be read."""
    if connection.vendor != "postgresql":
        return 0
    connection.ensure_connection()
    stat = Path(f"/proc/{connection.connection.info.backend_pid}/stat")
    fields = stat.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    ratelimit.LIMITS.update(key="1000000/m", address="1000000/m")
    small, large = (Reader(an_account(f"bench-{count}@example.org", count)) for count in (SMALL, LARGE))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    print(f"CPU per request on {connection.vendor}, {SMALL:,} against {LARGE:,} workouts")
    for name, path in READS.items():
        rounds = [(small.milliseconds(path), large.milliseconds(path)) for _ in range(ROUNDS)]
        low, high = (statistics.median(column) for column in zip(*rounds, strict=True))
        ratio = statistics.median(b / a for a, b in rounds if a)
        print(f"{name:24} {low:7.2f} ms {high:7.2f} ms   x {ratio:.2f}")


if __name__ == "__main__":
    main()
