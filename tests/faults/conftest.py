"""Fault tests: they kill and starve real processes, and run only when selected by `pytest -m faults`."""

import shutil
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.faults.service import PostgresCluster, RedisServer, Service
from tests.server import kept_file

FOLDER = Path(__file__).parent
SHARED = {
    "service",
    "on_sqlite",
    "on_postgres",
    "site",
}  # module-scoped: one pytest process must run the whole module


def pytest_collection_modifyitems(items):
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker("faults")
            if SHARED & set(item.fixturenames):
                item.add_marker(pytest.mark.xdist_group(item.module.__name__))


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
def prepared_in_cluster(cluster, tmp_path_factory):
    url = cluster.create("flt_prepared")
    Service(tmp_path_factory.mktemp("prepare"), url).manage("prepare")
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
def on_postgres(postgres_url, redis_server, tmp_path_factory):
    """The larger deployment: two processes, PostgreSQL, rate limit counters in Redis."""
    environment = {"REDIS_URL": redis_server.url, "WEB_CONCURRENCY": "2", "STATEMENT_TIMEOUT": "4"}
    with running(Service(tmp_path_factory.mktemp("on_postgres"), postgres_url, **environment)) as service:
        yield service


@pytest.fixture(params=["on_sqlite", "on_postgres"])
def service(request):
    return request.getfixturevalue(request.param)
