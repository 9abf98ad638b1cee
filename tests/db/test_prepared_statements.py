"""What connections to PostgreSQL keep prepared: over changes of columns, and not at all behind PgBouncer."""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from fitness.site.work.worker import Worker
from tests.conftest import a_set, a_workout
from tests.server import Http, Server, free_port, listens, own_database, wait_until
from training.models import Exercise

pytestmark = pytest.mark.skipif(
    connection.settings_dict["ENGINE"] != "django.db.backends.postgresql", reason="needs PostgreSQL"
)

CLIENTS = 8
SETTINGS = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
unix_socket_dir =
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = options
"""


@contextmanager
def pgbouncer(folder, database):
    """Yields the URL of the database behind a PgBouncer with two connections to it."""
    url = urlsplit(database)
    listen = free_port()
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        SETTINGS.format(host=url.hostname, port=url.port or 5432, user=url.username, listen=listen)
    )
    # It refuses to run as root, and reads its settings as whoever it becomes.
    as_nobody = ["-u", "nobody"] if os.geteuid() == 0 else []
    process = subprocess.Popen(["pgbouncer", "-q", *as_nobody, settings])
    try:
        wait_until(lambda: listens(listen))
        yield url._replace(netloc=f"{url.username}@127.0.0.1:{listen}").geturl()
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.mark.skipif(not shutil.which("pgbouncer"), reason="needs PgBouncer")
def test_requests_share_connections(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database, pgbouncer(tmp_path, database) as url:
        server = Server(tmp_path, url, PREPARED_STATEMENTS="false").start()
        try:
            key = Server(tmp_path, database).key()

            def use(number):
                client = Http(server, key)
                return [
                    status
                    for _ in range(20)
                    for status, _ in (
                        client.call("POST", "/workouts", a_workout(a_set(number + 1))),
                        client.call("GET", "/workouts"),
                        client.call("GET", "/stats/records"),
                    )
                ]

            with ThreadPoolExecutor(CLIENTS) as pool:
                assert list(pool.map(use, range(CLIENTS))) == [[201, 200, 200] * 20] * CLIENTS
        finally:
            server.stop()


def test_a_column_that_changes_its_type_is_a_fault_that_passes(tmp_path, prepared):
    """As for a process that serves while a newer version migrates the database."""
    with own_database(tmp_path, prepared) as database:
        server = Server(tmp_path, database).start()
        try:
            client = Http(server, server.key())
            assert client.call("POST", "/workouts", a_workout(a_set()))[0] == 201
            for _ in range(100):  # each of the pool's connections prepares the statement
                assert client.call("GET", "/workouts")[0] == 200
            with psycopg.connect(database) as admin:
                admin.execute("ALTER TABLE training_workout ALTER COLUMN document TYPE varchar")
            after = [client.call("GET", "/workouts")[0] for _ in range(50)]
            assert sorted(after) == [200] * 49 + [503]
        finally:
            server.stop()


@pytest.fixture
def changed_column(transactional_db):
    """A function that gives a column of the catalogue another type until the test ends."""
    alter = "ALTER TABLE training_exercise ALTER COLUMN instructions TYPE "
    with psycopg.connect(**address(), autocommit=True) as admin:
        yield lambda: admin.execute(f"{alter} varchar")
        connection.close()
        admin.execute(f"{alter} text")


def address():
    """libpq's parameters of the database of the tests."""
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    return {name: connection.settings_dict[key] for name, key in names.items()}


def test_a_worker_fails_once_after_such_a_change(changed_column):
    found = []

    def read():
        yield found.append(len(Exercise.objects.values_list("instructions")[:1]))

    worker = Worker({}, [read])
    worker.stopping.set()  # so that it waits for nothing
    for _ in range(100):  # each of the pool's connections, ten at most, prepares the statement
        worker.safely(worker.do_chores)
        connection.close()  # gives it back, as a thread does that waits
    changed_column()
    for _ in range(4):
        worker.safely(worker.do_chores)
        connection.close()
    assert found == [1] * 103
