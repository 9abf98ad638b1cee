"""Work beside requests, in threads of every process that serves.

Work that would keep a request waiting is done here, in transactions of its own: rendering the workouts of a
renamed exercise again, deleting expired rows. An app declares its tasks in `tasks.py`, and `fitness/wsgi.py`
starts them. A renamed exercise, step by step:

1. The admin stores the exercise with a CatalogueChange in one transaction, and wakes the task after commit.
2. The thread runs the task, which returns the seconds until its next run.
3. Where the process is killed in between, the task of another process finds the change within a minute.
4. An exception (`OperationalError: the database is down`) is logged, and the task runs again after its
   `retry_seconds`.
"""

import logging
import threading
from collections.abc import Callable
from typing import NoReturn

from django.db import connection

from fitness.db.faults import DATABASE_FAULTS, discard_connection

log = logging.getLogger("fitness.background")


class Task:
    """Repeated work. `run()` does what is due and returns the seconds until the next run."""

    def __init__(
        self, name: str, run: Callable[[], float], *, first_seconds: float = 0, retry_seconds: float
    ) -> None:
        self.name = name
        self.run = run
        self.first_seconds = first_seconds
        self.retry_seconds = retry_seconds
        self.woken = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self.repeat, name=self.name, daemon=True).start()

    def wake(self) -> None:
        """Runs the task now instead of at its time."""
        self.woken.set()

    def repeat(self) -> NoReturn:
        seconds = self.first_seconds
        while True:
            self.woken.wait(seconds)
            self.woken.clear()
            seconds = self.run_once()

    def run_once(self) -> float:
        try:
            return self.run()
        except Exception as error:  # of any kind: the thread must go on
            log.exception("%s failed and is tried again: %s", self.name, error)
            if isinstance(error, DATABASE_FAULTS):
                discard_connection(error)
            return self.retry_seconds
        finally:
            connection.close()  # of this thread
