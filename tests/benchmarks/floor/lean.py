"""The lean floor: the floor's views behind Django's Security and Common middleware, on a bare connection.

The floor carries what the service adds to every request: its log line, its metrics, its connection. This one
has none of it, so a ratio to it is what the whole of the service costs. On PostgreSQL its statements are
prepared once on the server, on SQLite once in the driver's cache.
"""

import sqlite3
from contextlib import contextmanager

from django.conf import settings
from django.core.cache import close_caches
from django.core.handlers.wsgi import WSGIHandler
from django.db import close_old_connections, reset_queries
from django.test import override_settings

from tests.benchmarks.floor import sql

PREFIX = "/lean"
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"]


class Lean:
    """The WSGI application of the lean floor."""

    def __init__(self):
        with override_settings(MIDDLEWARE=MIDDLEWARE):
            self.handler = WSGIHandler()
        self.connection = OnSQLite() if sql.SQLITE else OnPostgreSQL()

    def __call__(self, environ, start_response):
        # As Django comes: the service is spared these (fitness/apps.py).
        reset_queries()
        close_old_connections()
        with sql.using(self.connection):
            response = self.handler(environ, start_response)
        response._resource_closers.append(close_caches)
        return response


class OnSQLite:
    def __init__(self):
        self.connection = sqlite3.connect(
            settings.DATABASES["default"]["NAME"],
            isolation_level=None,
            detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES,  # by Django's converters
        )
        self.connection.execute("PRAGMA synchronous=FULL")
        self.marked = {}  # statements with the parameters of this driver

    def fetch(self, statement, parameters):
        return self.run(statement, parameters).fetchall()

    def run(self, statement, parameters):
        if statement not in self.marked:
            self.marked[statement] = statement.replace("%s", "?")
        return self.connection.execute(self.marked[statement], parameters)

    @contextmanager
    def atomic(self):
        self.connection.execute("BEGIN IMMEDIATE")
        with self.connection:
            yield


class OnPostgreSQL:
    def __init__(self):
        import psycopg

        address = settings.DATABASES["default"]
        self.connection = psycopg.connect(
            host=address["HOST"],
            port=address["PORT"] or None,
            user=address["USER"],
            password=address["PASSWORD"] or None,
            dbname=address["NAME"],
            autocommit=True,
            prepare_threshold=0,
        )

    def fetch(self, statement, parameters):
        return self.run(statement, parameters).fetchall()

    def run(self, statement, parameters):
        return self.connection.execute(statement, parameters)

    def atomic(self):
        return self.connection.transaction()
