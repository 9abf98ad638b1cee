"""How long clients keep a thread waiting that reads a body or sends a response."""

import fcntl
import math
import socket
import sys
import termios
import time
from contextlib import suppress

from gunicorn.http.unreader import SocketUnreader


class TimedUnreader(SocketUnreader):  # type: ignore[misc]  # gunicorn is untyped
    """Reads a body. Raises TimeoutError after a pause, and when the time for all of it is over."""

    def __init__(self, sock: socket.socket, pause_seconds: float) -> None:
        super().__init__(sock)
        self.pause_seconds = pause_seconds
        self.ends_at = math.inf

    def chunk(self, size_hint: int | None = None) -> bytes:
        timeout = self.sock.gettimeout()  # also set where gunicorn drops an unread body
        seconds = min(timeout or math.inf, self.pause_seconds, self.ends_at - time.monotonic())
        if seconds <= 0:
            raise TimeoutError("the body takes too long")
        self.sock.settimeout(seconds)
        try:
            return bytes(super().chunk(size_hint))
        finally:
            self.sock.settimeout(timeout)


class Unsent:
    """What was made of a response and the client has not taken. gunicorn writes to it as to a socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.sent = 0  # to the kernel
        self.arrived = 0
        self.clear()

    def clear(self) -> None:
        self.pieces: list[bytes] = []
        self.size = 0  # bytes in memory, with those that were taken
        self.taken = 0

    def sendall(self, data: bytes) -> None:
        self.pieces.append(data)
        self.size += len(data)

    def send(self) -> bool:
        """Sends what the client takes at once. Returns whether that is all. Raises OSError if it is gone."""
        if not self.pieces:
            return True
        data = b"".join(self.pieces)  # of one piece no copy
        with suppress(BlockingIOError):
            count = self.sock.send(memoryview(data)[self.taken :], socket.MSG_DONTWAIT)
            self.taken += count
            self.sent += count
        if self.taken == len(data):
            self.clear()
            return True
        self.pieces = [data]
        return False

    def has_moved(self) -> bool:
        """Whether something has arrived since this was asked before.

        The kernel holds megabytes for a client, so that a slow one takes much before more can be sent.
        """
        try:
            held = fcntl.ioctl(self.sock, termios.TIOCOUTQ, bytes(4))
        except OSError:  # the client is gone
            return False
        before, self.arrived = self.arrived, self.sent - int.from_bytes(held, sys.byteorder)
        return self.arrived > before
