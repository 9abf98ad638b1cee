"""SQLite in the memory of a pytest process: a copy of the prepared database, before tests and again after
those that commit."""

import sqlite3
from contextlib import closing, contextmanager

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.backends.signals import connection_created
from django.test import TransactionTestCase


@contextmanager
def copied(file):
    """Inside, the database that Django takes for tests is there, a copy of a file."""
    name = connection.creation._get_test_db_name()
    with closing(sqlite3.connect(name, uri=True)) as memory:
        with closing(sqlite3.connect(file)) as source:
            source.backup(memory)
        yield


@contextmanager
def restored():
    """Inside, a test that commits ends with a copy of the database as it is now, in the place of a flush.

    A flush deletes the rows of all tables and makes permissions anew, which takes sixteen times as long.
    """
    flush = TransactionTestCase._fixture_teardown

    def restore(test):
        connection.ensure_connection()  # Playwright's loop has one of its own
        try:
            clean.backup(connection.connection, progress=never_wait)
        except sqlite3.OperationalError:  # a statement of the test has not ended
            flush(test)
        ContentType.objects.clear_cache()

    with closing(sqlite3.connect(":memory:")) as clean, pytest.MonkeyPatch.context() as patch:
        connection_created.connect(read_without_locks)
        read_without_locks(connection)
        connection.connection.backup(clean)
        patch.setattr(TransactionTestCase, "_fixture_teardown", restore)
        yield


def read_without_locks(connection, **_):
    """In memory a reader fails where another writes in the same table; in a file it reads on."""
    if connection.vendor == "sqlite":
        connection.connection.execute("PRAGMA read_uncommitted = true")


def never_wait(status, remaining, total):
    """Ends a copy to a database that is in use: by itself it would ask again without end."""
    if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        raise sqlite3.OperationalError("database is locked")
