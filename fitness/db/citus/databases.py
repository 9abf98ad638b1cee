"""Databases of a cluster, for tests: one on each node, joined as those of another database are."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

Address = dict[str, Any]  # libpq's parameters of a database
Node = tuple[str, int]  # host and port


def create_database(sibling: Address, name: str) -> None:
    """Creates a database with the same nodes as another one."""
    coordinator, *workers = found = nodes(sibling)
    for node in found:
        execute_on(node, sibling, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        execute_on(node, sibling, f'CREATE DATABASE "{name}"')
        execute_on(node, {**sibling, "dbname": name}, "CREATE EXTENSION citus")
    with connected({**sibling, "dbname": name}) as database:
        database.execute("SELECT citus_set_coordinator_host(%s, %s)", coordinator)
        for worker in workers:
            database.execute("SELECT citus_add_node(%s, %s)", worker)


def drop_database(address: Address) -> None:
    for node in nodes(address):
        elsewhere = {**address, "dbname": "postgres"}
        execute_on(node, elsewhere, f'DROP DATABASE "{address["dbname"]}" WITH (FORCE)')


def nodes(address: Address) -> list[Node]:
    """The nodes of a database, its coordinator first."""
    with connected(address) as database:
        return database.execute("SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid").fetchall()


def execute_on(node: Node, address: Address, statement: str) -> None:
    host, port = node
    with connected({**address, "host": host, "port": port}) as database:
        database.execute(statement)


@contextmanager
def connected(address: Address) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(**address, autocommit=True) as connection:
        yield connection
