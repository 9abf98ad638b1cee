"""Two web machines behind nginx, on one PostgreSQL and one Redis: they restart, die, and act as one.

Each is a gunicorn of two processes. `pytest -m faults -n0 -s -k several_machines` prints what was sent and
what failed.
"""

import os
import re
import shutil
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest

from tests.citus import CitusCluster, citus_cluster
from tests.conftest import a_set, a_workout
from tests.faults.conftest import running
from tests.faults.ledger import Crowd
from tests.faults.machines import Site, requests_counted, wait_until_all_serve
from tests.faults.service import Person, Service
from tests.faults.test_keys_leave_no_trace import Browser
from tests.faults.test_postgres import LOCK_STATE
from tests.faults.test_redis import readiness
from tests.faults.traffic import READS, Caller, ShortCaller, Traffic, read_workouts, traffic
from tests.proxy import Proxy
from tests.server import Newcomer, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("nginx"), reason="needs nginx")

WRITERS, READERS = 6, 2  # few: their connections must not use up those of PostgreSQL


def machine(tmp_path_factory, database, redis_server):
    folder = tmp_path_factory.mktemp("machine")
    return Service(
        folder,
        database,
        REDIS_URL=redis_server.url,
        WEB_CONCURRENCY="2",
        TRUSTED_PROXIES="1",
        METRICS_TOKEN="t" * 32,
        STATEMENT_TIMEOUT="60",  # longer than any step of a test
        TMPDIR=str(folder),  # for the counts of processes, which a killed gunicorn leaves there
    )


@pytest.fixture(scope="module", params=["postgresql", "citus"])
def database(request, tmp_path_factory):
    """The URL of a prepared database."""
    if request.param == "postgresql":
        yield request.getfixturevalue("postgres_url")
        return
    if not CitusCluster.is_installed() or "FAULT_WRITES" not in os.environ:
        pytest.skip("needs Citus, and the time of a run at full length (FAULT_WRITES=5000)")
    with citus_cluster() as cluster:
        Service(tmp_path_factory.mktemp("prepare"), cluster.url).manage("prepare")
        yield cluster.url


@pytest.fixture(scope="module")
def site(database, redis_server, tmp_path_factory):
    first, second = (machine(tmp_path_factory, database, redis_server) for _ in range(2))
    folder = tmp_path_factory.mktemp("proxy")
    with running(first), running(second), Proxy(folder, [first.port, second.port]) as proxy:
        yield Site([first, second], proxy)


# --- Machines that stop ----------------------------------------------------------------------------


