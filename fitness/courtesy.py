"""How long work, an import for example, leaves room for the other requests of its process.

A thread that computes keeps Python's interpreter from the others. Long work is done inside `considerate`,
which lets other requests go first:

1. `RequestLog` keeps one entry in `requests` for each request that has begun and not ended.
2. Long work calls `give_way` between its records; before each of its statements that happens by itself.
3. `give_way` waits while another request is there, but at most SHARE times as long as it has worked since it
   last waited: under any load the work gets its part of the time.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import connection

REST = 1.0  # after a transaction, as a share of the time that it took
MAX_REST_SECONDS = 0.1
SHARE = 4
MAX_WAIT_SECONDS = 0.05
LOOK_SECONDS = 0.002  # between two looks whether the others have ended
# How long one thread may keep the interpreter from others. Python's 5 ms come once for each statement of a
# request, which waits for the database without the interpreter and then for its turn.
TURN_SECONDS = 0.0001

requests: list[None] = []  # one for each that is in progress; appending and popping need no lock
at_work = 0  # of the requests
guard = threading.Lock()
usual_turn = sys.getswitchinterval()
worked_since: ContextVar[float | None] = ContextVar("worked_since", default=None)


@contextmanager
def considerate() -> Iterator[None]:
    """Inside, other requests of this process go first."""
    count(1)
    token = worked_since.set(time.monotonic())
    try:
        with connection.execute_wrapper(before_statement):
            yield
    finally:
        worked_since.reset(token)
        count(-1)


def count(change: int) -> None:
    global at_work
    with guard:
        at_work += change
        sys.setswitchinterval(TURN_SECONDS if at_work else usual_turn)


def before_statement(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    give_way()
    return execute(sql, params, many, context)


def give_way() -> None:
    """Waits for other requests, inside `considerate`; elsewhere it does nothing."""
    since = worked_since.get()
    if since is None or len(requests) <= at_work:
        return
    now = time.monotonic()
    until = now + min((now - since) * SHARE, MAX_WAIT_SECONDS)
    while len(requests) > at_work and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    worked_since.set(time.monotonic())


@contextmanager
def followed_by_rest(share: float = REST) -> Iterator[None]:
    """Rests after a transaction, so that others find processors free, and SQLite's one writer, for which they
    poll.
    """
    started = time.monotonic()
    yield
    time.sleep(min((time.monotonic() - started) * share, MAX_REST_SECONDS))
