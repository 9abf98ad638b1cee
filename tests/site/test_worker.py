"""Long work beside the web processes: whose turn it is, what follows a death, and what is seen."""

import datetime
import os
import socket

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.models import Task
from accounts.models.task import HELD_FOR, MAX_FAILURES
from accounts.purge import purge
from fitness.site.work import chores, worker
from fitness.site.work.chores import Chore
from fitness.site.work.worker import Worker
from tests.factories import AccountFactory

KIND = Task.Kind.EXPORT
SECOND = datetime.timedelta(seconds=1)


@pytest.fixture(autouse=True)
def connection_of_the_test(monkeypatch):
    """On PostgreSQL a worker would close it with the transaction of the test."""
    monkeypatch.setattr(worker, "close_old_connections", lambda: None)


class Log:
    """Work of a number of steps, which notes whose step was done."""

    def __init__(self, steps=3):
        self.steps = steps
        self.done = []

    def __call__(self, task, keep):
        self.done.append((task.account.display_name, task.subject))
        task.done += 1
        return task.done < self.steps


def person(name):
    return AccountFactory(display_name=name)


def ask(account, subject="", size=0):
    Task.objects.ask(account.pk, KIND, subject, size)


def worker_with(work, *chores, name="here:1"):
    made = Worker({KIND: work}, chores)
    made.name = name
    return made


def work_off(worker):
    while worker.work():
        pass


@pytest.fixture
def short_turns(monkeypatch):
    monkeypatch.setattr(worker, "TURN_SECONDS", 0)


def the_task():
    return Task.objects.get()


