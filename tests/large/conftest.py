"""One service at full size for all tests of this folder, which run in the order of their modules' names."""

from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import dj_database_url
import pytest
from django.conf import settings
from django.db import connection, connections
from django.test import Client

from tests.conftest import ApiClient
from tests.faults.service import Service
from tests.large import data
from tests.server import own_database

FOLDER = Path(__file__).parent
SLACK = 8  # times a limit, on a machine that is busy with others


def pytest_collection_modifyitems(items):
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker("large")
            item.add_marker("each_database")
            item.add_marker(pytest.mark.xdist_group("large"))  # one database for all


def pytest_terminal_summary(terminalreporter):
    for report in [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]:
        for name, figure in report.user_properties:
            terminalreporter.write_line(f"{name}: {figure}")


@pytest.fixture
def measured(record_property):
    """A function that checks seconds against SLACK times their limit; the summary of the run has both."""

    def measured(name, seconds, limit):
        record_property(f"{name}, {connection.vendor}", f"{seconds:.3f} s, limit {limit} s")
        assert seconds <= SLACK * limit

    return measured


@contextmanager
def connected_to(url):
    """Inside, this process uses the database at a URL, as the service does."""
    name = {"NAME": dj_database_url.parse(url)["NAME"]}
    disconnect()
    with patch.dict(connections.settings["default"], name), patch.dict(connection.settings_dict, name):
        yield
        disconnect()


def disconnect():
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()


@pytest.fixture(scope="session")
def service(tmp_path_factory, django_db_blocker):
    """The service, which does not run yet, and as `population` who has an account."""
    folder = tmp_path_factory.mktemp("large")
    with own_database(folder) as database, django_db_blocker.unblock(), connected_to(database):
        # With the key of this process, which signs the sessions of `population`.
        service = Service(folder, database, SECRET_KEY=settings.SECRET_KEY)
        service.manage("prepare")
        service.population = data.make()
        yield service


@pytest.fixture
def population(service):
    return service.population


@pytest.fixture
def admin_page(population):
    """A browser in which the superuser is signed in."""
    client = Client()
    client.cookies["session"] = population.staff.session
    return client


@pytest.fixture
def longest_api(population):
    """The API with a key of the account with the longest history."""
    return ApiClient(population.writers[0].key)
