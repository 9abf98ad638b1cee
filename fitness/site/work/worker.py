"""The process that does long work (`manage.py worker`), so that no request waits for it.

1. Two threads each take the task whose account was served the longest ago (accounts/models/task.py), and do
   steps of it (WORKS) for TURN_SECONDS. Then others come first. What has much to read, such as a large
   export, is left to the first thread: the second one is free soon.
2. A task that is done is deleted. The log has its id, its account and how long the turn took.
3. A thread rings alarms (`alarms`), another one does CHORES. The main one wakes those of tasks for a task.

Where a worker is killed, another one goes on with the task once it is held no longer; one that starts on the
same machine at once. Where a step raises an exception, the task is tried again later, five times.
"""

import datetime
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue

from django.db import close_old_connections, connection, transaction
from django.utils import timezone

from accounts.imports.models import ImportRun
from accounts.models import Account, StoredFile, Task
from accounts.models.task import MAX_FAILURES
from accounts.purge import purging_if_due
from fitness.db.faults import DATABASE_FAULTS, discard_connection
from fitness.site import account_data
from fitness.site.data import importing, preparing, steps
from fitness.site.work.alarms import Bell
from training.models import Plan
from training.models.catalogue_refresh import refreshing_from_catalogue

# Does the next step of a task; returns whether there are more. A long one calls `keep` every few seconds,
# which raises Interrupted where it is to end. What a step that died has stored is there when it is repeated.
Keep = Callable[[], None]
Work = Callable[[Task, Keep], bool]

CHORES = (purging_if_due, refreshing_from_catalogue)


def go_on_with_import(task: Task, keep: Keep) -> bool:
    run = ImportRun.objects.select_related("account").filter(account=task.account_id, pk=task.subject).first()
    if run is None:
        return False

    def has_read(done: int, total: int) -> None:
        task.done, task.total = done, total
        keep()

    try:
        has_more = steps.go_on(run, has_read)
    except importing.Busy:  # somebody has asked for something else meanwhile
        return True
    task.total = 0 if run.report else task.total  # what is left once it is read are small steps
    return has_more


def make_export(task: Task, keep: Keep) -> bool:
    exports = StoredFile.objects.exports().select_related("account")
    file = exports.filter(account=task.account_id, pk=task.subject).first()
    if file is None or file.is_whole:
        return False

    def has_stored() -> None:
        task.done = file.size
        keep()

    preparing.make(file, has_stored)
    return False


def detach_deleted_plan(task: Task, keep: Keep) -> bool:
    deleted = Plan._base_manager.exclude(deleted_at=None).filter(account=task.account_id, pk=task.subject)
    with transaction.atomic():
        task.account.lock()
        plan = deleted.first()
        return plan is not None and plan.detach_some()


def go_on_with_deletion(task: Task, keep: Keep) -> bool:
    return account_data.delete_some(task.account)


WORKS: Mapping[str, Work] = {
    Task.Kind.IMPORT: go_on_with_import,
    Task.Kind.EXPORT: make_export,
    Task.Kind.PLAN_DELETION: detach_deleted_plan,
    Task.Kind.ACCOUNT_DELETION: go_on_with_deletion,
}


log = logging.getLogger("fitness.worker")

TURN_SECONDS = 0.5
LOOK_SECONDS = 1
PURGE_SECONDS = 600
FAULT_SECONDS, UNEXPECTED_SECONDS = 2.0, 10.0  # of waiting after one
# Which threads have something to do. Each second, so these are no QuerySets; a cluster takes one at a time.
LOOKS = {
    ("long", "short"): f"SELECT 1 FROM accounts_task WHERE failures < {MAX_FAILURES} LIMIT 1",
    ("alarms",): "SELECT 1 FROM accounts_alarm WHERE due_at <= %s LIMIT 1",
    ("chores",): "SELECT 1 FROM training_cataloguechange LIMIT 1",
}


class Interrupted(Exception):
    """In the middle of a step: the worker stops, or the task is not its own any more."""


class Worker:
    """`chores` yield between transactions."""

    def __init__(self, works: Mapping[str, Work], chores: Sequence[Callable[[], Iterator[object]]]) -> None:
        self.works, self.chores, self.bell = works, chores, Bell()
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self.stopping = threading.Event()
        self.woken = {name: threading.Event() for name in ("long", "short", "chores")}
        self.woken["alarms"] = self.bell.woken
        self.purge_at = time.monotonic() + 60  # when the requests that waited for the start are through
        self.signals: SimpleQueue[int] = SimpleQueue()  # handlers may put into it at any moment

    def run(self) -> None:
        """Works until SIGTERM or SIGINT, then ends after the current steps."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: self.signals.put(number))
        log.info("worker %s works", self.name)
        self.free_abandoned(self.has_died)
        acts = {
            "long": self.take_turn,
            "short": partial(self.take_turn, long_too=False),
            "alarms": self.bell.ring_some,
            "chores": self.do_chores,
        }
        threads = [threading.Thread(target=self.repeat, args=[act], name=name) for name, act in acts.items()]
        for thread in threads:
            thread.start()
        while not self.is_told_to_stop() and all(thread.is_alive() for thread in threads):
            self.safely(self.look_for_work)
        self.stopping.set()
        for woken in self.woken.values():
            woken.set()
        for thread in threads:
            thread.join()

    def is_told_to_stop(self) -> bool:
        with suppress(Empty):
            return bool(self.signals.get(timeout=LOOK_SECONDS))
        return False

    def look_for_work(self) -> bool:
        """Wakes the threads that have something to do."""
        soon = timezone.now() + datetime.timedelta(seconds=LOOK_SECONDS)
        with connection.cursor() as cursor:
            for names, sql in LOOKS.items():
                cursor.execute(sql, [connection.ops.adapt_datetimefield_value(soon)] * sql.count("%s"))
                if cursor.fetchone():
                    self.wake(*names)
        if time.monotonic() >= self.purge_at:
            self.purge_at += PURGE_SECONDS
            self.wake("chores")
        return False

    def wake(self, *names: str) -> None:
        for name in names:
            self.woken[name].set()

    def repeat(self, act: Callable[[], bool]) -> None:
        """What a thread does, whatever happens. While nothing is left to do it waits until it is woken."""
        name = threading.current_thread().name
        while not self.stopping.is_set():
            if not self.safely(act):
                close_old_connections()
                self.woken[name].wait(self.bell.pause() if name == "alarms" else None)
                self.woken[name].clear()
        connection.close()

    def safely(self, act: Callable[[], bool]) -> bool:
        """Does something, and waits where that fails."""
        try:
            return act()
        except DATABASE_FAULTS as fault:
            log.warning("the database does not answer, and the work goes on later: %s", fault)
            discard_connection(fault)
            self.stopping.wait(FAULT_SECONDS)
            self.free_abandoned(self.holder.__eq__)
        except Exception as error:
            log.exception("the work goes on later: %s", error)
            self.stopping.wait(UNEXPECTED_SECONDS)
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
        if host != socket.gethostname() or int(process) == os.getpid():
            return host == socket.gethostname()
        with suppress(PermissionError):  # it is alive, and somebody else's
            try:
                os.kill(int(process), 0)
            except ProcessLookupError:
                return True
        return False

    def do_chores(self) -> bool:
        for chore in self.chores:
            for _ in chore():
                if self.stopping.is_set():
                    return False
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
