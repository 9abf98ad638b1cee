"""What has to be done for the service as a whole, from time to time, in pieces between the turns of tasks."""

import logging
import time
from collections.abc import Callable, Iterator

from accounts.purge import purging_if_due
from fitness.db.faults import DATABASE_FAULTS
from fitness.site.work.alarms import Bell
from training.models.following import following_catalogue

log = logging.getLogger("fitness.worker")

PIECE_SECONDS = 0.5
RETRY_SECONDS = 10.0


class Chore:
    """Work that is repeated. `begin()` yields after each piece: then the worker may do other things."""

    def __init__(self, begin: Callable[[], Iterator[object]], *, every: float, first: float = 0) -> None:
        self.begin = begin
        self.every = every  # seconds from its end to its next beginning
        self.due = time.monotonic() + first
        self.pieces: Iterator[object] | None = None

    def do_some(self) -> bool:
        """Does pieces for a while, if it is time; returns whether there are more."""
        if self.pieces is None and time.monotonic() < self.due:
            return False
        try:
            return self.has_more()
        except Exception as error:
            self.end(RETRY_SECONDS)
            if isinstance(error, DATABASE_FAULTS):
                raise
            log.exception("%s failed and is tried again: %s", self.begin.__name__, error)
            return False

    def has_more(self) -> bool:
        until = time.monotonic() + PIECE_SECONDS
        self.pieces = self.begin() if self.pieces is None else self.pieces
        for _ in self.pieces:
            if time.monotonic() > until:
                return True
        self.end(self.every)
        return False

    def end(self, seconds: float) -> None:
        self.pieces, self.due = None, time.monotonic() + seconds


def chores() -> list[Chore]:
    return [
        Chore(Bell().ringing, every=0),
        Chore(following_catalogue, every=1),
        # The first time after a minute, when the requests that waited for the start are through.
        Chore(purging_if_due, every=600, first=60),
    ]
