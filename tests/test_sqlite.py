"""The SQLite backend."""

import gc
import sqlite3
from contextlib import closing

import pytest
from django.conf import settings
from django.db import OperationalError
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.db.utils import ConnectionHandler


@pytest.fixture
def connection(tmp_path, django_db_blocker):
    options = {"timeout": 0.01, "transaction_mode": "IMMEDIATE"}
    database = {"ENGINE": settings.SQLITE_ENGINE, "NAME": tmp_path / "own.sqlite3", "OPTIONS": options}
    connection = ConnectionHandler({"default": database})["default"]
    with django_db_blocker.unblock(), closing(connection):
        yield connection


def test_a_transaction_that_cannot_begin_leaves_no_open_cursor(connection):
    """Another thread that freed the cursor would wait for this thread's next statement."""
    gc.disable()
    try:
        with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(OperationalError, match="locked"):
                connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        cursors = [thing for thing in gc.get_objects() if type(thing) is SQLiteCursorWrapper]
        own = [cursor for cursor in cursors if cursor.connection is connection.connection]
        assert not any(map(is_open, own))
    finally:
        gc.enable()


def is_open(cursor):
    try:
        cursor.fetchone()
    except sqlite3.ProgrammingError:
        return False
    return True
