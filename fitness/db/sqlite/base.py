"""The wrapper of the connection."""

import threading
from functools import cache
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError


@cache
def turn_of(database: str) -> threading.Lock:
    """Held by the one transaction of this process that writes."""
    return threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    """Lets one transaction of the process begin at a time.

    SQLite has no queue for writers: whoever waits asks again, more and more rarely, and under load somebody
    else has always come in between. With eight clients one write in a hundred waited for seconds. Who waits
    for longer than the `timeout` of the settings gets OperationalError, as from SQLite.
    """

    has_turn = False

    def set_autocommit(
        self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False
    ) -> None:
        if not autocommit and force_begin_transaction_with_broken_autocommit:
            timeout = self.settings_dict["OPTIONS"].get("timeout", 5)  # 5 is that of sqlite3
            if not turn_of(self.settings_dict["NAME"]).acquire(timeout=timeout):
                raise OperationalError("database is locked")
            self.has_turn = True
        try:
            super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
        except BaseException:
            self.end_turn()
            raise

    def commit(self) -> None:
        super().commit()
        self.end_turn()

    def rollback(self) -> None:
        try:
            super().rollback()
        finally:
            self.end_turn()

    def close(self) -> Any:
        try:
            return super().close()
        finally:
            self.end_turn()

    def end_turn(self) -> None:
        if self.has_turn:
            self.has_turn = False
            turn_of(self.settings_dict["NAME"]).release()
