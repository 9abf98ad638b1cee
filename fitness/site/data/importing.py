"""What somebody wants of an import: a file read, other answers, its records stored, or taken back.

Each function stores that, and asks for the task of the run. A worker does the rest (`steps`).
"""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import count, repeat
from typing import Any, BinaryIO
from uuid import UUID

from django.core.cache import caches
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.db import Error, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.imports.kinds import Answers
from accounts.imports.models import (
    MAX_FILE_NAME,
    MAX_PROBLEM,
    ImportItem,
    ImportRun,
)
from accounts.models import Account, StoredFile, Task
from accounts.models.stored_file import PART_BYTES, Parts
from accounts.models.task import LONG_BYTES
from fitness.imports.messages import Said, as_stored
from fitness.imports.packing import unpacked_bytes
from fitness.site.data import restoring
from fitness.site.data.assessing import item_key
from training.catalogue.guessing import says_assisted
from training.imports.own_exercises import OwnExerciseKind
from training.models import Exercise, ExerciseName
from training.models.own_exercise import make_all, unsaved

# Of a run, by another page of it, or by a worker.
CHANGING = ("state", "time_zone", "unit", "day_first", "examined", "report", "undoes_changes")
READ_WITHIN = timedelta(minutes=10)
LARGE, LARGE_SECONDS = "large-upload", 3600  # where a process has died, the next one comes after an hour

State, RunState = ImportItem.State, ImportRun.State


class Busy(Exception):
    """Somebody else has gone on with the run meanwhile, or another run of the account is under way."""


def upload(account: Account, file: BinaryIO, name: str, answers: Answers, size: int) -> ImportRun:
    """Stores a file for the worker, which makes a preview of it.

    Its run begins when the file is stored as a whole: a process that dies before leaves none, which would
    refuse other files, but only parts of a file, which are deleted after a day.

    Raises StorageFull, and Busy while another file is read or is half stored: an account has one at a time.
    """
    stored = expect(account, size, name)
    try:
        stored.write(file)
        return arrived(stored, answers, size if size > LONG_BYTES else unpacked_bytes(file, size))
    except Exception:
        with suppress(Error):
            stored.remove()
        raise


def expect(account: Account, size: int, name: str = "") -> StoredFile:
    """Makes room for a file of at most so many bytes, which is stored part by part.

    Raises StorageFull, and Busy while another file is read.
    """
    with transaction.atomic():
        account.count_files(adding=size)
        give_way(account)
    stored = account.stored_files.create(name=name[-MAX_FILE_NAME:], size=size)
    stored.size = 0
    return stored


def arrived(stored: StoredFile, answers: Answers, size: int) -> ImportRun:
    """Has a file read that is stored as a whole. `size` is how much there is to read, about. Raises Busy."""
    with transaction.atomic():
        run = begin(stored.account, stored.name, answers, stored.pk)
        stored.account.count_files()
        # What is larger is long work however much it holds, and nothing that a request should look into.
        ask(run, size)
    return run


@contextmanager
def alone() -> Iterator[None]:
    """Inside, nobody else's large file is taken, so that they hold one thread of all. Raises Busy."""
    if not caches["counters"].add(LARGE, 1, LARGE_SECONDS):
        raise Busy(_("One large file is taken at a time, and another one comes: try again in some minutes"))
    try:
        yield
    finally:
        caches["counters"].delete(LARGE)


class IntoParts(FileUploadHandler):
    """Stores a file while it comes: a large one fits neither into memory nor into /tmp."""

    chunk_size = PART_BYTES

    def __init__(self, stored: StoredFile) -> None:
        super().__init__()
        self.stored, self.rest = stored, bytearray()
        self.numbers = count()

    def new_file(self, *arguments: Any, **options: Any) -> None:
        super().new_file(*arguments, **options)
        if self.stored.name:
            raise SkipFile
        self.stored.name = (self.file_name or "-")[-MAX_FILE_NAME:]

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.rest += raw_data
        while len(self.rest) >= PART_BYTES:
            self.store_part()

    def file_complete(self, file_size: int) -> UploadedFile:
        if self.rest:
            self.store_part()
        self.stored.is_whole = True
        self.stored.save(update_fields=["name", "size", "is_whole"])
        whole = io.BufferedReader(Parts(self.stored))
        return UploadedFile(whole, self.file_name, self.content_type, file_size)

    def store_part(self) -> None:
        self.stored.add_part(next(self.numbers), bytes(self.rest[:PART_BYTES]))
        del self.rest[:PART_BYTES]


def begin(account: Account, name: str, answers: Answers, run_id: UUID | None = None) -> ImportRun:
    """Raises Busy."""
    with transaction.atomic():
        account.lock()
        give_way(account)
        return ImportRun.objects.create(
            id=run_id or uuid7(),
            account=account,
            file_name=name[-MAX_FILE_NAME:],
            time_zone=answers.zone.key,
            unit=answers.unit,
            day_first=answers.day_first,
        )


