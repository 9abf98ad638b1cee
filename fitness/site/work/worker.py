"""The process that does long work (`manage.py worker`), so that no request waits for it.

1. Two threads each take the task whose account was served the longest ago (accounts/models/task.py), and do
   steps of it (`kinds`) for TURN_SECONDS. Then others come first. What has much to read, such as a large
   export, is left to the first thread: the second one is free soon.
2. A task that is done is deleted. The log has its id, its account and how long the turn took.
3. A thread rings alarms (`alarms`), another one does chores. The main one wakes those of tasks for a task.

Where a worker is killed, another one goes on with the task once it is held no longer; one that starts on the
same machine at once. Where a step raises an exception, the task is tried again later, five times.
"""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue

from django.db import close_old_connections, connection

from accounts.models import Account, Task
from accounts.models.task import MAX_FAILURES
from fitness.db.faults import DATABASE_FAULTS, discard_connection
from fitness.site.work.alarms import Bell
from fitness.site.work.kinds import Work

log = logging.getLogger("fitness.worker")

TURN_SECONDS = 0.5
LOOK_SECONDS = 1.0
FAULT_SECONDS = 2.0  # of waiting after one
LOOK = "SELECT 1 FROM accounts_task WHERE failures < %s LIMIT 1"  # each second, so without a QuerySet

Chore = Callable[[], Iterator[object]]  # yields between transactions


class Interrupted(Exception):
    """In the middle of a step: the worker stops, or the task is not its own any more."""


class Worker:
    """`chores` have the seconds after which they are begun again."""

    def __init__(self, works: Mapping[str, Work], chores: Mapping[Chore, float]) -> None:
        self.works, self.chores = works, chores
        self.due_at = {chore: time.monotonic() + min(seconds, 60) for chore, seconds in chores.items()}
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self.stopping = threading.Event()
        self.looked = threading.Condition()  # notified when there may be a task
        self.signals: SimpleQueue[int] = SimpleQueue()  # handlers may put into it at any moment

    def run(self) -> None:
        """Works until SIGTERM or SIGINT, then ends after the current steps."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: self.signals.put(number))
        log.info("worker %s works", self.name)
        self.free_abandoned(self.has_died)
        bell = Bell()
        threads = [
            threading.Thread(target=self.repeat, args=args, name=name)
            for name, *args in (
                ("long", self.take_turn, self.wait),
                ("short", partial(self.take_turn, long_too=False), self.wait),
                ("alarms", bell.ring_some, bell.wait),
                ("chores", self.do_chores, partial(self.stopping.wait, LOOK_SECONDS)),
            )
        ]
        for thread in threads:
            thread.start()
        while not self.is_told_to_stop():
            self.safely(self.look)
        self.stopping.set()
        for thread in threads:
            while thread.is_alive():
                bell.woken.set()
                self.wake()
                thread.join(0.05)

    def is_told_to_stop(self) -> bool:
        with suppress(Empty):
            return bool(self.signals.get(timeout=LOOK_SECONDS))
        return False

    def look(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(LOOK, [MAX_FAILURES])
            if cursor.fetchone():
                self.wake()
        return False

    def wake(self) -> None:
        with self.looked:
            self.looked.notify_all()

    def wait(self) -> None:
        with self.looked:
            self.looked.wait()

    def repeat(self, act: Callable[[], bool], wait: Callable[[], object]) -> None:
        """What a thread does: waits whenever nothing is left to do."""
        while not self.stopping.is_set():
            if not self.safely(act):
                wait()

    def safely(self, act: Callable[[], bool]) -> bool:
        """Does something, and waits where that fails: the thread goes on whatever happens."""
        try:
            return act()
        except DATABASE_FAULTS as fault:
            log.warning("the database does not answer, and the work goes on later: %s", fault)
            discard_connection(fault)
            self.stopping.wait(FAULT_SECONDS)
            self.free_abandoned(self.holder.__eq__)
        except Exception as error:
            log.exception("the work goes on later: %s", error)
            self.stopping.wait(FAULT_SECONDS)
        finally:
            close_old_connections()
        return True

    @property
    def holder(self) -> str:
        return f"{self.name}:{threading.current_thread().name}"

    def free_abandoned(self, is_abandoned: Callable[[str], bool]) -> None:
        with suppress(*DATABASE_FAULTS):
            holders = set(Task.objects.held().values_list("holder", flat=True))
            Task.objects.filter(holder__in=[*filter(is_abandoned, holders)]).update(holder="")

    def has_died(self, holder: str) -> bool:
        """Whether a process of this machine has held tasks before this one, and is no more."""
        host, process, *_ = holder.split(":")
        return host == socket.gethostname() and (int(process) == os.getpid() or not is_alive(int(process)))

    def do_chores(self) -> bool:
        for chore, seconds in self.chores.items():
            if time.monotonic() >= self.due_at[chore]:
                self.due_at[chore] = time.monotonic() + seconds
                for _ in chore():
                    if self.stopping.is_set():
                        break
        return False

    def take_turn(self, *, long_too: bool = True) -> bool:
        """Does steps of a task; returns whether there was one."""
        for task in Task.objects.next_ones(long_too=long_too):
            if task.hold(self.holder):
                self.do_some(task)
                return True
        return False

    def do_some(self, task: Task) -> None:
        began = time.monotonic()
        try:
            while has_more := self.works[task.kind](task, partial(self.keep, task)):
                self.keep(task)
                if time.monotonic() - began >= TURN_SECONDS:
                    break
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
            task.release(has_more=has_more)
            outcome = "goes on" if has_more else "done"
        facts = {"task": str(task.pk), "kind": task.kind, "account": str(task.account_id), "outcome": outcome}
        log.info("task", extra=facts | {"seconds": round(time.monotonic() - began, 3)})

    def keep(self, task: Task) -> None:
        """Holds a task for longer. Raises Interrupted."""
        if self.stopping.is_set() or not task.keep():
            raise Interrupted


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
