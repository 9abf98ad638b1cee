"""Exceptions that are faults of the database, not of a statement, and what becomes of the connection."""

from django.db import (
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    connection,
)

# IntegrityError: a row was deleted between its check and its use. A retry gets the error of its place.
# InternalError: what a database says of itself, such as a cluster that has just moved a shard elsewhere.
# NotSupportedError: a newer version has changed a column of a statement that connections have prepared.
DATABASE_FAULTS = (OperationalError, InterfaceError, IntegrityError, InternalError, NotSupportedError)

ROLLED_BACK = "40"  # the class of SQLSTATE: a deadlock, a serialization failure


def is_worth_a_second_try(fault: BaseException) -> bool:
    """Whether the transaction of this fault stored nothing and may succeed when it is run again.

    PostgreSQL ends one of the transactions that wait for each other. On a cluster that happens while a shard
    moves to another node; and a node that leaves then is one "that could not be found", once.
    """
    sqlstate = getattr(fault.__cause__, "sqlstate", None) or ""
    return isinstance(fault, IntegrityError | InternalError) or sqlstate.startswith(ROLLED_BACK)


def discard_connection(fault: BaseException) -> None:
    """Closes the connection after a database fault, so that the next request opens another.

    This one may never work again: to SQLite, if it was opened while the file was read-only. What ended one
    connection to PostgreSQL has usually ended those that wait in the pool as well, so the pool checks them.
    What this one has prepared and is stale, the others have prepared as well, so then all are closed.
    """
    if connection.in_atomic_block:
        return
    pool = getattr(connection, "pool", None)
    is_stale = isinstance(fault, NotSupportedError)
    if pool and is_stale:
        pool.drain()  # closes this one, too, once it is given back
    connection.close()
    if pool and not is_stale:
        pool.check()
