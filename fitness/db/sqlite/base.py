import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from fitness.db.sqlite.queue import queue_of

# Between two attempts of the first in the queue to begin while another process writes.
POLL_SECONDS = 0.002


class DatabaseFeatures(base.DatabaseFeatures):  # type: ignore[name-defined,misc]  # the stubs lack the import
    # The limit of SQLite since 3.32 (2020). Django still assumes 999, and would split the insert of a long
    # workout into several.
    max_query_params = 32_766


@lru_cache(maxsize=200)
def with_question_marks(sql: str) -> str:
    """A statement with the placeholders of SQLite: hot ones are always the same texts."""
    marked: str = base.FORMAT_QMARK_REGEX.sub("?", sql).replace("%%", "%")
    return marked


class Cursor(base.SQLiteCursorWrapper):
    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None:
            return with_question_marks(query)
        named: str = super().convert_query(query, param_names=param_names)  # type: ignore[misc]  # not in the stubs
        return named


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, whose transactions wait in a queue instead of asking SQLite at the same time.

    1. `_start_transaction_under_autocommit` begins: `begin` waits for its turn among the process's writers.
    2. The one whose turn it is asks SQLite every few milliseconds, as other processes write, too.
    3. The turn ends with the transaction: `_commit`, `_rollback` or `_close`.

    Whoever waits longer than the `timeout` of the settings gets OperationalError, as from SQLite.
    """

    features_class = DatabaseFeatures
    has_turn = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.timeout: float = self.settings_dict["OPTIONS"].get("timeout", 5)  # seconds; 5 is that of sqlite3

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        return cursor

    @contextmanager
    def waiting_at_most(self, seconds: float) -> Iterator[None]:
        """Inside, transactions and statements that cannot write after this time raise OperationalError."""
        self.ensure_connection()
        usual, self.timeout = self.timeout, seconds
        self.set_busy_timeout(seconds)
        try:
            yield
        finally:
            self.timeout = usual
            self.set_busy_timeout(usual)

    def set_busy_timeout(self, seconds: float) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")

    def _start_transaction_under_autocommit(self) -> None:
        with self.cursor() as cursor:
            # As `cursor.execute` does, so that the wait counts as time of the database.
            begin = f"BEGIN {self.transaction_mode}"  # type: ignore[attr-defined]  # not in the stubs
            cursor._execute_with_wrappers(begin, None, many=False, executor=self.begin)

    def begin(self, sql: str, params: None, many: bool, context: dict[str, Any]) -> None:
        deadline = time.monotonic() + self.timeout
        if not queue_of(self.settings_dict["NAME"]).enter(self.timeout):
            raise OperationalError("database is locked")
        self.has_turn = True
        try:
            with self.wrap_database_errors:
                self.begin_before(deadline, sql)
        except BaseException:
            self.end_turn()
            raise

    def begin_before(self, deadline: float, sql: str) -> None:
        """Begins as soon as no other process writes. SQLite itself would ask after up to 0.1 s each."""
        raw: sqlite3.Connection = self.connection
        self.set_busy_timeout(0)
        try:
            while not self.has_begun(raw, sql, is_last=time.monotonic() > deadline):
                time.sleep(POLL_SECONDS)
        finally:
            self.set_busy_timeout(self.timeout)

    @staticmethod
    def has_begun(raw: sqlite3.Connection, sql: str, *, is_last: bool) -> bool:
        try:
            raw.execute(sql)
        except sqlite3.OperationalError as error:
            if is_last or error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    def end_turn(self) -> None:
        if self.has_turn:
            self.has_turn = False
            queue_of(self.settings_dict["NAME"]).leave()

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # not in the stubs, as the next two
        self.end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self.end_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self.end_turn()
