"""Redis is down, frozen or full: requests succeed, processes count on their own, /readyz says degraded."""

import json
import statistics
import time
import urllib.request

import pytest

from tests.faults.conftest import running
from tests.faults.service import Service
from tests.faults.traffic import PATIENCE_SECONDS, Caller, read_workouts, traffic

DOWN_SECONDS = 7  # longer than the pause in which the service does not try Redis


@pytest.fixture
def people(on_postgres):
    return on_postgres.people(3)


def readiness(service):
    with urllib.request.urlopen(f"{service.url}/readyz") as response:
        return response.status, json.load(response)["status"]


def warnings(service):
    lines = [json.loads(line) for line in service.log.splitlines() if line.startswith("{")]
    return [line for line in lines if line["logger"] == "fitness.ratelimit"]


FAULTS = {
    "down": (lambda redis: redis.kill(), lambda redis: redis.start()),
    "frozen": (lambda redis: redis.freeze(), lambda redis: redis.thaw()),
    "full": (lambda redis: redis.fill(), lambda redis: redis.empty()),
}


@pytest.mark.parametrize(("hurt", "heal"), FAULTS.values(), ids=FAULTS.keys())
def test_requests_still_succeed(on_postgres, redis_server, people, hurt, heal):
    with traffic(on_postgres, people) as load:
        time.sleep(2)
        hurt(redis_server)
        hurt_at = time.time()
        try:
            time.sleep(DOWN_SECONDS)
            assert readiness(on_postgres) == (200, "degraded")
        finally:
            heal(redis_server)
        assert readiness(on_postgres) == (200, "ok")
        time.sleep(1)
    assert load.failed == []
    before = [response.seconds for response in load.responses if response.sent_at < hurt_at]
    during = [response.seconds for response in load.after(hurt_at)]
    print(f"median {statistics.median(before):.3f} s, then {statistics.median(during):.3f} s")
    assert statistics.median(during) < max(before) + 0.2  # not each of them waits for Redis
    assert max(during) < PATIENCE_SECONDS
    minutes = (time.time() - on_postgres.started_at) / 60
    assert 1 <= len(warnings(on_postgres)) <= 2 * (minutes + 1)  # one a minute of each process


@pytest.fixture
def limited(prepared_file, redis_server, tmp_path):
    """A service of one process with the default limits and counters in Redis."""
    database = f"sqlite:///{prepared_file}"
    environment = {"RATE_LIMIT_KEY": "120/m", "REDIS_URL": redis_server.url, "WEB_CONCURRENCY": "1"}
    with running(Service(tmp_path, database, **environment)) as service:
        yield service


def passed(caller, times):
    """Sends so many requests. Returns how many passed the rate limit."""
    statuses = [read_workouts(caller).status for _ in range(times)]
    assert set(statuses) <= {200, 429}
    return statuses.count(200)


def test_a_process_without_redis_still_enforces_the_limits(limited, redis_server):
    """With Redis the count continues; without it each process starts a new count and enforces that."""
    (person,) = limited.people(1)
    caller = Caller(limited, person)
    assert passed(caller, 1) == 1
    wait_for_time_left(caller)
    before = passed(caller, 20)
    assert before == 20
    redis_server.kill()
    try:
        assert 119 <= passed(caller, 125) <= 120
    finally:
        redis_server.start()


def wait_for_time_left(caller):
    """Waits until at least 20 seconds are left in the rate limit window of the caller's key."""
    left = int(read_workouts(caller).headers["RateLimit"].split('"key";r=')[1].split("t=")[1].split(",")[0])
    if left < 20:
        time.sleep(left + 1)
        caller.connection.close()  # the server closes a connection that is idle for so long
