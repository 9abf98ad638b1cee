"""Many people sign up at once: hashing their passwords does not block other requests."""

import shutil
import time
from itertools import count

import pytest

from tests.faults.conftest import running
from tests.faults.service import Service
from tests.faults.traffic import Caller, Clients, log_workout
from tests.server import Newcomer

CLIENTS = 8
SECONDS = 5
MAX_SIGN_UPS = 2 * CLIENTS  # while one write waits: those before it, on a machine of any speed
MAX_KB = 200_000  # of a process
numbers = count()


class Newcomers(Clients):
    """Clients that create one account after the other."""

    def __init__(self, service):
        super().__init__([Newcomer(service) for _ in range(CLIENTS)])
        self.statuses = []

    def request(self, newcomer):
        self.statuses.append(newcomer.sign_up(f"newcomer{next(numbers)}@example.org"))


@pytest.fixture
def service(prepared_file, tmp_path):
    """One process, so that whatever blocks it would block all clients; no database has a part in a hash."""
    url = f"sqlite:///{shutil.copy(prepared_file, tmp_path)}"
    environment = {"REDIS_URL": "", "WEB_CONCURRENCY": "1", "RATE_LIMIT_SIGN_UP": "1000000/h"}
    with running(Service(tmp_path, url, **environment)) as service:
        yield service


def test_a_writer_gets_fast_responses_while_eight_clients_sign_up(service):
    writer = Caller(service, *service.people(1))
    responses, meanwhile, max_kb = [], [], 0
    with Newcomers(service) as newcomers:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            before = len(newcomers.statuses)
            responses.append(log_workout(writer))
            meanwhile.append(len(newcomers.statuses) - before)
            max_kb = max(max_kb, service.resident_kb)
    seconds = sorted(response.seconds for response in responses)
    print(
        f"{len(responses)} writes, median {seconds[len(seconds) // 2]:.2f} s, "
        f"p99 {seconds[len(seconds) * 99 // 100]:.2f} s, slowest {seconds[-1]:.2f} s; "
        f"{len(newcomers.statuses)} sign-ups, {max(meanwhile)} during one write; {max_kb // 1000} MB"
    )
    assert {response.status for response in responses} == {201}
    assert set(newcomers.statuses) == {302}
    assert max(meanwhile) <= MAX_SIGN_UPS
    assert max_kb < MAX_KB
