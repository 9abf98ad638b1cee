"""The worker beside the web processes: gunicorn's parent process starts it, and ends it with itself.

1. `start` begins a thread of the parent. A second later, when the web processes are on their way, it starts
   `manage.py worker`.
2. Where the worker dies, a line is logged, and another one is started a second later. Where workers die soon
   after their start, each pause is twice as long as the one before, up to half a minute.
3. When gunicorn begins to stop, it closes its listeners. Then the worker gets SIGTERM, and ends after its
   step while the last requests are answered. `end` waits for it, at most for graceful_timeout.

Where the parent is killed, the worker notices it and ends by itself. Web processes are forks of the parent,
and have none of its threads.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, str(Path(__file__).resolve().parent.parent / "manage.py"), "worker"]
STABLE_SECONDS = 10
MAX_PAUSE = 30

keeper: "Keeper | None" = None


def start(server: Any, environment: Mapping[str, str]) -> None:
    """For gunicorn's when_ready. `server` is its Arbiter."""
    global keeper
    keeper = Keeper(server, environment)
    keeper.start()


def restart() -> None:
    """For on_reload: the next worker runs the code of the new web processes."""
    if keeper:
        keeper.restart()


def end() -> None:
    """For on_exit."""
    if keeper:
        keeper.end()


class Keeper(threading.Thread):
    """Keeps a worker running while gunicorn does."""

    def __init__(self, server: Any, environment: Mapping[str, str]) -> None:
        super().__init__(name="worker", daemon=True)
        self.server = server
        self.environment = environment
        self.ending = threading.Event()
        self.is_restarting = False
        self.process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        pause = 1
        while not self.ends_within(pause):
            began = time.monotonic()
            self.start_worker()
            while self.is_alive_yet() and not self.ends_within(1):
                pass
            if self.is_alive_yet():
                break
            if self.is_restarting:
                self.is_restarting, pause = False, 0
                continue
            pause = 1 if time.monotonic() - began > STABLE_SECONDS else min(2 * pause or 1, MAX_PAUSE)
            if not self.ends_within(0):
                self.server.log.error("The worker has ended, and another one starts in %s s.", pause)
        self.end_worker()

    def ends_within(self, seconds: int) -> bool:
        """Whether gunicorn stops, for which it waits so long: Arbiter.stop closes the listeners first."""
        return not self.server.LISTENERS or any(
            self.ending.wait(1) or not self.server.LISTENERS for _ in range(seconds)
        )

    def start_worker(self) -> None:
        command = [*COMMAND, "--parent", str(os.getpid())]
        try:
            # In a session of its own: Ctrl+C is for gunicorn, which ends the worker.
            self.process = subprocess.Popen(command, env=self.environment, start_new_session=True)
        except OSError as fault:  # no memory, or no room for another process
            self.process = None
            self.server.log.error("The worker does not start: %s", fault)

    def is_alive_yet(self) -> bool:
        """gunicorn reaps all children of its process, so how a worker ended may be unknown."""
        return self.process is not None and self.process.poll() is None

    def end_worker(self) -> None:
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(self.server.cfg.graceful_timeout)
        except subprocess.TimeoutExpired:  # another worker begins its step anew
            self.process.kill()

    def restart(self) -> None:
        if self.process:
            self.is_restarting = True
            self.process.terminate()

    def end(self) -> None:
        self.ending.set()
        self.join()
