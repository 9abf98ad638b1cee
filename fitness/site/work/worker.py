"""The process that does long work (`manage.py worker`), so that no request waits for it.

1. Two threads each take the task whose account was served the longest ago (accounts/models/task.py), and do
   steps of it (WORKS) for TURN_SECONDS. Then others come first. What has much to read, such as a large
   export, is left to the first thread: the second one is free soon.
2. A task that is done is deleted. The log has its id, its account and how long the turn took.
3. A thread rings alarms (`alarms`), another one does CHORES.
4. A thread looks once a second whether there is something to do, and wakes those that do it.

Where a worker is killed, or its database is away, the task goes on once it is held no longer (HELD_FOR).
Where a step raises an exception, the task is tried again later, five times.
"""

import datetime
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain

from django.db import close_old_connections, connection
from django.utils import timezone

from accounts.models import Account, Task
from accounts.models.task import MAX_FAILURES
from accounts.purge import purging_if_due
from fitness.db.constants import adapted
from fitness.db.faults import DATABASE_FAULTS, discard_connection
from fitness.site import account_data
from fitness.site.data import preparing, steps
from fitness.site.work.alarms import Bell
from training.models import Plan
from training.models.catalogue_refresh import refreshing_from_catalogue

# Does the next step of a task; returns whether there are more. A long one calls `keep` every few seconds,
# which raises Interrupted where it is to end. What a step that died has stored is there when it is repeated.
Work = Callable[[Task, Callable[[], None]], bool]

WORKS: Mapping[str, Work] = {
    Task.Kind.IMPORT: steps.do_task,
    Task.Kind.EXPORT: preparing.do_task,
    Task.Kind.PLAN_DELETION: lambda task, keep: Plan.go_on_with_removal(task.account, task.subject),
    Task.Kind.ACCOUNT_DELETION: lambda task, keep: account_data.delete_some(task.account),
}
CHORES = (purging_if_due, refreshing_from_catalogue)
log = logging.getLogger("fitness.worker")

TURN_SECONDS, LOOK_SECONDS, FAULT_SECONDS, PURGE_SECONDS = 0.5, 1.0, 2.0, 600.0
ENDING = (signal.SIGTERM, signal.SIGINT)
# Whether there is something to do. Each second, so these are no QuerySets; a cluster takes one at a time.
TASKS = f"SELECT 1 FROM accounts_task WHERE failures < {MAX_FAILURES} LIMIT 1"
ALARMS = "SELECT 1 FROM accounts_alarm WHERE due_at <= %s LIMIT 1"
CHANGES = "SELECT 1 FROM training_cataloguechange LIMIT 1"


def has_rows(sql: str, *parameters: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchone() is not None


class Interrupted(Exception):
    """In the middle of a step: the worker stops, or the task is not its own any more."""


class Worker:
    """`chores` yield between transactions."""

    def __init__(self, works: Mapping[str, Work], chores: Sequence[Callable[[], Iterator[object]]]) -> None:
        self.works, self.chores, self.bell = works, chores, Bell()
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self.stopping = threading.Event()
        self.acts: dict[str, Callable[[], bool]] = {
            "look": self.look,
            "long": self.take_turn,
            "short": partial(self.take_turn, long_too=False),
            "alarms": self.bell.go_on,
            "chores": self.do_chores,
        }
        self.woken = {name: threading.Event() for name in self.acts}

    def run(self) -> None:
        """Works until SIGTERM or SIGINT, then ends after the current steps."""
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # in every thread: they are for `sigwait`
        log.info("worker %s works", self.name)
        with ThreadPoolExecutor(len(self.acts), thread_name_prefix="thread") as threads:
            for name in self.acts:
                thread = threads.submit(self.repeat, name)
                # Without one of its threads a worker ends, and is started anew.
                thread.add_done_callback(lambda _: os.kill(os.getpid(), signal.SIGTERM))
            signal.sigwait(ENDING)
            self.stopping.set()
            self.wake()

    def repeat(self, name: str) -> None:
        """What a thread does, whatever happens. While nothing is left to do it waits until it is woken."""
        while not self.stopping.is_set():
            if not self.safely(self.acts[name]):
                close_old_connections()
                self.woken[name].wait(PURGE_SECONDS)
                self.woken[name].clear()
        connection.close()

    def look(self) -> bool:
        """Wakes the threads where there is something to do, and waits for the next look."""
        soon = timezone.now() + datetime.timedelta(seconds=LOOK_SECONDS)
        if has_rows(TASKS) or has_rows(ALARMS, adapted(soon)) or has_rows(CHANGES):
            self.wake()
        self.stopping.wait(LOOK_SECONDS)
        return True

    def wake(self) -> None:
        for woken in self.woken.values():
            woken.set()

    def safely(self, act: Callable[[], bool]) -> bool:
        """Does something; where that fails, mostly because of the database, it waits."""
        try:
            return act()
        except Exception as error:
            is_fault = isinstance(error, DATABASE_FAULTS)  # it says all that there is to know
            log.error("the work goes on later: %s", error, exc_info=not is_fault)
            discard_connection(error)
            self.stopping.wait(FAULT_SECONDS)
            return True

    def do_chores(self) -> bool:
        for _ in chain.from_iterable(chore() for chore in self.chores):
            if self.stopping.is_set():
                break
        return False

    def take_turn(self, *, long_too: bool = True) -> bool:
        """Does steps of a task; returns whether there was one."""
        for task in Task.objects.next_ones(long_too=long_too):
            if task.hold(f"{self.name}:{threading.current_thread().name}"):
                self.do_some(task)
                return True
        return False

    def do_some(self, task: Task) -> None:
        began = time.monotonic()
        facts = {"task": str(task.pk), "kind": task.kind, "account": str(task.account_id)}
        facts["outcome"] = self.outcome(task)
        log.info("task", extra=facts | {"seconds": round(time.monotonic() - began, 3)})

    def outcome(self, task: Task) -> str:
        """Does steps of a task for TURN_SECONDS; returns what has come of them."""
        ends_at, has_more = time.monotonic() + TURN_SECONDS, True
        try:
            while has_more:
                has_more = self.works[task.kind](task, partial(self.keep, task))
                self.keep(task)
                if time.monotonic() >= ends_at:
                    break
        except Interrupted:
            pass
        except Account.DoesNotExist:  # deleted meanwhile, with what its tasks are about
            has_more = False
        except DATABASE_FAULTS:
            raise
        except Exception as error:
            log.exception("task %s of account %s failed: %s", task.pk, task.account_id, error)
            task.fail(f"{type(error).__name__}: {error}")
            return "given up" if task.failures + 1 == MAX_FAILURES else "failed"
        task.release(has_more=has_more)
        return "goes on" if has_more else "done"

    def keep(self, task: Task) -> None:
        """Holds a task for longer. Raises Interrupted."""
        if self.stopping.is_set() or not task.keep():
            raise Interrupted
