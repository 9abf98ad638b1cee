"""Fault tests: they kill and starve real processes, and run only when selected by `pytest -m faults`."""

import shutil
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.faults.service import PostgresCluster, RedisServer, Service
from tests.server import KEPT, Server, kept_file

FOLDER = Path(__file__).parent
SHARED = {"on_sqlite", "on_postgres", "site"}  # services of a module


def pytest_collection_modifyitems(items):
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker("faults")
            if shared := services_of(item):
                item.add_marker(pytest.mark.xdist_group(f"{item.module.__name__} {shared}"))


def services_of(item):
    """What one process must run all tests of: a module's services, by the names of their fixtures."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return " ".join(sorted(SHARED & {*item.fixturenames, str(parameters.get("service", ""))}))


@contextmanager
def running(service):
    service.start()
    try:
        yield service
    finally:
        service.stop()


@pytest.fixture(scope="session")
def cluster():
    if PostgresCluster.programs() is None:
        pytest.skip("needs the programs of a PostgreSQL server")
    cluster = PostgresCluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="session")
def prepared_in_cluster(cluster):
    """The name of a prepared database, to be copied."""

    def dump(file):
        url = cluster.create("flt_first")
        Server(KEPT, url).manage("prepare")  # there are its static files, which need not be compressed again
        file.write_bytes(cluster.output("pg_dump", "-Fc", url))

    url = cluster.create("flt_prepared")
    with kept_file("dump", dump) as file:
        cluster.output("pg_restore", "-d", url, input=file.read_bytes())
    return "flt_prepared"


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory):
    with kept_file() as file:
        return Path(shutil.copy(file, tmp_path_factory.mktemp("prepared") / "fitness.sqlite3"))


@pytest.fixture(scope="module")
def redis_server():
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server")
    server = RedisServer()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def postgres_url(cluster, prepared_in_cluster):
    name = f"flt_{uuid4().hex[:12]}"
    yield cluster.create(name, prepared_in_cluster)
    cluster.drop(name)


@pytest.fixture(scope="module")
def on_sqlite(prepared_file, tmp_path_factory):
    """The small deployment: one process, SQLite, rate limit counters in memory."""
    folder = tmp_path_factory.mktemp("on_sqlite")
    url = f"sqlite:///{shutil.copy(prepared_file, folder)}"
    with running(Service(folder, url, REDIS_URL="", WEB_CONCURRENCY="1")) as service:
        yield service


@pytest.fixture(scope="module")
def on_postgres(cluster, postgres_url, redis_server, tmp_path_factory):
    """The larger deployment: two processes, PostgreSQL, rate limit counters in Redis."""
    environment = {"REDIS_URL": redis_server.url, "WEB_CONCURRENCY": "2", "STATEMENT_TIMEOUT": "4"}
    with running(Service(tmp_path_factory.mktemp("on_postgres"), postgres_url, **environment)) as service:
        service.cluster = cluster
        yield service


@pytest.fixture(params=["on_sqlite", "on_postgres"])
def service(request):
    return request.getfixturevalue(request.param)
