"""From a file to stored records, some at a time, and back: what a worker does, and commands at once.

`go_on` does the next step of a run, which its state decides:

1. `read_file` makes items of the file. Nothing else of the account changes.
2. `examine` says what would become of the next items; for all of them again when an answer changes.
3. `step` stores the next items in one transaction; a crash repeats nothing.
4. `undo_step` takes back what the run has stored and nobody has changed since, newest first.

Example of a failure: the file is a picture. `read_file` raises Unreadable, and the run is stored with its
sentence, which the page shows.
"""

import hashlib
import io
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import groupby, islice
from typing import Any, BinaryIO, TypeVar

from django.db import transaction
from django.utils.translation import gettext_noop

from accounts import audit
from accounts.imports.kinds import Answers, Kind, Stored, StoredKind
from accounts.imports.models import (
    ITEM_BYTES,
    MAX_COLUMN,
    MAX_TEXT,
    ImportFinding,
    ImportItem,
    ImportRun,
)
from accounts.models import Account, StoredFile, Task
from accounts.models.stored_file import Parts
from fitness.api.exceptions import STORAGE_FULL, StorageFull
from fitness.imports.findings import Findings
from fitness.imports.messages import Message, Unreadable, as_stored
from fitness.site.data import archive, restoring
from fitness.site.data.assessing import Assessment, item_of
from fitness.site.data.importing import Busy, begin, end, lock
from fitness.site.data.reading import Options, read
from fitness.site.data.registry import KINDS, STORED_KINDS
from fitness.site.data.reports import reading_of, report_of

ITEMS_AT_ONCE = 25  # in one transaction, for which other writers wait
RESTORED_AT_ONCE = 100  # of an account, whose own writers are refused meanwhile
READ_AT_ONCE = 100  # items of a file in one transaction
EXAMINED_AT_ONCE = 200  # in one step
ASSESSED = ("state", "digest", "text", "record_id")
STORED = (*ASSESSED, "fingerprint", "payload")
KEEP_SECONDS = 1.0
READ_BYTES = 65_536
REPLACED = gettext_noop("A newer file has replaced it.")

State, RunState = ImportItem.State, ImportRun.State
T = TypeVar("T")

Keep = Callable[[int, int], None]


def ignore(done: int, total: int) -> None:
    pass


def receive(account: Account, file: BinaryIO, name: str, answers: Answers, options: Options) -> ImportRun:
    """Reads and examines a file at once. Raises Unreadable and Busy."""
    run = begin(account, name, answers)
    try:
        read_file(run, file, options)
    except Unreadable:
        run.remove()
        raise
    go_on_to_the_end(run)
    return run


def go_on_to_the_end(run: ImportRun) -> None:
    """Does what a worker would, and beside one."""
    has_more = True
    while has_more:
        try:
            has_more = go_on(run)
        except Busy:
            run.refresh_from_db()


def go_on(run: ImportRun, keep: Keep = ignore) -> bool:
    """Does the next step of a run; returns whether there is more to do.

    `keep(bytes read, bytes of the file)` is called in the middle of a long one, and may raise an exception
    that ends it.
    """
    if run.state == RunState.EXAMINING and not run.report:
        return read_stored(run, keep)
    if run.state == RunState.EXAMINING:
        return examine(run)
    try:
        if run.state == RunState.STORING:
            return step(run)
        return run.state == RunState.UNDOING and undo_step(run)
    except StorageFull as error:
        with transaction.atomic():
            lock(run, RunState.STORING, RunState.UNDOING)
            said = Message(STORAGE_FULL, {"megabytes": f"{error.megabytes:,}"})
            end(run, run.state, said)
        return False


def do_task(task: Task, keep: Callable[[], None]) -> bool:
    """Does the next step of the run that a task is about; returns whether there are more."""
    run = ImportRun.objects.select_related("account").filter(account=task.account_id, pk=task.subject).first()
    if run is None:
        return False

    def has_read(done: int, total: int) -> None:
        task.done = task.total * done // total  # of what an archive holds, not of its own bytes
        keep()

    try:
        has_more = go_on(run, has_read)
    except Busy:  # somebody has asked for something else meanwhile
        return True
    task.total = 0 if run.report else task.total  # what is left once it is read are small steps
    return has_more


