"""From a file to stored records, some at a time, and back.

1. `receive` reads a file into a run with its items. Nothing else of the account changes.
2. `examine` says what would become of each item: after the upload, and again when an answer changes.
3. `step` stores the next items in one transaction, which any process may do; a crash repeats nothing.
4. `undo_step` takes back what the run has stored and nobody has changed since, newest first.
"""

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import groupby, islice
from typing import BinaryIO, TypeVar

from django.db import Error, transaction
from django.utils import timezone

from accounts import audit
from accounts.imports.kinds import Answers, Kind, Stored
from accounts.imports.models import (
    MAX_COLUMN,
    MAX_FILE_NAME,
    MAX_TEXT,
    ImportFinding,
    ImportItem,
    ImportRun,
)
from accounts.models import Account
from fitness.courtesy import considerate, followed_by_rest
from fitness.db.writes import update_all
from fitness.imports.findings import Change, Findings, Problem
from fitness.site.data.assessing import Assessment, item_of
from fitness.site.data.reading import Options, read
from fitness.site.data.registry import KINDS
from fitness.site.data.reports import Reading, reading_of, report_of

ITEMS_AT_ONCE = 25  # in one transaction, for which other writers wait
ASSESSED = ("state", "digest", "text", "record_id")
# Of a run, by another page of it.
CHANGING = ("state", "time_zone", "unit", "day_first", "examined_at", "undoes_changes")
STORED = (*ASSESSED, "fingerprint", "payload")

State, RunState = ImportItem.State, ImportRun.State
T = TypeVar("T")


class Busy(Exception):
    """Another step of the run has ended it meanwhile, or another run of the account is under way."""


@considerate()
def receive(account: Account, file: BinaryIO, name: str, answers: Answers, options: Options) -> ImportRun:
    """Reads a file into a new run of the account, which replaces one of which nothing is stored.

    Raises Unreadable, and Busy while another file is read or is half stored: an account has one at a time.
    """
    run = begin(account, name, answers)
    try:
        return fill(run, file, options)
    except Exception:
        with suppress(Error):  # else the next upload deletes it
            run.delete()
        raise


def begin(account: Account, name: str, answers: Answers) -> ImportRun:
    with transaction.atomic():
        account.lock()
        for other in account.import_runs.under_way():
            if other.is_abandoned:
                other.delete()
            elif other.state == RunState.EXAMINING:
                raise Busy("Another file of yours is being read: wait until its preview is there")
            else:
                raise Busy(f"“{other.file_name}” is half imported: go on with it or undo it first")
        return ImportRun.objects.create(
            account=account,
            file_name=name[-MAX_FILE_NAME:],
            time_zone=answers.zone.key,
            unit=answers.unit,
            day_first=answers.day_first,
        )


def fill(run: ImportRun, file: BinaryIO, options: Options) -> ImportRun:
    findings = Findings()
    found = read(file, run.file_name, options, findings)
    # All of it before anything is stored: the last row may be what makes the file unreadable.
    packed = [pickle.dumps(candidate) for candidate in found.candidates]
    run.source, run.sha256 = found.source, sha256_of(file)
    with transaction.atomic():
        run.account.lock()
        for unanswered in run.account.import_runs.unanswered():
            unanswered.delete()
        run.save(update_fields=["source", "sha256"])
    store_findings(run, findings, of_answers=False)
    items = (item_of(run, position, pickle.loads(one)) for position, one in enumerate(packed))
    examine(
        run,
        reading_of(findings, found.left, found.formats),
        batches(items, ITEMS_AT_ONCE),
        ImportItem.objects.bulk_create,
    )
    audit.log_event(audit.Event.FILE_READ, run.account, detail=run.source)
    return run


def examine(
    run: ImportRun,
    reading: Reading,
    found: Iterable[list[ImportItem]],
    save: Callable[[list[ImportItem]], object],
) -> None:
    """Says what would become of each item with the run's answers, and stores this with the run."""
    assessment, days = Assessment(run), []
    for some in found:
        with followed_by_rest():
            for kind, items in by_kind(some):  # one after another: records refer to those of other kinds
                records = assessment.assess(kind, items).values()
                days += [record.day for record in records if record.day]
                save(items)
    run.findings.filter(of_answers=True).delete()
    store_findings(run, assessment.findings, of_answers=True)
    run.report = dict(report_of(run, reading, assessment.findings, days))
    run.state = RunState.READ
    run.save(update_fields=["state", "report", "time_zone", "unit", "day_first"])


