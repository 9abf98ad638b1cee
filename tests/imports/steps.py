"""Imports of files, step by step as the worker and the command take them."""

from zoneinfo import ZoneInfo

from django.utils import timezone

from accounts.imports.kinds import Answers
from accounts.imports.models import ImportItem
from accounts.models import Task
from fitness.site.data import importing, steps
from fitness.site.data.reading import Options
from fitness.site.work.worker import WORKS, Worker

State = ImportItem.State
ANSWERS = Answers(ZoneInfo("UTC"), "kg")


def worker():
    return Worker(WORKS, [])


def work():
    """Does what a worker would, until nothing is left to do."""
    here = worker()
    Task.objects.update(held_until=timezone.now())  # what a worker that has died has held, it holds no longer
    while here.safely(here.take_turn):
        pass


class Import:
    """What became of the records of a file, by (kind, key)."""

    def __init__(self, run):
        self.run = run

    def items(self, *states):
        items = self.run.items.with_state(*states).in_order()
        return {(item.kind, item.shown_key): item for item in items}

    @property
    def stored(self):
        return {pair: item.record_id for pair, item in self.items(State.STORED).items()}

    @property
    def there(self):
        return {pair: item.record_id for pair, item in self.items(State.THERE).items()}

    @property
    def differs(self):
        return {pair: item.text for pair, item in self.items(State.DIFFERS).items()}

    @property
    def refused(self):
        return [*self.items(State.REFUSED)]

    @property
    def findings(self):
        return self.run.findings

    @property
    def rows(self):
        return self.run.report["rows"]

    def undo(self, *, changed_too=False):
        """Returns the (kind, key) of what stays."""
        importing.begin_undoing(self.run, changed_too=changed_too)
        steps.go_on_to_the_end(self.run)
        return [*self.items(State.KEPT, State.STORED)]


def read(account, file):
    """An import of which nothing is stored."""
    return Import(steps.receive(account, file, "file", ANSWERS, Options()))


def imported(account, file):
    ran = read(account, file)
    importing.begin_storing(ran.run)
    steps.go_on_to_the_end(ran.run)
    return ran
