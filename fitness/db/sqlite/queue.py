"""The writers of a process queue for SQLite's one writer, in the order in which they come.

SQLite itself has no queue: whoever waits asks again, more and more rarely, and under load somebody else has
always come in between. With eight clients one write in a hundred waited for seconds.
"""

import threading
from collections import deque
from functools import cache


class WriterQueue:
    """The writers of a process that have begun or wait, in their order; the first of them has its turn."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.turns: deque[threading.Event] = deque()

    def enter(self, seconds: float) -> bool:
        """Waits for its turn, and returns whether it came in this time: then `leave` has to follow."""
        turn = threading.Event()
        with self.guard:
            self.turns.append(turn)
            if self.turns[0] is turn:
                return True
        turn.wait(seconds)
        with self.guard:
            if self.turns[0] is turn:
                return True
            self.turns.remove(turn)
        return False

    def leave(self) -> None:
        with self.guard:
            self.turns.popleft()
            if self.turns:
                self.turns[0].set()


@cache
def queue_of(database: str) -> WriterQueue:
    return WriterQueue()