class Watched(Parts):
    """A stored file that calls `keep` while it is read, which takes seconds."""

    def __init__(self, stored: StoredFile, keep: Keep) -> None:
        super().__init__(stored)
        self.keep, self.kept_at = keep, time.monotonic()

    def readinto(self, buffer: Any, /) -> int:
        if time.monotonic() - self.kept_at > KEEP_SECONDS:
            self.keep(self.place, self.stored.size)
            self.kept_at = time.monotonic()
        return super().readinto(buffer)


def read_stored(run: ImportRun, keep: Keep) -> bool:
    """Reads the file that was uploaded for a run, and deletes it."""
    stored = run.account.stored_files.filter(pk=run.pk, is_whole=True).first()
    try:
        if stored is None:
            raise Unreadable(gettext_noop("The file did not arrive as a whole. Choose it again."))
        read_file(run, io.BufferedReader(Watched(stored, keep), READ_BYTES), Options(), keep)
    except Unreadable as error:
        with transaction.atomic():
            lock(run, RunState.EXAMINING)
            end(run, RunState.UNREADABLE, error.said)
        run.forget()
    if stored:
        stored.remove()
        run.account.count_files()
    return run.state == RunState.EXAMINING


def read_file(run: ImportRun, file: BinaryIO, options: Options, keep: Keep = ignore) -> None:
    """Makes an item of each record of a file. Raises Unreadable.

    A file that replaces another one replaces it once it is read.
    """
    findings = Findings()
    found = read(run, file, options, findings)
    if found.source == archive.NAME:
        restoring.check_empty(run.account)
    run.forget()  # what an attempt has left that has died
    run.source, run.sha256 = found.source, sha256_of(file)
    items = (item_of(run, position, candidate) for position, candidate in enumerate(found.candidates))
    run.stored_bytes, size = 0, file.seek(0, io.SEEK_END)
    for some in batches(items, READ_AT_ONCE):
        ImportItem.objects.bulk_create(some)
        run.stored_bytes += sum(ITEM_BYTES + len(item.payload) for item in some)
        keep(file.tell(), size)
    with transaction.atomic():
        lock(run, RunState.EXAMINING)
        run.account.import_runs.unanswered().update(state=RunState.UNREADABLE, problem=REPLACED)
        run.report = {"reading": reading_of(findings, found.left, found.formats)}
        run.save(update_fields=["source", "sha256", "report", "stored_bytes"])
        store_findings(run, findings, of_answers=False)
        run.account.count_files()
        audit.log_event(audit.Event.FILE_READ, run.account, detail=run.source)
    for replaced in run.account.import_runs.filter(state=RunState.UNREADABLE):
        replaced.remove()


def examine(run: ImportRun) -> bool:
    """Says what would become of the next items with the run's answers; returns whether there are more."""
    so_far = run.report.get("so_far", {})
    findings = Findings.going_on(so_far["findings"]) if so_far else Findings()
    days = list(map(date.fromisoformat, so_far.get("days", [])))
    unread = run.items.filter(position__gte=run.examined).exclude(state=State.STORED)
    items = list(unread.in_order()[:EXAMINED_AT_ONCE])
    days += restoring.check(run, items, findings) if run.is_archive else assess(run, items, findings)
    days = [min(days), max(days)] if days else []
    with transaction.atomic():
        answers = run.time_zone, run.unit, run.day_first, run.examined
        lock(run, RunState.EXAMINING)
        if answers != (run.time_zone, run.unit, run.day_first, run.examined):  # changed again meanwhile
            return True
        store_findings(run, findings, of_answers=True)
        run.examined += len(items)
        has_more = len(items) == EXAMINED_AT_ONCE
        reading = run.report["reading"]
        if has_more:
            days_in_iso = [day.isoformat() for day in days]
            run.report = {"reading": reading, "so_far": {"findings": findings.counts(), "days": days_in_iso}}
        else:
            run.report = dict(report_of(run, reading, findings, days))
            end(run, RunState.READ)
        run.save(update_fields=["report", "examined"])
    return has_more


def assess(run: ImportRun, items: list[ImportItem], findings: Findings) -> list[date]:
    """Says what would become of records, and returns the days of the new ones."""
    assessment, days = Assessment(run, findings), []
    for kind, some in by_kind(items):
        records = assessment.assess(KINDS[kind.name], some).values()
        days += [record.day for record in records if record.day]
        run.items.bulk_update(some, ASSESSED)
    return days


