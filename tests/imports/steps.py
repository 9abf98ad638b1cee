"""Imports of files, step by step as the pages and the command take them."""

from zoneinfo import ZoneInfo

from accounts.imports.kinds import Answers
from accounts.imports.models import ImportItem
from fitness.site.data import import_views, importing
from fitness.site.data.reading import Options

State = ImportItem.State
ANSWERS = Answers(ZoneInfo("UTC"), "kg")


def one_record_at_a_time(monkeypatch):
    """Each request of a page takes one step, of one record."""
    monkeypatch.setattr(importing, "ITEMS_AT_ONCE", 1)
    for name in ("SECONDS_OF_STEPS", "SECONDS_OF_SCRIPT"):
        monkeypatch.setattr(import_views, name, 0)


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
        while importing.undo_step(self.run, changed_too=changed_too):
            pass
        return [*self.items(State.KEPT, State.STORED)]


def read(account, file):
    """An import of which nothing is stored."""
    return Import(importing.receive(account, file, "file", ANSWERS, Options()))


def imported(account, file):
    ran = read(account, file)
    while importing.step(ran.run):
        pass
    return ran
