"""Connections of the drivers as they come.

On PostgreSQL statements are prepared once on the server, on SQLite once in the driver's cache.
"""

import sqlite3
from contextlib import contextmanager

from django.conf import settings


class OnSQLite:
    def __init__(self):
        self.connection = sqlite3.connect(
            settings.DATABASES["default"]["NAME"],
            isolation_level=None,
            detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES,  # by Django's converters
        )
        self.connection.execute("PRAGMA synchronous=FULL")
        self.marked = {}  # statements with the parameters of this driver

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

    def run(self, statement, parameters):
        return self.connection.execute(statement, parameters)

    def atomic(self):
        return self.connection.transaction()