@considerate()
def change_answers(run: ImportRun, answers: Answers) -> None:
    """Examines a run anew with other answers. Raises Busy once something is stored."""
    with transaction.atomic():
        lock(run, RunState.READ, RunState.EXAMINING)
        if run.state == RunState.EXAMINING and not run.is_abandoned:
            raise Busy("Another page of this import looks at it anew")
        run.examined_at = timezone.now()
        end(run, RunState.EXAMINING)
    run.time_zone, run.unit, run.day_first = answers.zone.key, answers.unit, answers.day_first
    found = run.items.in_batches(ITEMS_AT_ONCE)
    examine(run, run.report["reading"], found, lambda items: update_all(items, ASSESSED))


@considerate()
def step(run: ImportRun) -> bool:
    """Stores the next items; returns whether there are more. Raises Busy and StorageFull."""
    with transaction.atomic():
        lock(run, RunState.READ, RunState.STORING)
        items = list(run.items.with_state(State.NEW).in_order()[:ITEMS_AT_ONCE])
        assessment = Assessment(run)
        for kind, some in by_kind(items):
            store(kind, some, assessment)
        has_more = len(items) == ITEMS_AT_ONCE
        end(run, RunState.STORING if has_more else RunState.DONE)
        if not has_more:
            run.items.forget()
            audit.log_event(audit.Event.FILE_IMPORTED, run.account, detail=run.source)
    return has_more


def store(kind: Kind, items: list[ImportItem], assessment: Assessment) -> None:
    records = assessment.assess(kind, items)
    new = [item for item in items if item.position in records]
    for item, stored in zip(new, kind.store(assessment.account, [*records.values()]), strict=True):
        item.state = State.STORED if stored.record_id else State.REFUSED
        item.record_id, item.fingerprint = stored.record_id, stored.fingerprint
    for item in items:
        item.payload = ""
    update_all(items, STORED)


@considerate()
def undo_step(run: ImportRun, *, changed_too: bool = False) -> bool:
    """Takes back the last items that are stored; returns whether there are more.

    What somebody has changed since is kept, unless `changed_too`, which the steps after this one remember.
    Raises Busy.
    """
    with transaction.atomic():
        again = [RunState.UNDONE] if changed_too else []
        lock(run, RunState.STORING, RunState.DONE, RunState.UNDOING, *again)
        changed_too = changed_too or (run.state == RunState.UNDOING and run.undoes_changes)
        run.undoes_changes = changed_too
        states = (State.STORED, State.KEPT) if changed_too else (State.STORED,)
        items = list(run.items.with_state(*states).order_by("-position")[:ITEMS_AT_ONCE])
        for kind, some in by_kind(items):
            take_back(run.account, kind, some, changed_too=changed_too)
        update_all(items, ("state", "record_id"))
        has_more = len(items) == ITEMS_AT_ONCE
        end(run, RunState.UNDOING if has_more else RunState.UNDONE)
        if not has_more:
            run.items.forget()
            audit.log_event(audit.Event.IMPORT_UNDONE, run.account, detail=run.source)
    return has_more


def take_back(account: Account, kind: Kind, items: list[ImportItem], *, changed_too: bool) -> None:
    """Removes records; an item whose record somebody has deleted before has no id of one any more."""
    there = kind.still_there(account, [item.record_id for item in items])
    stored = [Stored(item.record_id, item.fingerprint) for item in items]
    for item, gone in zip(items, kind.remove(account, stored, changed_too=changed_too), strict=True):
        item.state = State.UNDONE if gone else State.KEPT
        item.record_id = item.record_id if item.record_id in there else ""


def lock(run: ImportRun, *states: str) -> None:
    """Locks the account, and reads the run anew. Raises Busy if it is in none of the states any more."""
    run.account.lock()
    try:
        run.refresh_from_db(fields=CHANGING)
    except ImportRun.DoesNotExist as error:  # a new upload has replaced it
        raise Busy("A newer file has replaced this import") from error
    if run.state not in states:
        raise Busy("Another page of this import has gone on with it")


def end(run: ImportRun, state: str) -> None:
    """Notes how far the run is after a step."""
    run.state = state
    run.finished_at = timezone.now() if state in (RunState.DONE, RunState.UNDONE) else None
    run.save(update_fields=["state", "examined_at", "finished_at", "undoes_changes"])


def store_findings(run: ImportRun, findings: Findings, *, of_answers: bool) -> None:
    found: list[tuple[Problem | Change, str, str]]
    found = [(one, one.value, one.code.value) for one in findings.problems]
    found += [(one, "", "") for one in findings.changes]
    rows = [
        ImportFinding(
            account_id=run.account_id,
            run=run,
            line=one.line,
            column=one.column[:MAX_COLUMN],
            value=value,
            code=code,
            text=one.text[:MAX_TEXT],
            of_answers=of_answers,
        )
        for one, value, code in found
    ]
    ImportFinding.objects.bulk_create(rows, batch_size=500)


def by_kind(items: list[ImportItem]) -> Iterator[tuple[Kind, list[ImportItem]]]:
    for name, some in groupby(items, key=lambda item: item.kind):
        yield KINDS[name], list(some)


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
