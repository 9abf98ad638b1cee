"""An archive into an account without records, whole or not at all.

The run of an archive goes the way of every import (fitness/site/data/importing.py), some records at a time:

1. `check` validates each record. Example: a set without `reps` -> the page names it, and nothing is restored.
2. `begin` marks the account as being restored: until the end it takes no other record (`BeingRestored`, 503).
   Example: the account has a plan meanwhile -> Unreadable, whose sentence the page shows.
3. `store` stores the next records. Where that fails for good, `remove_some` empties the account again.
"""

import json
from collections.abc import Sequence
from datetime import date
from itertools import groupby

from django.utils.translation import gettext_noop
from rest_framework.exceptions import ValidationError

from accounts.archives import ArchiveList, Document, LeftOut, Restoring
from accounts.imports.models import ImportItem, ImportItemQuerySet, ImportRun
from accounts.models import Account
from fitness.api.errors import problems
from fitness.imports.findings import Code, Findings
from fitness.imports.messages import Unreadable
from fitness.site.data.archive import BY_NAME, LISTS
from fitness.site.data.assessing import item_key

MAX_REASON = 300
REMOVED_AT_ONCE = 500
RESTORED = "restored"  # in an item, in place of the id of a record
NOT_EMPTY = gettext_noop(
    "This account has records already, and an archive is restored into one without. Make a new account for "
    "it; or choose the CSV files of the account that it is of, whose workouts and weights are added to yours."
)
State = ImportItem.State


def check_empty(account: Account) -> None:
    """Raises Unreadable for an account that has records: then nothing could say what is whose."""
    if any(one.of(account).exists() for one in LISTS if not one.is_setting):
        raise Unreadable(NOT_EMPTY)


class RestoringItems(Restoring):
    """An archive whose records are the items of a run."""

    def __init__(self, run: ImportRun, findings: Findings) -> None:
        super().__init__(run.account, run.pk, findings)
        self.run = run
        self.known_keys: dict[str, set[str]] = {}
        self.known: dict[tuple[str, ...], dict[str, Document]] = {}

    def keys(self, name: str) -> set[str]:
        if name not in self.known_keys:
            self.known_keys[name] = {item.shown_key for item in self.items(name).only("account", "key")}
        return self.known_keys[name]

    def documents(self, name: str, *keys: str) -> dict[str, Document]:
        if (name, *keys) not in self.known:
            items = self.items(name)
            if keys:  # along the index of keys: in an order, SQLite would walk all items of the run
                items = items.filter(key__in=[item_key(self.run.source, key) for key in keys])
            else:
                items = items.in_order()
            self.known[name, *keys] = {item.shown_key: json.loads(item.payload) for item in items}
        return self.known[name, *keys]

    def items(self, name: str) -> ImportItemQuerySet:
        return self.run.items.filter(kind=name).exclude(state=State.REFUSED)


def check(run: ImportRun, items: Sequence[ImportItem], findings: Findings) -> list[date]:
    """Validates records, and returns the days of workouts among them."""
    restoring, days = RestoringItems(run, findings), []
    for one, some in by_list(items):
        for item in some:
            item.state = State.NEW
            restoring.line = item.first_line
            try:
                values = one.values(json.loads(item.payload), restoring)
            except LeftOut as left_out:
                item.state = State.REFUSED
                restoring.change(f"{one.name}: {left_out.field}", left_out.text)
            except ValidationError as error:
                item.state = State.REFUSED
                refuse(one, item, error, findings)
            else:
                findings.rows.records += 1
                days += one.days(values)
        run.items.bulk_update(some, ["state"])  # before records that refer to these are looked at
    return days


def refuse(one: ArchiveList, item: ImportItem, error: ValidationError, findings: Findings) -> None:
    """Says the first problem of a record."""
    path, message = next(problems(error.detail))
    code = Code.EXERCISE if path.endswith("exercise_id") else Code.NUMBER
    column = f"{one.name}: {path}" if path else one.name
    findings.refuse(item.first_line, column, "", code, message[:MAX_REASON])


def begin(account: Account) -> None:
    """The account takes no other record until `end`. Raises Unreadable for one that has records."""
    stored = Account.objects.filter(pk=account.pk)
    stored.select_for_update().get()  # who stores a row that refers to the account waits
    stored.update(is_being_restored=True)
    check_empty(account)


def has_begun(run: ImportRun) -> bool:
    return run.items.with_state(State.STORED).exists()


def end(account: Account) -> None:
    Account.objects.filter(pk=account.pk).update(is_being_restored=False)


def store(run: ImportRun, items: Sequence[ImportItem]) -> None:
    restoring = RestoringItems(run, Findings())
    for one, some in by_list(items):
        one.store(run.account, [one.values(json.loads(item.payload), restoring) for item in some])
        stored = run.items.filter(pk__in=[item.pk for item in some])
        stored.update(state=State.STORED, record_id=RESTORED)


def remove_some(run: ImportRun) -> bool:
    """Deletes the next records that were restored, the last lists first; returns whether there were any.

    Profile and settings stay.
    """
    for one in reversed([one for one in LISTS if not one.is_setting]):
        if one.remove_some(run.account, REMOVED_AT_ONCE):
            return True
        run.items.with_state(State.STORED).filter(kind=one.name).update(state=State.UNDONE)
    run.account.state.stored.update(workout_count=0, stored_bytes=0)
    return False


def by_list(items: Sequence[ImportItem]) -> list[tuple[ArchiveList, list[ImportItem]]]:
    return [(BY_NAME[name], list(some)) for name, some in groupby(items, key=lambda item: item.kind)]
