"""What the threads and processes of workers do at once, and what follows when one is ended or killed."""

import json
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import pytest

from tests.server import ROOT, Server, own_database, wait_until
from tests.site.sleepy_worker import STEPS

MAKE = """
from accounts.models import Account, Alarm, Task
for name, subjects in {tasks}.items():
    account, _ = Account.objects.get_or_create(email=f"{{name}}@example.org")
    for subject in subjects:
        Task.objects.ask(account.pk, Task.Kind.EXPORT, subject)
"""
LEFT = """
from accounts.models import Task
print(Task.objects.count(), Task.objects.count() - Task.objects.held().count())
"""
HOLD_NO_LONGER = """
from accounts.models import Task
from django.utils import timezone
Task.objects.update(held_until=timezone.now())
"""
ALARM = """
account = Account.objects.create_user("alarmed@example.org")
account.push_subscriptions.create(endpoint="https://push.example.org/1", digest="x", p256dh="x", auth="x")
Alarm.objects.rest(account, 1)
"""


class Place:
    """A database, and what the workers on it have written down."""

    def __init__(self, folder, database):
        self.server = Server(folder, database)
        self.path = folder / "notes"

    def ask(self, more="", **tasks):
        """Adds tasks by the name of their account."""
        self.server.manage("shell", "--no-imports", "-c", MAKE.format(tasks=tasks) + more)

    def left(self):
        """How many tasks there are, and how many of them nobody holds."""
        done = self.server.manage("shell", "--no-imports", "-c", LEFT)
        return tuple(map(int, done.stdout.split()[-2:]))

    def notes(self, what=""):
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [note for note in map(json.loads, lines) if not what or note["what"] == what]

    def steps(self):
        """(account, begin, end) of each step; one that was killed has none."""
        begun = {}
        for note in self.notes():
            if note["what"] == "begins":
                begun[note["account"], note["task"]] = note["at"]
            elif note["what"] == "ends":
                yield note["account"], begun.pop((note["account"], note["task"])), note["at"]

    @contextmanager
    def worker(self):
        command = [sys.executable, "-m", "tests.site.sleepy_worker", str(self.path)]
        process = subprocess.Popen(command, cwd=ROOT, env=self.server.environment)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def place(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database:
        yield Place(tmp_path, database)


def end(process):
    process.terminate()
    assert process.wait(60) == 0


def test_one_task_of_an_account_is_done_at_a_time_by_all_threads_of_all_workers(place):
    tasks = [f"{number} 0.01" for number in range(4)]
    place.ask(one=tasks, two=tasks, three=tasks)
    with ExitStack() as stack:
        workers = [stack.enter_context(place.worker()) for _ in range(2)]
        wait_until(lambda: len(place.notes("ends")) >= 3 * 4 * STEPS)
        wait_until(lambda: place.left() == (0, 0))
        for worker in workers:
            end(worker)
    steps = sorted(place.steps())
    assert len(steps) == 3 * 4 * STEPS
    overlaps = [(one, other) for one, other in pairwise(steps) if one[0] == other[0] and other[1] < one[2]]
    assert overlaps == []


def test_tasks_of_two_accounts_are_done_at_once(place):
    place.ask(one=["meet 0"], two=["meet 0"])
    with place.worker() as worker:
        wait_until(lambda: len(place.notes("ends")) == 2 * STEPS)
        end(worker)


def test_a_task_of_another_account_has_steps_beside_one_that_takes_long(place):
    place.ask(one=["long 600"])
    with place.worker():
        wait_until(lambda: place.notes("begins"))
        place.ask(two=["short 0"])
        wait_until(lambda: len(place.notes("ends")) == STEPS)


def test_an_alarm_rings_while_all_threads_of_tasks_are_in_a_step(place):
    place.ask(one=["long 600"], two=["long 600"])
    with place.worker():
        wait_until(lambda: len(place.notes("begins")) == 2)
        place.ask(ALARM)
        wait_until(lambda: place.notes("rings"))
        assert not place.notes("ends")


def test_a_worker_that_is_told_to_end_ends_its_step_and_loses_nothing(place):
    place.ask(one=["step 2"])
    with place.worker() as worker:
        wait_until(lambda: place.notes("begins"))
        end(worker)
    assert len(place.notes("ends")) == 1
    assert place.left() == (1, 1)
    with place.worker() as worker:
        wait_until(lambda: place.left() == (0, 0))
        end(worker)
    assert len(place.notes("begins")) == len(place.notes("ends")) == STEPS


def test_what_a_killed_worker_has_begun_is_done_by_the_next(place):
    place.ask(one=["step 1"])
    with place.worker() as worker:
        wait_until(lambda: len(place.notes("begins")) == 2)
        worker.kill()
    place.server.manage(
        "shell", "--no-imports", "-c", HOLD_NO_LONGER
    )  # not after HELD_FOR, so that nobody waits
    with place.worker() as worker:
        wait_until(lambda: place.left() == (0, 0))
        end(worker)
    assert len(place.notes("ends")) == STEPS
    assert len(place.notes("begins")) == STEPS + 1