def give_way(account: Account) -> None:
    """Makes room for another run. Raises Busy while somebody works on one."""
    for other in account.import_runs.under_way():
        if is_abandoned(other):
            other.remove()
        elif other.state == RunState.EXAMINING:
            raise Busy(_("Another file of yours is being read: wait until its preview is there"))
        else:
            text = _("“%(file)s” is half imported: go on with it or undo it first")
            raise Busy(text % {"file": other.file_name})


def is_abandoned(run: ImportRun) -> bool:
    """Whether a command has begun to read a file and died. What was uploaded has a task from the first."""
    age = abs(timezone.now() - run.created_at)  # a clock that ran ahead may have been set back
    has_task = Task.objects.of(run.account_id, Task.Kind.IMPORT, run.pk) is not None
    return run.state == RunState.EXAMINING and age > READ_WITHIN and not has_task


def change_answers(run: ImportRun, answers: Answers) -> None:
    """Has a run examined anew with other answers. Raises Busy once something is stored."""
    with transaction.atomic():
        lock(run, RunState.READ)
        run.time_zone, run.unit, run.day_first = answers.zone.key, answers.unit, answers.day_first
        run.examined, run.report = 0, {"reading": run.report["reading"]}
        run.findings.filter(of_answers=True).delete()
        run.save(update_fields=["time_zone", "unit", "day_first", "examined", "report"])
        end(run, RunState.EXAMINING)
        ask(run)


def make_own(run: ImportRun, wanted: Mapping[str, tuple[str, str]]) -> None:
    """Makes unknown names of a preview exercises of the account's own: (muscle group, equipment) by name.

    They are records that the run has stored, and are taken back with it. Raises Busy and TooMany.
    """
    with transaction.atomic():
        lock(run, RunState.READ)
        exercises = [
            unsaved(run.account, name, *values, says_assisted(name)) for name, values in wanted.items()
        ]
        made = make_all(run.account, exercises)
        new = [exercise for exercise in made if exercise in exercises]
        positions = count(run.items.count())
        ImportItem.objects.bulk_create(map(item_of_own, repeat(run), positions, new))
        meant = {name: exercise.pk for name, exercise in zip(wanted, made, strict=True)}
        ExerciseName.objects.choose(run.account, run.source, meant)


def item_of_own(run: ImportRun, position: int, exercise: Exercise) -> ImportItem:
    """The item of an exercise that was made in a preview."""
    kind = OwnExerciseKind()
    digest = kind.fingerprint(exercise)
    return ImportItem(
        account_id=run.account_id,
        run=run,
        position=position,
        kind=kind.name,
        key=item_key(run.source, exercise.pk),
        label=exercise.name,
        digest=digest,
        state=State.STORED,
        first_line=0,
        last_line=0,
        record_id=exercise.pk,
        fingerprint=digest,
    )


def begin_storing(run: ImportRun) -> None:
    """Has the records of a preview stored; goes on where that has stopped.

    Raises Busy, and Unreadable for an archive whose account has records meanwhile.
    """
    with transaction.atomic():
        lock(run, RunState.READ, RunState.STORING)
        if run.is_archive and run.state == RunState.READ:
            if run.findings.problems().exists():
                raise Busy(_("Nothing of an archive is restored while a record of it is refused"))
            restoring.begin(run.account)
        end(run, RunState.STORING)
        ask(run)


def begin_undoing(run: ImportRun, *, changed_too: bool = False) -> None:
    """Has taken back what a run has stored.

    What somebody has changed since is kept, unless `changed_too`. Of an archive, only what is restored in
    part is taken back, and all of it. Raises Busy.
    """
    with transaction.atomic():
        again = [] if run.is_archive else [RunState.DONE, *([RunState.UNDONE] if changed_too else [])]
        lock(run, RunState.STORING, RunState.UNDOING, *again)
        run.undoes_changes = changed_too or (run.state == RunState.UNDOING and run.undoes_changes)
        end(run, RunState.UNDOING)
        ask(run)


def ask(run: ImportRun, size: int = 0) -> None:
    Task.objects.ask(run.account_id, Task.Kind.IMPORT, run.pk, size)


def lock(run: ImportRun, *states: str) -> None:
    """Locks the account, and reads the run anew. Raises Busy if it is in none of the states any more."""
    run.account.lock()
    try:
        run.refresh_from_db(fields=CHANGING)
    except ImportRun.DoesNotExist as error:  # a new upload has replaced it
        raise Busy(_("A newer file has replaced this import")) from error
    if run.state not in states:
        raise Busy(_("Another page of this import has gone on with it"))


def end(run: ImportRun, state: str, problem: Said = "") -> None:
    """Notes how far the run is after a step."""
    run.state, run.problem = state, as_stored(problem, MAX_PROBLEM)
    run.finished_at = timezone.now() if state in (RunState.DONE, RunState.UNDONE) else None
    run.save(update_fields=["state", "problem", "finished_at", "undoes_changes"])
