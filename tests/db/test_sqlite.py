"""The SQLite backend."""

import sqlite3
import threading
from contextlib import closing

import pytest
from django.conf import settings
from django.db import OperationalError
from django.db import connection as default_connection
from django.db.utils import ConnectionHandler

from accounts.key_use import KeyUse, store_use
from accounts.models import ApiKey
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


def test_a_transaction_begins_when_it_has_its_turn(connect):
    connection = connect(timeout=0.01)
    with turn_of(connection.settings_dict["NAME"]), pytest.raises(OperationalError, match="locked"):
        begin(connection)
    begin(connection)
    commit(connection)


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


@pytest.mark.skipif(not settings.SQLITE, reason="concerns SQLite")
@pytest.mark.django_db(transaction=True)
def test_a_key_is_used_first_without_a_turn(account):
    """A request that reads waits for nobody's transaction."""
    key = ApiKey.objects.create(account=account, name="Key", digest="x", hint="x")
    with turn_of(default_connection.settings_dict["NAME"]):
        store_use(key)
    assert KeyUse.objects.get().api_key == key