class Load:
    """Writers and readers of a site."""

    def __init__(self, site):
        people = site.people(WRITERS // 2 + READERS)
        self.site = site
        self.crowd = Crowd(site, people[READERS:], ShortCaller)
        self.readers = Traffic(site, people[:READERS], READS, clients=READERS, caller_class=ShortCaller)

    @property
    def responses(self):
        return self.crowd.responses + self.readers.responses

    @property
    def failed(self):
        return [response for response in self.responses if not response.succeeded]

    def wait_for_more(self, writes=60, reads=10):
        """Waits until so many more writes are acknowledged, and so many more reads answered."""
        before = self.crowd.acknowledged
        wait_until(lambda: self.crowd.acknowledged >= before + writes)
        count = len(self.readers.responses)
        wait_until(lambda: len(self.readers.responses) >= count + reads)

    def assert_that_all_is_stored_once(self):
        for writer in self.crowd.writers:
            assert not writer.unanswered or writer.write().status == 201
        assert self.crowd.discrepancies(self.site) == ([], [])


@contextmanager
def load_on(site):
    """Writers and readers send requests until the `with` block ends."""
    load = Load(site)
    with load.crowd, load.readers:
        load.wait_for_more()
        yield load
    failed = Counter((response.method, response.status) for response in load.failed)
    print(f"{len(load.responses)} responses, failed (0: the connection broke): {dict(failed)}")


def test_a_rolling_restart_fails_no_request(site):
    with load_on(site) as load:
        site.restart_one_by_one()
        load.wait_for_more()
        wait_until_all_serve(site.machines)
    assert load.failed == []
    load.assert_that_all_is_stored_once()


@pytest.mark.parametrize("kill", [Service.kill, Service.kill_worker])
def test_a_kill_fails_at_most_the_requests_in_flight(site, kill):
    """The other machine, or the other process, answers everything else, also while the killed one is away."""
    killed = site.machines[0]
    with load_on(site) as load:
        kill(killed)
        killed_at = time.time()
        load.wait_for_more()
        if killed.process.poll() is not None:
            killed.start()
        wait_until(lambda: len(killed.workers) == 2)
        wait_until_all_serve(site.machines)
        load.wait_for_more()
    unexpected = [response for response in load.failed if not may_fail(response, killed_at)]
    assert unexpected == []
    assert len([response for response in load.failed if not response.status]) <= WRITERS + READERS
    load.assert_that_all_is_stored_once()


def may_fail(response, killed_at):
    """Whether a machine that was killed at this time can be the reason for the response.

    nginx sends a request again, unless it is a POST. A DELETE that the killed machine has carried out is then
    a 404, and a response that was on its way is cut off.
    """
    in_flight = response.sent_at < killed_at + 2  # nginx must first notice that connections were closed
    if response.method == "DELETE" and response.status == 404:
        return in_flight
    return in_flight and (not response.status or (response.method == "POST" and response.is_unavailable))


def log_once(service, person, key):
    body = a_workout(a_set(), title=key)
    return ShortCaller(service, person).api("POST", "/workouts", body, {"Idempotency-Key": key})


def test_writes_in_flight_on_a_killed_machine_can_be_sent_again(site, database):
    """They wait for a lock of the account, so that they are in flight for certain, on both machines."""
    if database.startswith("citus"):
        pytest.skip("the lock would be on a worker")
    (person,), keys = site.people(1), list("ABCD")
    with ThreadPoolExecutor(len(keys)) as pool:
        with psycopg.connect(database) as session:
            session.execute(LOCK_STATE, [person.email])
            waiting = {key: pool.submit(log_once, site, person, key) for key in keys}
            wait_until(lambda: waiting_for_locks(database) == len(keys))
            site.machines[0].kill()
        responses = {key: one.result() for key, one in waiting.items()}
    site.machines[0].start()
    lost = [key for key, response in responses.items() if response.status != 201]
    assert 0 < len(lost) < len(keys)
    assert all(responses[key].is_unavailable for key in lost)
    again = {key: log_once(site, person, key) for key in keys}
    assert {response.status for response in again.values()} == {201}
    titles = [workout["title"] for workout in read_workouts(Caller(site, person)).json["workouts"]]
    assert sorted(titles) == keys


def waiting_for_locks(database):
    with psycopg.connect(database) as session:
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = %s"
        return session.execute(waiting, [session.info.dbname]).fetchone()[0]


# --- Counters --------------------------------------------------------------------------------------


def key_limit(response):
    """(requests left, seconds left) of the rate limit of the response's key."""
    left, seconds = re.search(r'"key";r=(\d+);t=(\d+)', response.headers["RateLimit"]).groups()
    return int(left), int(seconds)


def limit_is_shared(site, person):
    """Whether the processes of both machines count on from each other's count."""
    counts = [key_limit(read_workouts(Caller(machine, person)))[0] for machine in site.machines * 8]
    return counts == list(range(counts[0], counts[0] - len(counts), -1))


def test_redis_gone_and_back(site, redis_server):
    person, *others = site.people(4)
    wait_until(lambda: limit_is_shared(site, person))
    with traffic(site, others, clients=READERS) as load:
        redis_server.kill()
        try:
            before = len(load.responses)
            wait_until(lambda: len(load.responses) > before + 40)
            assert [readiness(machine) for machine in site.machines] == [(200, "degraded")] * 2
            assert not limit_is_shared(site, person)
        finally:
            redis_server.start()
        wait_until(lambda: limit_is_shared(site, person))
    assert [readiness(machine) for machine in site.machines] == [(200, "ok")] * 2
    assert load.failed == []


def test_the_limit_of_a_key_is_exact_over_both_machines(site):
    """Of requests at once each is counted, and none twice."""
    people = site.people(8)
    limits = {person: key_limit(read_workouts(Caller(site, person))) for person in people}
    person = max(people, key=lambda person: limits[person][1])  # whose minute has just begun
    with ThreadPoolExecutor(4) as pool:
        senders = [pool.submit(counts_of, machine, person, 10) for machine in site.machines * 2]
    counts = sorted(count for sender in senders for count in sender.result())
    left, _ = limits[person]
    assert counts == list(range(left - 40, left))


def counts_of(service, person, times):
    """What is left of the limit after each of so many requests."""
    return [key_limit(read_workouts(Caller(service, person)))[0] for _ in range(times)]


def read_often(service, person, times):
    return [read_workouts(Caller(service, person)).status for _ in range(times)]


def test_each_machine_counts_what_it_answers(site):
    (person,) = site.people(1)
    before = [requests_counted(machine, operation="docs", status="200") for machine in site.machines]
    for machine, times in zip(site.machines, (7, 12), strict=True):
        for _ in range(times):
            Caller(machine, person).open_screen("/docs")
    after = [requests_counted(machine, operation="docs", status="200") for machine in site.machines]
    assert [after[0] - before[0], after[1] - before[1]] == [7, 12]


# --- What one machine does, the other knows --------------------------------------------------------


def test_who_signs_in_on_one_machine_is_signed_in_on_the_other(site):
    first, second = site.machines
    newcomer = Newcomer(first)
    assert newcomer.sign_up("newcomer@example.org") == 302
    browser = Browser(second, Person("newcomer@example.org", "", newcomer.session, ""))
    status, html = browser.send("GET", "/settings/account")
    assert (status, "newcomer@example.org" in html) == (200, True)


def test_a_key_that_is_revoked_on_one_machine_is_refused_on_the_other(site):
    (person,), (first, second) = site.people(1), site.machines
    assert set(read_often(second, person, 8)) == {200}
    browser = Browser(first, person)
    (address,) = re.findall(r"/settings/developer/\d+/revoke", browser.send("GET", "/settings/developer")[1])
    assert browser.send("POST", address, {})[0] == 302
    assert set(read_often(second, person, 8)) == {401}


def test_a_request_is_carried_out_once_whichever_machine_gets_it_again(site):
    (person,), (first, second) = site.people(1), site.machines
    response, *others = [log_once(machine, person, "once") for machine in (first, second, second, first)]
    assert "Idempotent-Replayed" not in response.headers
    assert {other.headers["Idempotent-Replayed"] for other in others} == {"true"}
    assert {other.text for other in others} == {response.text}
    assert Caller(site, person).api("GET", "/workouts/count").json == {"count": 1}
