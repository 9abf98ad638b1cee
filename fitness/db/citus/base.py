"""Django's PostgreSQL backend, for a Citus cluster."""

from types import TracebackType
from typing import Any

from django.db import OperationalError
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.errors import InternalError_

from fitness.db.citus.creation import DatabaseCreation
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
