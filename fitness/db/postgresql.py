"""Connections to PostgreSQL that give up when the server does not respond.

1. PostgreSQL ends a statement after STATEMENT_TIMEOUT seconds. Example: a lock that is never released -> 503.
2. A frozen server ends nothing: this side closes the connection three seconds later, and idle ones.
3. A server whose machine vanished: TCP_OPTIONS close the connection after 10 to 19 seconds.
"""

from typing import Any

from psycopg import Connection
from psycopg.errors import OperationalError
from psycopg.pq import TransactionStatus

SECONDS_BEYOND_THE_STATEMENT = 3

# The operating system closes a connection after 10 seconds of unacknowledged data, or 19 of silence.
TCP_OPTIONS = {
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}

# Values travel beside a statement, so that one which a connection has carried out several times is not parsed
# and planned again. The server keeps it with the connection, so a PgBouncer in between must support that. A
# statement takes at most 65,535 values this way, so many rows are stored in batches.
PREPARED = {"server_side_binding": True, "prepare_threshold": 5}


def impatient_connection(statement_timeout: int) -> type[Connection[Any]]:
    """The connection class for requests, whose statements PostgreSQL ends after `statement_timeout` seconds.

    A server that is frozen or out of reach ends nothing. So this side closes the connection three seconds
    later, and the pool's idle connections as well: each would keep another request waiting for as long.
    """

    class ImpatientConnection(Connection[Any]):
        def wait(self, *args: Any, **options: Any) -> Any:
            options.setdefault("timeout", statement_timeout + SECONDS_BEYOND_THE_STATEMENT)
            try:
                return super().wait(*args, **options)
            except OperationalError:
                if self.pgconn.transaction_status == TransactionStatus.ACTIVE:  # still waiting
                    self.pgconn.finish()
                    if pool := getattr(self, "_pool", None):
                        pool.drain()
                raise

    return ImpatientConnection
