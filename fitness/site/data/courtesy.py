"""How long work leaves room for the other requests of its process."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

REST = 0.25  # after a batch, as a share of the time that it took
MAX_REST_SECONDS = 0.1
# How long one thread may keep the interpreter from others. Python's 5 ms come once for each statement of a
# request, which waits for the database without the interpreter and then for its turn.
TURN_SECONDS = 0.0005

at_work = 0
guard = threading.Lock()
usual_turn = sys.getswitchinterval()


@contextmanager
def short_turns() -> Iterator[None]:
    """Inside, other threads of this process wait a tenth of the usual time for the interpreter."""
    count(1)
    try:
        yield
    finally:
        count(-1)


def count(change: int) -> None:
    global at_work
    with guard:
        at_work += change
        sys.setswitchinterval(TURN_SECONDS if at_work else usual_turn)


@contextmanager
def followed_by_rest() -> Iterator[None]:
    """Rests after a batch, so that others who wait for SQLite's one writer find it free."""
    started = time.monotonic()
    yield
    time.sleep(min((time.monotonic() - started) * REST, MAX_REST_SECONDS))
