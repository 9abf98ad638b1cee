"""What frameworks do not document and the service needs, where no other test would notice that it is gone.

docs/undocumented.md lists all of it.
"""

import json

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from prometheus_client import REGISTRY

from fitness import metrics
from fitness.api.schema import document

on_sqlite = pytest.mark.skipif(not settings.SQLITE, reason="concerns SQLite")
on_postgresql = pytest.mark.skipif(settings.SQLITE, reason="concerns PostgreSQL")


@on_postgresql
def test_statements_are_not_compiled(db):
    """Where the server's estimates are wrong, to compile one takes a hundred times as long as to run it."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)


@on_postgresql
def test_a_connection_refers_to_its_pool(db):
    """psycopg's Connection._pool, which fitness.db.postgresql drains, and Django's DatabaseWrapper.pool."""
    connection.ensure_connection()
    assert connection.connection._pool is connection.pool
    metrics.update_pool()
    assert REGISTRY.get_sample_value("fitness_pool_connections", {"state": "open"}) >= 1


@on_postgresql
def test_a_connection_waits_a_little_longer_than_its_statements_may_take(db, monkeypatch):
    """psycopg's Connection.wait, which runs each statement, and its argument `timeout`."""
    import psycopg

    from fitness.db.postgresql import SECONDS_BEYOND_THE_STATEMENT, impatient_connection

    waits, original = [], psycopg.Connection.wait

    def wait(self, generator, *args, timeout=None, **options):
        waits.append(timeout)
        return original(self, generator, *args, timeout=timeout, **options)

    monkeypatch.setattr(psycopg.Connection, "wait", wait)
    with impatient_connection(5).connect(**connection.get_connection_params()) as own:
        waits.clear()
        own.execute("SELECT 1")
    assert set(waits) == {5 + SECONDS_BEYOND_THE_STATEMENT}


def test_django_notes_that_a_statement_failed(db):
    """DatabaseWrapper.errors_occurred, which fitness.db.citus sets where a node was lost."""
    connection.errors_occurred = False
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM no_such_table")
    assert connection.errors_occurred


def test_parameters_refer_to_a_schema_directly():
    """drf-spectacular's AutoSchema._process_override_parameters."""
    operations = [one for path in json.loads(document())["paths"].values() for one in path.values()]
    schemas = [one["schema"] for operation in operations for one in operation.get("parameters", [])]
    assert any("$ref" in schema for schema in schemas)
    assert not any("allOf" in schema for schema in schemas)