# --- Turns -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("db", "short_turns")
def test_accounts_take_turns_and_each_has_one_task_done_at_a_time(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    work = Log(steps=2)
    one, other = person("one"), person("other")
    for account, subject in ((one, "a"), (one, "b"), (other, "c")):
        ask(account, subject)
        time_machine.shift(SECOND)
    here = worker_with(work)
    while here.work():
        time_machine.shift(SECOND)
    assert work.done == [
        *(("one", "a"), ("other", "c"), ("one", "a"), ("other", "c")),
        *(("one", "b"), ("one", "b")),
    ]
    assert not Task.objects.exists()


@pytest.mark.usefixtures("db", "short_turns")
def test_a_large_file_does_not_keep_a_small_one_waiting():
    work = Log(steps=1)
    ask(person("large"), size=20_000_000)
    ask(person("small"), size=1_000)
    work_off(worker_with(work))
    assert [name for name, _ in work.done] == ["small", "large"]


@pytest.mark.usefixtures("db", "short_turns")
def test_a_long_step_lets_others_have_a_turn_in_its_middle(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    for name in ("long", "other", "another"):
        ask(person(name))
        time_machine.shift(SECOND)
    done = []

    def work(task, keep):
        name = task.account.display_name
        for piece in range(3 if name == "long" else 1):
            done.append(f"{name} {piece}")
            keep()
        return False

    assert worker_with(work).work()
    assert done == ["long 0", "other 0", "long 1", "another 0", "long 2"]
    assert not Task.objects.exists()


@pytest.mark.django_db
def test_the_same_task_is_asked_for_once():
    account = person("one")
    for _ in range(2):
        ask(account, "a")
    assert Task.objects.count() == 1


@pytest.mark.django_db
def test_two_workers_never_do_one_task_nor_two_of_one_account():
    account = person("one")
    ask(account, "a")
    ask(account, "b")
    inner = worker_with(Log(), name="there:2")

    def look_elsewhere(task, keep):
        assert not inner.take_turn()
        return False

    assert worker_with(look_elsewhere).take_turn()
    assert the_task().subject == "b"


@pytest.mark.django_db
def test_what_is_asked_for_while_its_task_is_done_is_not_lost():
    account = person("one")
    ask(account)
    asked = []

    def ask_again(task, keep):
        if not asked:
            asked.append(ask(account))
        return False

    here = worker_with(ask_again)
    assert here.take_turn()
    assert Task.objects.count() == 1
    assert here.take_turn()
    assert not Task.objects.exists()


# --- Deaths and failures ---------------------------------------------------------------------------------


def die(task, keep):
    raise KeyboardInterrupt


def dead(name):
    """A worker that has died in the middle of a step."""
    ask(person("one"))
    with pytest.raises(KeyboardInterrupt):
        worker_with(die, name=name).work()


@pytest.mark.django_db
def test_another_worker_goes_on_once_the_dead_one_holds_the_task_no_longer(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    dead("elsewhere:7")
    work = Log(steps=1)
    here = worker_with(work)
    here.free_abandoned()
    assert not here.work()
    time_machine.shift(HELD_FOR + SECOND)
    assert here.work()
    assert len(work.done) == 1


@pytest.mark.django_db
def test_the_next_worker_of_a_machine_goes_on_at_once(monkeypatch):
    host = socket.gethostname()
    dead(f"{host}:4194303")  # no process has this number, or a short-lived one
    work = Log(steps=1)
    here = worker_with(work, name=f"{host}:{os.getpid()}")
    here.free_abandoned()
    assert here.work()
    assert work.done == [("one", "")]


@pytest.mark.django_db
def test_a_worker_whose_clock_was_ahead_holds_nothing_for_long(time_machine):
    time_machine.move_to(timezone.now() + datetime.timedelta(days=1), tick=False)
    dead("elsewhere:7")
    time_machine.shift(datetime.timedelta(days=-1))
    assert worker_with(Log(steps=1)).work()


@pytest.mark.django_db
def test_a_task_that_fails_is_tried_again_later_and_given_up_in_the_end(time_machine, caplog):
    time_machine.move_to(timezone.now(), tick=False)
    account = person("one")
    ask(account)

    def fail(task, keep):
        raise ValueError("no such file")

    here = worker_with(fail)
    waits = []
    while not the_task().has_failed:
        assert here.work()
        waits.append(the_task().not_before - timezone.now())
        assert not here.work()
        time_machine.move_to(the_task().not_before + SECOND, tick=False)
    assert [wait.total_seconds() for wait in waits] == [10, 20, 40, 80, 160]
    assert len(waits) == MAX_FAILURES
    assert the_task().problem == "ValueError: no such file"
    assert "You can try it again" in the_task().says
    assert "failed: no such file" in caplog.text
    assert not here.work()
    ask(account)
    assert worker_with(Log(steps=1)).work()
    assert not Task.objects.exists()


@pytest.mark.django_db
def test_what_was_given_up_is_deleted_after_a_week(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    ask(person("one"))
    Task.objects.update(failures=MAX_FAILURES)
    purge()
    assert Task.objects.exists()
    time_machine.shift(datetime.timedelta(days=8))
    purge()
    assert not Task.objects.exists()


@pytest.mark.django_db
def test_a_task_that_is_ended_meanwhile_stops_in_the_middle_of_its_step():
    ask(person("one"))
    went_on = []

    def long_step(task, keep):
        Task.objects.all().delete()
        keep()
        went_on.append(task)

    here = worker_with(long_step)
    assert here.work()
    assert went_on == []


@pytest.mark.django_db
def test_a_worker_that_is_to_stop_ends_a_long_step_and_leaves_the_task_to_the_next(monkeypatch):
    ask(person("one"))
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)

    def long_step(task, keep):
        here.stop()
        keep()

    here = worker_with(long_step)
    here.run()
    assert (the_task().holder, the_task().failures) == ("", 0)


@pytest.mark.django_db
def test_a_fault_of_the_database_is_no_failure_of_the_task(monkeypatch, caplog):
    monkeypatch.setattr(worker, "discard_connection", lambda fault: None)
    monkeypatch.setattr(worker, "FAULT_SECONDS", 0)
    ask(person("one"))
    faults = [OperationalError("the database is down")]

    def work(task, keep):
        if faults:
            raise faults.pop()
        return False

    here = worker_with(work, name=f"{socket.gethostname()}:{os.getpid()}")
    work_off(here)
    assert not Task.objects.exists()
    assert "the database does not answer" in caplog.text


# --- Chores ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("db", "short_turns")
def test_a_long_chore_leaves_room_for_tasks(monkeypatch):
    monkeypatch.setattr(chores, "PIECE_SECONDS", 0)
    done = []

    def chore():
        for piece in range(3):
            done.append(f"piece {piece}")
            yield

    work = Log(steps=3)
    ask(person("one"))
    here = worker_with(lambda task, keep: done.append("step") or work(task, keep), Chore(chore, every=60))
    work_off(here)
    assert done == ["step", "piece 0", "step", "piece 1", "step", "piece 2"]


def test_a_chore_is_repeated_after_its_time_and_sooner_after_a_failure(monkeypatch, caplog):
    now = [1000.0]
    monkeypatch.setattr(chores.time, "monotonic", lambda: now[0])
    begun = []

    def chore():
        begun.append(now[0])
        if len(begun) == 2:
            raise ValueError("broken")
        yield

    one = Chore(chore, every=60, first=5)
    for _ in range(200):
        one.do_some()
        now[0] += 1
    assert begun == [1005, 1065, 1075, 1135, 1195]
    assert "chore failed and is tried again: broken" in caplog.text


# --- What is seen ----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_log_names_the_task_its_account_and_its_time(caplog):
    caplog.set_level("INFO", logger="fitness.worker")
    account = person("one")
    ask(account)
    task = the_task()
    worker_with(Log(steps=1)).work()
    (record,) = [record for record in caplog.records if record.message == "task"]
    assert (record.task, record.account, record.kind) == (str(task.pk), str(account.pk), "export")
    assert record.outcome == "done"
    assert record.seconds >= 0


@pytest.mark.django_db
def test_the_log_says_when_a_task_is_tried_no_more(caplog):
    caplog.set_level("INFO", logger="fitness.worker")
    ask(person("one"))
    for failures in (0, MAX_FAILURES - 1):
        Task.objects.update(failures=failures, not_before=timezone.now())
        worker_with(die_of_a_fault).work()
    outcomes = [record.outcome for record in caplog.records if record.message == "task"]
    assert outcomes == ["failed", "given up"]


def die_of_a_fault(task, keep):
    raise ValueError("no such file")


@pytest.mark.django_db
def test_what_waits_says_so_once_nobody_works_on_it(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    ask(person("one"))
    assert the_task().says == ""
    assert not Task.objects.neglected().exists()
    time_machine.shift(datetime.timedelta(minutes=3))
    assert the_task().says.startswith("Nothing has been done for 3\xa0minutes")
    assert Task.objects.neglected().exists()
    assert the_task().hold("here:1")
    assert the_task().says == ""
    assert not Task.objects.neglected().exists()
