"""Nodes of a Citus cluster die, vanish and come: who has rows elsewhere goes on, and nothing is lost."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.citus import DATABASE, CitusCluster, citus_cluster
from tests.faults.conftest import running
from tests.faults.ledger import Crowd
from tests.faults.service import Service, VanishingLink
from tests.faults.traffic import (
    PATIENCE_SECONDS,
    READS,
    WRITES,
    Caller,
    log_workout,
    open_workouts,
    read_by_tool,
    read_personal_records,
    read_workouts,
    stored_workouts,
    synced,
    traffic,
)
from tests.server import Newcomer, wait_until

pytestmark = [
    pytest.mark.skipif(not CitusCluster.is_installed(), reason="Citus is not installed"),
    pytest.mark.xdist_group("citus"),
]

NODE_OF = """
SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
WHERE shardid = get_shard_id_for_distribution_column(
    'accounts_accountstate', (SELECT id FROM accounts_account WHERE email = %s)
)
"""
SET_PASSWORDS = """
from accounts.models import Account
for account in Account.objects.filter(email__in={emails}):
    account.set_password("{password}")
    account.save()
"""
ENOUGH_WRITES = int(os.environ.get("FAULT_WRITES", "200"))
DEATHS = 6  # at least


@pytest.fixture(scope="module")
def citus():
    with citus_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def on_citus(citus, tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("citus"), citus.url, STATEMENT_TIMEOUT="5")
    service.manage("prepare")
    with running(service):
        yield service


@pytest.fixture
def people(citus, on_citus):
    wait_until(lambda: all(log_workout(Caller(on_citus, one)).succeeded for one in on_citus.people(4)))
    return people_by_worker(citus, on_citus)


def people_by_worker(cluster, service):
    """For each worker, four new accounts that it has."""
    found = {worker.port: [] for worker in cluster.workers}
    while any(len(people) < 4 for people in found.values()):
        for person in service.people(4):
            found[node_of(cluster, person)].append(person)
    return [found[worker.port][:4] for worker in cluster.workers]


def node_of(citus, person):
    return citus.coordinator.execute(NODE_OF, person.email).fetchone()[0]


@contextmanager
def stopped(node):
    node.stop("immediate")
    try:
        yield
    finally:
        node.start()


def each_use_is_due(service):
    """Makes the processes store the next use of each key: they do so once a minute."""
    service.kill_and_restart()


def test_a_worker_that_dies_takes_its_own_accounts_along_and_nobody_else(citus, on_citus, people):
    lost, others = people
    each_use_is_due(on_citus)
    with stopped(citus.workers[0]):
        for act in (log_workout, read_workouts, open_workouts):
            for person in lost:
                response = act(Caller(on_citus, person))
                assert response.is_unavailable, response
                assert response.seconds < PATIENCE_SECONDS
            for person in others:
                response = act(Caller(on_citus, person))
                assert response.succeeded, response
    wait_until(lambda: all(log_workout(Caller(on_citus, person)).succeeded for person in lost))


def test_a_process_starts_while_a_worker_is_away(citus, on_citus):
    """Each start runs `prepare`, which changes nothing then."""
    with stopped(citus.workers[0]):
        assert "deleted later" in on_citus.manage("prepare").stderr


def test_who_has_rows_elsewhere_signs_in_while_a_worker_is_away(citus, on_citus, people):
    lost, other = emails = [some[0].email for some in people]
    on_citus.manage("shell", "-c", SET_PASSWORDS.format(emails=emails, password=Newcomer.PASSWORD))
    with stopped(citus.workers[0]):
        assert Newcomer(on_citus, "/sign-in").sign_in(other) == 302
        assert Newcomer(on_citus, "/sign-in").sign_in(lost) == 503
        assert Newcomer(on_citus).sign_up(f"new-{other}") == 503  # an account is written on every node
    wait_until(lambda: Newcomer(on_citus, "/sign-in").sign_in(lost) == 302)
    wait_until(lambda: Newcomer(on_citus).sign_up(f"new-{other}") == 302)


def test_acknowledged_writes_survive_the_deaths_of_all_nodes(citus, on_citus, people):
    nodes = [*citus.workers, citus.coordinator]
    with Crowd(on_citus, [person for some in people for person in some[:2]]) as crowd:
        for at in range(100):
            wait_until(lambda at=at: crowd.acknowledged >= (at + 1) * ENOUGH_WRITES / DEATHS)
            if crowd.acknowledged >= ENOUGH_WRITES:
                break
            node = nodes[at % len(nodes)]
            node.crash_and_restart()
    assert set(crowd.statuses()) <= {200, 201, 204, 302, 503}, crowd.statuses()
    wait_until(lambda: all(read_workouts(Caller(on_citus, one)).succeeded for one in crowd.people))
    assert crowd.discrepancies(on_citus) == ([], [])
    print(crowd.acknowledged, "acknowledged", crowd.statuses())


class Follower:
    """Follows the change feed of an account, from where it left off."""

    def __init__(self, service, person):
        self.caller = Caller(service, person)
        self.held = {}

    def follow(self):
        since = max((workout["updated_at"] for workout in self.held.values()), default=None)
        self.held |= synced(self.caller, since)

    @property
    def missed(self):
        return self.held != stored_workouts(self.caller)


@pytest.fixture
def patient(citus, tmp_path):
    """A service with the usual time limits, within which a slow machine moves a shard."""
    with running(Service(tmp_path, citus.url)) as service:
        yield service


def test_shards_move_while_people_write_and_follow_the_feed(citus, patient, people):
    writers = [person for some in people for person in some]
    followers = [Follower(patient, person) for person in writers]
    with traffic(patient, writers, acts=[log_workout], clients=8) as load, ThreadPoolExecutor(1) as pool:
        moves = pool.submit(move_shards, citus)
        while not moves.done():
            for follower in followers:
                follower.follow()
        moves.result()
    for follower in followers:
        follower.follow()
    assert load.failed == []
    assert max(response.seconds for response in load.responses) < 30
    assert not any(follower.missed for follower in followers)


def move_shards(citus):
    worker = citus.add_worker()
    citus.rebalance()
    citus.remove_worker(worker)


def test_every_node_answers_and_keys_do_without_the_coordinator(citus, on_citus, people, tmp_path):
    nodes = [*citus.workers, citus.coordinator]
    hosts, ports = ",".join(["127.0.0.1"] * len(nodes)), ",".join(str(node.port) for node in nodes)
    url = f"citus://postgres@/{DATABASE}?host={hosts}&port={ports}&load_balance_hosts=random"
    someone = [person for some in people for person in some]
    with running(Service(tmp_path, url, STATEMENT_TIMEOUT="5")) as service:
        callers = [Caller(service, person) for person in someone]
        for caller in callers:
            for act in (*READS, *WRITES):
                response = act(caller)
                assert response.succeeded, response
        with stopped(citus.coordinator):
            of_keys = (log_workout, read_workouts, read_by_tool, read_personal_records)
            wait_until(lambda: all(act(caller).succeeded for caller in callers for act in of_keys))
            assert open_workouts(callers[0]).is_unavailable  # sessions are on the coordinator
        wait_until(lambda: all(open_workouts(caller).succeeded for caller in callers))


@pytest.fixture
def vanishing(tmp_path):
    """(a cluster of a worker and one behind a link, the link, a service)"""
    if not VanishingLink.is_possible():
        pytest.skip("needs root, ip and socat, to create a network namespace")
    links = []

    def behind_link(worker):
        links.append(VanishingLink(worker))
        return links[0].there

    with citus_cluster(workers=1) as cluster:
        try:
            cluster.add_worker(behind_link)
            service = Service(tmp_path, cluster.url, STATEMENT_TIMEOUT="5")
            service.manage("prepare")
            with running(service):
                yield cluster, links[0], service
        finally:
            for link in links:
                link.remove()


def test_a_worker_whose_machine_vanishes_holds_up_nobody_else(vanishing):
    cluster, link, service = vanishing
    others, lost = people_by_worker(cluster, service)
    with traffic(service, others, acts=[log_workout, read_workouts]) as load:
        link.cut()
        try:
            for person in lost:
                response = log_workout(Caller(service, person))
                assert response.is_unavailable, response
                assert response.seconds < PATIENCE_SECONDS
        finally:
            link.mend()
    assert load.failed == []
    wait_until(lambda: all(log_workout(Caller(service, person)).succeeded for person in lost))