def step(run: ImportRun) -> bool:
    """Stores the next items, then empties the others; returns whether there are more.

    Raises Busy and StorageFull.
    """
    with transaction.atomic():
        lock(run, RunState.READ, RunState.STORING)
        at_once = RESTORED_AT_ONCE if run.is_archive else ITEMS_AT_ONCE
        items = list(run.items.with_state(State.NEW).in_order()[:at_once])
        if run.is_archive and not restoring.has_begun(run):  # a request may have stored a record meanwhile
            try:
                restoring.check_empty(run.account)
            except Unreadable as error:
                restoring.end(run.account)
                end(run, RunState.UNREADABLE, error.said)
                return False
        (restoring.store if run.is_archive else store_items)(run, items)
        has_more = bool(items) or run.items.forget_some()
        end(run, RunState.STORING if has_more else RunState.DONE)
        if not has_more:
            finish(run)
            audit.log_event(audit.Event.FILE_IMPORTED, run.account, detail=run.source)
    return has_more


def store_items(run: ImportRun, items: list[ImportItem]) -> None:
    assessment = Assessment(run, Findings())
    for kind, some in by_kind(items):
        store(KINDS[kind.name], some, assessment)


def store(kind: Kind, items: list[ImportItem], assessment: Assessment) -> None:
    records = assessment.assess(kind, items)
    new = [item for item in items if item.position in records]
    for item, stored in zip(new, kind.store(assessment.account, [*records.values()]), strict=True):
        item.state = State.STORED if stored.record_id else State.REFUSED
        item.record_id, item.fingerprint = stored.record_id, stored.fingerprint
    for item in items:
        item.payload = ""
    assessment.run.items.bulk_update(items, STORED)


def undo_step(run: ImportRun) -> bool:
    """Takes back the last items that are stored, then empties the others; returns whether there are more.

    Raises Busy.
    """
    with transaction.atomic():
        lock(run, RunState.UNDOING)
        states = (State.STORED, State.KEPT) if run.undoes_changes else (State.STORED,)
        items = []
        if not run.is_archive:
            items = list(run.items.with_state(*states).last_first()[:ITEMS_AT_ONCE])
            for kind, some in by_kind(items):
                take_back(run.account, kind, some, changed_too=run.undoes_changes)
            run.items.bulk_update(items, ["state", "record_id"])
        has_more = bool(items) or (run.is_archive and restoring.remove_some(run)) or run.items.forget_some()
        end(run, RunState.UNDOING if has_more else RunState.UNDONE)
        if not has_more:
            finish(run)
            audit.log_event(audit.Event.IMPORT_UNDONE, run.account, detail=run.source)
    return has_more


def finish(run: ImportRun) -> None:
    """Counts what the items still take; a restored account takes records again."""
    if run.is_archive:
        restoring.end(run.account)
    run.stored_bytes = run.items.count() * ITEM_BYTES
    run.save(update_fields=["stored_bytes"])
    run.account.count_files()


def take_back(account: Account, kind: StoredKind, items: list[ImportItem], *, changed_too: bool) -> None:
    """Removes records; an item whose record somebody has deleted before has no id of one any more."""
    there = kind.still_there(account, [item.record_id for item in items])
    stored = [Stored(item.record_id, item.fingerprint) for item in items]
    for item, gone in zip(items, kind.remove(account, stored, changed_too=changed_too), strict=True):
        item.state = State.UNDONE if gone else State.KEPT
        item.record_id = item.record_id if item.record_id in there else ""


def store_findings(run: ImportRun, findings: Findings, *, of_answers: bool) -> None:
    rows = [
        ImportFinding(
            account_id=run.account_id,
            run=run,
            line=one.line,
            column=one.column[:MAX_COLUMN],
            value=one.value,
            code=one.code or "",
            text=as_stored(one.said, MAX_TEXT),
            of_answers=of_answers,
        )
        for one in (*findings.problems, *findings.changes)
    ]
    ImportFinding.objects.bulk_create(rows, batch_size=500)


def by_kind(items: list[ImportItem]) -> Iterator[tuple[StoredKind, list[ImportItem]]]:
    for name, some in groupby(items, key=lambda item: item.kind):
        yield STORED_KINDS[name], list(some)


def sha256_of(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while block := file.read(1_000_000):
        digest.update(block)
    return digest.hexdigest()


def batches(values: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(values)
    while some := list(islice(iterator, size)):
        yield some
