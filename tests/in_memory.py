"""SQLite in the memory of a pytest process: a copy of the prepared database."""

import sqlite3
from contextlib import closing, contextmanager

from django.db import connection


@contextmanager
def copied(file):
    """Inside, the database that Django takes for tests is there, a copy of a file."""
    name = connection.creation._get_test_db_name()
    with closing(sqlite3.connect(name, uri=True)) as memory:
        with closing(sqlite3.connect(file)) as source:
            source.backup(memory)
        yield
