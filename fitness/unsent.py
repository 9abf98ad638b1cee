"""What was made of a response and the client has not taken yet."""

import select
import socket
from contextlib import suppress


class Unsent:
    """gunicorn's Response writes to it as to a socket; nothing waits for the client."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
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
            self.taken += self.sock.send(memoryview(data)[self.taken :], socket.MSG_DONTWAIT)
        if self.taken == len(data):
            self.clear()
            return True
        self.pieces = [data]
        return False

    def send_all(self, seconds: float) -> None:
        """Waits for the client. Raises TimeoutError when it takes nothing for so long."""
        writable = select.poll()
        writable.register(self.sock, select.POLLOUT)
        while not self.send():
            if not writable.poll(seconds * 1000):
                raise TimeoutError("a client takes nothing of its answer")
