"""The process that does long work (`manage.py worker`), so that no request waits for it.

Tasks are rows (accounts/models/task.py), of which each account has one done at a time. Step by step:

1. The worker takes the task whose account was served the longest ago, and holds it for half a minute.
2. It does steps of the task (fitness/site/work/kinds.py) until TURN_SECONDS are over. Then others come first.
   A long step, such as an export, lets others have a turn in its middle, whenever it reports (`keep`).
3. A task that is done is deleted. The log has its id, its account and how long the turn took.
4. Between turns it does a piece of the chores that are due.

Where a worker is killed, another one goes on with the task once it is held no longer; one that starts on the
same machine at once. Where a step raises an exception, the task is tried again later, five times.
"""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from django.db import close_old_connections

from accounts.models import Account, Task
from accounts.models.task import MAX_FAILURES
from fitness.db.faults import DATABASE_FAULTS, discard_connection
from fitness.site.work.chores import Chore
from fitness.site.work.kinds import Work

log = logging.getLogger("fitness.worker")

TURN_SECONDS = 1.0
IDLE_SECONDS = 0.3  # between two looks for tasks
FAULT_SECONDS = 2.0  # after a fault of the database


class Interrupted(Exception):
    """In the middle of a step: the worker stops, or the task is not its own any more."""


class Worker:
    def __init__(self, works: Mapping[str, Work], chores: Sequence[Chore]) -> None:
        self.works = works
        self.chores = chores
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self.stopping = threading.Event()
        self.turn_began = 0.0
        self.in_the_middle: Task | None = None  # of a long step, while others have a turn

    def run(self) -> None:
        """Works until SIGTERM or SIGINT, then ends after the current step."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        log.info("worker %s works", self.name)
        self.free_abandoned()
        while not self.stopping.is_set():
            if not self.work():
                self.stopping.wait(IDLE_SECONDS)

    def stop(self, *_: object) -> None:
        self.stopping.set()

    def free_abandoned(self) -> None:
        """Frees what a worker of this machine held that has died."""
        with suppress(*DATABASE_FAULTS):
            holders = Task.objects.held().values_list("holder", flat=True)
            dead = [holder for holder in set(holders) if self.has_died(holder)]
            Task.objects.filter(holder__in=dead).update(holder="")

    def has_died(self, holder: str) -> bool:
        host, _, process = holder.rpartition(":")
        return host == socket.gethostname() and (holder == self.name or not is_alive(int(process)))

    def work(self) -> bool:
        """Does one turn and some of the chores; returns whether there was anything to do."""
        close_old_connections()
        try:
            has_worked = self.take_turn()
            for chore in self.chores:
                has_worked |= chore.do_some()
        except DATABASE_FAULTS as fault:
            log.warning("the database does not answer, and the work goes on later: %s", fault)
            discard_connection(fault)
            self.stopping.wait(FAULT_SECONDS)
            self.free_abandoned()
            return True
        return has_worked

    def take_turn(self) -> bool:
        for task in Task.objects.first_of_each_account():
            if task.hold(self.name):
                self.do_some(task)
                return True
        return False

    def do_some(self, task: Task) -> None:
        """Does steps of a task that is held, until its turn is over."""
        started = time.monotonic()
        try:
            has_more = self.step(task)
            while has_more and not self.is_over(started):
                has_more = self.step(task)
        except Interrupted:
            task.release()
            outcome = "interrupted"
        except Account.DoesNotExist:  # deleted meanwhile, with what its tasks are about
            task.delete()
            outcome = "of a deleted account"
        except DATABASE_FAULTS:
            raise
        except Exception as error:
            log.exception("task %s of account %s failed: %s", task.pk, task.account_id, error)
            task.fail(f"{type(error).__name__}: {error}")
            outcome = "given up" if task.failures + 1 == MAX_FAILURES else "failed"
        else:
            outcome = "goes on" if has_more else "done"
            task.release() if has_more else task.finish()
        self.note(task, outcome, time.monotonic() - started)

    def step(self, task: Task) -> bool:
        self.turn_began = time.monotonic()
        has_more = self.works[task.kind](task, lambda: self.keep(task))
        if has_more and not task.keep():
            raise Interrupted
        return has_more

    def is_over(self, started: float) -> bool:
        return self.stopping.is_set() or time.monotonic() - started >= TURN_SECONDS

    def keep(self, task: Task) -> None:
        """Holds a task for longer in the middle of a step. Raises Interrupted.

        Once its turn is over another task has one, in whose middle in turn nobody has.
        """
        if self.stopping.is_set() or not task.keep():
            raise Interrupted
        if self.in_the_middle:
            self.in_the_middle.keep()
        elif self.is_over(self.turn_began):
            self.in_the_middle = task
            try:
                self.take_turn()
            finally:
                self.in_the_middle, self.turn_began = None, time.monotonic()

    def note(self, task: Task, outcome: str, seconds: float) -> None:
        extra = {
            "task": str(task.pk),
            "kind": task.kind,
            "account": str(task.account_id),
            "outcome": outcome,
            "seconds": round(seconds, 3),
        }
        log.info("task", extra=extra)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
