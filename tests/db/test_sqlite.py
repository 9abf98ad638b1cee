"""The SQLite backend."""

import sqlite3
import threading
from contextlib import closing

import pytest
from django.conf import settings
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from fitness.db.sqlite.base import turn_of
from tests.server import wait_until


@pytest.fixture
def connect(tmp_path, django_db_blocker):
    """Makes connections to one file, for whichever thread calls."""
    made = []

    def connected(timeout=60):
        options = {"timeout": timeout, "transaction_mode": "IMMEDIATE"}
        database = {"ENGINE": settings.SQLITE_ENGINE, "NAME": tmp_path / "own.sqlite3", "OPTIONS": options}
        made.append(ConnectionHandler({"default": database})["default"])
        made[-1].inc_thread_sharing()
        return made[-1]

    with django_db_blocker.unblock():
        yield connected
        for connection in made:
            connection.close()


def begin(connection):
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def commit(connection):
    connection.commit()
    connection.set_autocommit(True)


def test_writers_of_a_process_wait_for_each_other(connect):
    first, written = connect(), []
    begin(first)

    def write(number):
        connection = connect()
        begin(connection)
        written.append(number)
        commit(connection)

    writers = [threading.Thread(target=write, args=[number]) for number in range(8)]
    for writer in writers:
        writer.start()
    assert not written
    commit(first)
    for writer in writers:
        writer.join()
    assert sorted(written) == [*range(8)]


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_whatever_ends_a_transaction_ends_its_turn(connect, end):
    first, second = connect(), connect(timeout=0.01)
    begin(first)
    with pytest.raises(OperationalError, match="locked"):
        begin(second)
    getattr(first, end)()
    begin(second)
    commit(second)


def test_a_writer_of_another_process_is_waited_for(connect):
    connection = connect()
    name = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(name, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = threading.Thread(target=begin, args=[connection])
        begun.start()
        wait_until(lambda: turn_of(name).locked())
        assert begun.is_alive()
        other.execute("COMMIT")
        begun.join()
    commit(connection)


def test_statements_without_a_transaction_wait_for_writers_as_before(connect):
    connection = connect(timeout=60)
    begin(connection)
    commit(connection)
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (60_000,)
