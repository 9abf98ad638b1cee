"""Django's PostgreSQL backend, for a Citus cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import psycopg
from django.db import OperationalError
from django.db.backends.postgresql import base, creation
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.errors import InternalError_

from fitness.db.citus.distribute import distribute
from fitness.db.citus.schema import DatabaseSchemaEditor

# In messages of Citus, which has one code for all of its errors: a node was lost, or refused its commit.
NODE_FAILURES = (
    "failure on connection",
    "connection to the remote node",
    "could not commit transaction",
    "while executing command on",
)


class NodeErrorWrapper(DatabaseErrorWrapper):
    """Raises OperationalError where a node cannot be reached, as for a server that cannot."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, InternalError_) and any(text in str(error) for text in NODE_FAILURES):
            self.wrapper.errors_occurred = True  # type: ignore[attr-defined]  # not in the stubs
            raise OperationalError(*error.args).with_traceback(traceback) from error
        super().__exit__(kind, error, traceback)


Address = dict[str, Any]  # libpq's parameters of a database
Node = tuple[str, int]  # host and port


class DatabaseCreation(creation.DatabaseCreation):
    """Test databases: one on each node of the cluster, joined as those of another database are."""

    @property
    def address(self) -> Address:
        settings = self.connection.settings_dict
        names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
        return {name: settings[key] for name, key in names.items() if settings[key]}

    def _execute_create_test_db(self, cursor: Any, parameters: dict[str, str], *_: Any) -> None:
        create_database(self.address, parameters["dbname"].strip('"'))

    def create_test_db(self, *args: Any, **options: Any) -> str:
        name = super().create_test_db(*args, **options)
        distribute()
        return name

    def _destroy_test_db(self, test_database_name: str, verbosity: int) -> None:
        drop_database({**self.address, "dbname": test_database_name})


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


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = DatabaseSchemaEditor
    creation_class = DatabaseCreation

    @cached_property
    def wrap_database_errors(self) -> NodeErrorWrapper:
        return NodeErrorWrapper(self)

    def get_connection_params(self) -> dict[str, Any]:
        """Statements over all nodes visit one after the other: in parallel they exclude others that follow in
        the same transaction, as cascades do.
        """
        params: dict[str, Any] = super().get_connection_params()
        params["options"] = f"{params.get('options', '')} -c citus.multi_shard_modify_mode=sequential"
        return params
