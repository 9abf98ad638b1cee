"""Long work beside the web processes: who comes first, what follows a death, and what is seen.

`test_worker_process.py` has what several threads and processes do at once.
"""

import datetime
import threading

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.models import Alarm, Task
from accounts.models.task import HELD_FOR, MAX_FAILURES
from accounts.purge import purge
from fitness.site.data.waiting import what_keeps
from fitness.site.work import worker
from fitness.site.work.worker import Worker
from tests.factories import AccountFactory
from training.models import CatalogueChange

KIND = Task.Kind.EXPORT
SECOND = datetime.timedelta(seconds=1)


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


def worker_with(work, name="here:1"):
    made = Worker({KIND: work}, [])
    made.name = name
    return made


def turn(worker):
    """What a thread of the worker does, whatever happens."""
    return worker.safely(worker.take_turn)


def work_off(worker):
    while turn(worker):
        pass


@pytest.fixture
def short_turns(monkeypatch):
    monkeypatch.setattr(worker, "TURN_SECONDS", 0)


def the_task():
    return Task.objects.get()


# --- Turns -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("db", "short_turns")
def test_accounts_take_turns_and_each_has_its_oldest_task_done_first(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    work = Log(steps=2)
    one, other = person("one"), person("other")
    for account, subject in ((one, "a"), (one, "b"), (other, "c")):
        ask(account, subject)
        time_machine.shift(SECOND)
    here = worker_with(work)
    while turn(here):
        time_machine.shift(SECOND)
    assert work.done == [
        *(("one", "a"), ("other", "c"), ("one", "a"), ("other", "c")),
        *(("one", "b"), ("one", "b")),
    ]
    assert not Task.objects.exists()


@pytest.mark.usefixtures("db", "short_turns")
def test_a_thread_is_left_to_what_is_short():
    work = Log(steps=2)
    for name in ("large", "huge"):
        ask(person(name), size=20_000_000)
    ask(person("small"), size=1_000_000)
    here = worker_with(work)
    while here.take_turn(long_too=False):
        pass
    assert {name for name, _ in work.done} == {"small"}
    work_off(here)
    assert not Task.objects.exists()


@pytest.mark.usefixtures("db", "short_turns")
def test_what_has_no_long_steps_any_more_is_left_to_no_thread():
    def read_then_store(task, keep):
        is_read, task.total = task.total == 0, 0
        return not is_read

    ask(person("large"), size=20_000_000)
    here = worker_with(read_then_store)
    assert not here.take_turn(long_too=False)
    assert here.take_turn()
    assert here.take_turn(long_too=False)
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
        turn(worker_with(die, name=name))


@pytest.mark.django_db
def test_another_worker_goes_on_once_the_dead_one_holds_the_task_no_longer(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    dead("elsewhere:7")
    work = Log(steps=1)
    here = worker_with(work)
    assert not turn(here)
    time_machine.shift(HELD_FOR + SECOND)
    assert turn(here)
    assert work.done == [("one", "")]


@pytest.mark.django_db
def test_a_worker_whose_clock_was_ahead_holds_nothing_for_long(time_machine):
    time_machine.move_to(timezone.now() + datetime.timedelta(days=1), tick=False)
    dead("elsewhere:7")
    time_machine.shift(datetime.timedelta(days=-1))
    assert turn(worker_with(Log(steps=1)))


@pytest.mark.django_db
def test_what_another_worker_reports_while_this_one_looks_stays_its_own(time_machine):
    """Three workers under load once did steps of one account at once: one had looked before a report."""
    looked = timezone.now()
    time_machine.move_to(looked, tick=False)
    ask(person("one"))
    time_machine.move_to(looked + datetime.timedelta(milliseconds=15), tick=False)
    with pytest.raises(KeyboardInterrupt):
        turn(worker_with(die, name="elsewhere:7"))
    time_machine.move_to(looked, tick=False)
    assert not turn(worker_with(Log(steps=1)))


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
        assert turn(here)
        waits.append(the_task().not_before - timezone.now())
        assert not turn(here)
        time_machine.move_to(the_task().not_before + SECOND, tick=False)
    assert [wait.total_seconds() for wait in waits] == [10, 20, 40, 80, 160]
    assert len(waits) == MAX_FAILURES
    assert the_task().problem == "ValueError: no such file"
    assert "You can try it again" in what_keeps(the_task())
    assert "failed: no such file" in caplog.text
    assert not turn(here)
    ask(account)
    assert turn(worker_with(Log(steps=1)))
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
    assert turn(here)
    assert went_on == []


@pytest.mark.django_db
def test_a_worker_that_is_to_stop_ends_a_long_step_and_leaves_the_task_to_the_next():
    ask(person("one"))

    def long_step(task, keep):
        here.stopping.set()
        keep()

    here = worker_with(long_step)
    assert turn(here)
    assert (the_task().is_held, the_task().failures) == (False, 0)


@pytest.mark.django_db
def test_a_fault_of_the_database_is_no_failure_of_the_task(monkeypatch, caplog, time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    monkeypatch.setattr(worker, "discard_connection", lambda fault: None)
    monkeypatch.setattr(worker, "FAULT_SECONDS", 0)
    ask(person("one"))
    faults = [OperationalError("the database is down")]

    def work(task, keep):
        if faults:
            raise faults.pop()
        return False

    here = worker_with(work)
    work_off(here)
    assert "the work goes on later: the database is down" in caplog.text
    assert the_task().failures == 0
    time_machine.shift(HELD_FOR + SECOND)
    work_off(here)
    assert not Task.objects.exists()


@pytest.mark.django_db
def test_a_thread_goes_on_after_what_nobody_expected(monkeypatch, caplog):
    monkeypatch.setattr(worker, "FAULT_SECONDS", 0)
    ask(person("one"))
    work = Log(steps=1)
    with monkeypatch.context() as patch:
        patch.setattr(Task, "hold", None)
        assert turn(worker_with(work))
    assert "the work goes on later" in caplog.text
    assert turn(worker_with(work))
    assert len(work.done) == 1


# --- Without work ----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_threads_are_woken_where_there_is_something_to_do():
    here, account = Worker({}, []), person("one")
    here.stopping.set()  # so that it waits for nothing
    here.woken = {"long": threading.Event()}

    def woken():
        here.woken["long"].clear()
        here.look()
        return here.woken["long"].is_set()

    assert not woken()
    ask(account)
    assert woken()
    Task.objects.update(failures=MAX_FAILURES)
    Alarm.objects.rest(account, 60)
    assert not woken()
    Alarm.objects.rest(account, 1)
    assert woken()
    Alarm.objects.all().delete()
    CatalogueChange.objects.create(exercise_id="barbell-bench-press", in_workouts=True)
    assert woken()


def test_a_chore_ends_with_its_worker():
    here, pieces = Worker({}, []), []

    def chore():
        for piece in range(3):
            pieces.append(piece)
            here.stopping.set()
            yield

    here.chores = [chore]
    here.do_chores()
    assert pieces == [0]


# --- What is seen ----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_log_names_the_task_its_account_and_its_time(caplog):
    caplog.set_level("INFO", logger="fitness.worker")
    account = person("one")
    ask(account)
    task = the_task()
    turn(worker_with(Log(steps=1)))
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
        turn(worker_with(die_of_a_fault))
    outcomes = [record.outcome for record in caplog.records if record.message == "task"]
    assert outcomes == ["failed", "given up"]


def die_of_a_fault(task, keep):
    raise ValueError("no such file")


@pytest.mark.django_db
def test_what_waits_says_so_once_nobody_works_on_it(time_machine):
    time_machine.move_to(timezone.now(), tick=False)
    ask(person("one"))
    assert what_keeps(the_task()) == ""
    assert not Task.objects.are_neglected()
    time_machine.shift(datetime.timedelta(minutes=3))
    assert what_keeps(the_task()).startswith("Nothing has been done for 3\xa0minutes")
    assert Task.objects.are_neglected()
    assert the_task().hold("here:1")
    assert what_keeps(the_task()) == ""
    assert not Task.objects.are_neglected()
