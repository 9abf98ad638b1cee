"""A throw-away Citus cluster of a coordinator and two workers.

    python -m tests.citus COMMAND …

runs a command with the DATABASE_URL of such a cluster. Where Citus is not installed it says so, and succeeds.
"""

import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fitness.db.citus.base import connected
from tests.faults.service import PostgresCluster
from tests.server import wait_until

WORKERS = 2
DATABASE = "fitness"
CONTROL_FILE = "/usr/share/postgresql/{version}/extension/citus.control"


class Node(PostgresCluster):
    SETTINGS = {
        **PostgresCluster.SETTINGS,
        "shared_preload_libraries": "citus",
        "shared_buffers": "64MB",
        "max_connections": "300",
        "max_prepared_transactions": "300",
        "max_worker_processes": "32",
        "max_locks_per_transaction": "1024",
        "wal_level": "logical",  # shards are moved by logical replication
        "random_page_cost": "1.1",  # as of an SSD; 4 makes shards of few rows be read whole
        "citus.shard_count": "4",  # so that databases are made fast
        "citus.max_client_connections": "-1",
        # What docs/cluster.md asks of a cluster, so that a node that vanishes holds up nobody else.
        "citus.node_connection_timeout": "3000",
        "citus.node_conninfo": (
            "sslmode=disable connect_timeout=3 tcp_user_timeout=3000 "
            "keepalives_idle=3 keepalives_interval=1 keepalives_count=3"
        ),
    }

    def address(self, name=DATABASE):
        return {"host": "127.0.0.1", "port": self.port, "user": "postgres", "dbname": name}

    def execute(self, statement, *values, name=DATABASE):
        with connected(self.address(name)) as database:
            return database.execute(statement, values)

    def create_database(self):
        self.execute(f"CREATE DATABASE {DATABASE}", name="postgres")
        self.execute("CREATE EXTENSION citus")


class CitusCluster:
    """`coordinator` and `workers`, each a Node. `url` is the DATABASE_URL."""

    def __init__(self, workers=WORKERS):
        self.coordinator = Node()
        self.workers = []
        self.coordinator.create_database()
        self.coordinator.execute(
            "SELECT citus_set_coordinator_host(%s, %s)", "127.0.0.1", self.coordinator.port
        )
        for _ in range(workers):
            self.add_worker()
        self.url = f"citus://postgres@127.0.0.1:{self.coordinator.port}/{DATABASE}"

    @staticmethod
    def is_installed():
        programs = PostgresCluster.programs()
        return programs is not None and Path(CONTROL_FILE.format(version=programs.parent.name)).exists()

    def add_worker(self, host_of=lambda worker: "127.0.0.1"):
        """Starts one more worker, which the others reach at a host that `host_of` makes for it."""
        worker = Node()
        self.workers.append(worker)
        worker.create_database()
        self.coordinator.execute("SELECT citus_add_node(%s, %s)", host_of(worker), worker.port)
        return worker

    def remove_worker(self, worker):
        """Moves what the worker holds to the others, and ends it.

        A shard cannot move to where an earlier move has left its old copy, which is deleted once no statement
        reads it.
        """
        wait_until(self.has_no_orphans)
        self.coordinator.execute("SELECT citus_drain_node('127.0.0.1', %s, 'force_logical')", worker.port)
        self.coordinator.execute("SELECT citus_remove_node('127.0.0.1', %s)", worker.port)
        self.workers.remove(worker)
        worker.remove()

    def has_no_orphans(self):
        self.coordinator.execute("CALL citus_cleanup_orphaned_resources()")
        return self.coordinator.execute("SELECT count(*) FROM pg_dist_cleanup").fetchone() == (0,)

    def rebalance(self):
        """Moves shards until all workers hold as much; writers go on."""
        self.coordinator.execute("SELECT citus_rebalance_start(shard_transfer_mode => 'force_logical')")
        self.coordinator.execute("SELECT citus_rebalance_wait()")

    def remove(self):
        with ExitStack() as stack:
            for node in (self.coordinator, *self.workers):
                stack.callback(node.remove)


@contextmanager
def citus_cluster(workers=WORKERS):
    cluster = CitusCluster(workers)
    try:
        yield cluster
    finally:
        cluster.remove()


def main(command):
    if not CitusCluster.is_installed():
        print("Citus is not installed, so nothing is tried on a cluster.")
        return 0
    with citus_cluster() as cluster:
        return subprocess.run(command, env={**os.environ, "DATABASE_URL": cluster.url}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
