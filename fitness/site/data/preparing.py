"""Exports that a worker makes: large ones, for which no web thread should be kept.

1. `prepare` stores a file without contents in the place of the account's last one, and asks for its task.
2. The worker makes the file (`do_task`): each part is a transaction. No cursor is open meanwhile.
3. The page of the file offers the download, until somebody deletes it or a day is over (accounts/purge.py).

Parts count in ACCOUNT_STORAGE_MB like all that is stored, and an export may not exceed it. Otherwise workouts
could not be logged as long as the export lies there.

Example of a failure: the worker is killed at the hundredth part. A ZIP cannot be gone on with, so the next
attempt deletes the parts and makes all of it anew.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.models import Account, StoredFile, Task
from accounts.models.stored_file import MAX_PROBLEM, PART_BYTES
from fitness.api.exceptions import StorageFull
from fitness.imports.messages import Message, as_stored, worded
from fitness.site.data import exports
from fitness.site.data.waiting import what_keeps
from fitness.web.local_time import zone_of

KEEP_SECONDS = 5.0  # without a part: of what repeats itself much has to be read for one
MEGABYTE = 1 << 20  # as in Django's `filesizeformat`
NO_ROOM = gettext_noop(
    "The file does not fit into the %(megabytes)s MB that an account has here, beside what is stored "
    "already. The ZIP is the smallest of all files. Delete something, or ask whoever runs this service, "
    "who can make the file without this bound."
)


class Removed(Exception):
    """Somebody has deleted or replaced the file meanwhile."""


# --- What somebody wants ---------------------------------------------------------------------------------


def prepare(account: Account, form: str, choices: exports.Choices) -> StoredFile:
    """Has a file made, in the place of the one before."""
    file = exports.FORMS[form].file(account, choices)
    for before in account.stored_files.exports():
        before.remove_parts()
    with transaction.atomic():
        account.lock()
        for before in account.stored_files.exports():
            remove_locked(before)
        made = account.stored_files.create(
            name=exports.dated(file.name),
            content_type=file.content_type,
            form=form,
            time_zone=account.time_zone,
            unit=choices.unit,
        )
        account.count_files()
        Task.objects.ask(account.pk, Task.Kind.EXPORT, made.pk, exports.estimated_bytes(account))
    return made


def remove(file: StoredFile) -> None:
    """Deletes an export, and the task that makes it."""
    file.remove_parts()
    with transaction.atomic():
        file.account.lock()
        remove_locked(file)
        file.account.count_files()


def remove_locked(file: StoredFile) -> None:
    """With the lock no worker adds a part meanwhile."""
    if task := Task.objects.of(file.account_id, Task.Kind.EXPORT, file.pk):
        task.delete()
    file.delete()


# --- What the worker does --------------------------------------------------------------------------------


def do_task(task: Task, keep: Callable[[], None]) -> bool:
    """Makes the export that a task is about: one step, as a ZIP cannot be gone on with."""
    files = StoredFile.objects.exports().filter(account=task.account_id, is_whole=False)
    file = files.select_related("account").filter(pk=task.subject).first()
    if file is None:
        return False

    def has_stored() -> None:
        task.done = file.size
        keep()

    make(file, has_stored)
    return False


def make(file: StoredFile, keep: Callable[[], None]) -> None:
    """Stores the contents of a file. What an attempt has stored that has died is deleted first."""
    file.remove_parts()
    file.size = 0
    with suppress(Removed):
        try:
            store_all(file, keep)
            finish(file)
        except StorageFull:
            give_up(file)


def store_all(file: StoredFile, keep: Callable[[], None]) -> None:
    choices = exports.Choices(zone_of(file.time_zone), file.unit)
    gathered, kept_at = bytearray(), time.monotonic()
    for piece in exports.FORMS[file.form].file(file.account, choices).pieces:
        gathered += piece
        has_part = len(gathered) >= PART_BYTES
        while len(gathered) >= PART_BYTES:
            store_part(file, bytes(gathered[:PART_BYTES]))
            del gathered[:PART_BYTES]
        if has_part or time.monotonic() - kept_at > KEEP_SECONDS:
            keep()
            kept_at = time.monotonic()
    if gathered:
        store_part(file, bytes(gathered))


def store_part(file: StoredFile, content: bytes) -> None:
    """Stores the next part. Raises StorageFull and Removed."""
    with transaction.atomic():
        file.account.count_files(adding=len(content))
        file.add_part(file.size // PART_BYTES, content)
        update(file, "size")


def finish(file: StoredFile) -> None:
    with transaction.atomic():
        file.account.lock()
        file.is_whole, file.created_at = True, timezone.now()
        update(file, "is_whole", "created_at")
        file.account.count_files()


def give_up(file: StoredFile) -> None:
    file.remove_parts()
    with transaction.atomic():
        file.account.lock()
        file.size = 0
        no_room = Message(NO_ROOM, {"megabytes": f"{settings.ACCOUNT_STORAGE_MB:,}"})
        file.problem = as_stored(no_room, MAX_PROBLEM)
        update(file, "size", "problem")
        file.account.count_files()


def update(file: StoredFile, *fields: str) -> None:
    if not file.stored.update(**{field: getattr(file, field) for field in fields}):
        raise Removed


# --- What pages show -------------------------------------------------------------------------------------


def overview(account: Account) -> dict[str, Any]:
    """What the page of data says of exports."""
    prepared = account.stored_files.exports().first()
    return {
        "is_large": exports.is_large(account),
        "prepared": prepared,
        "preparing": progress(prepared) if prepared else None,
    }


def progress(file: StoredFile) -> dict[str, Any]:
    """How much of a file is made. How large it will be is not known before."""
    task = None if file.is_whole else Task.objects.of(file.account_id, Task.Kind.EXPORT, file.pk)
    return {
        "under_way": not file.problem and task is not None and not task.has_failed,
        "done": round(file.size / MEGABYTE, 1),
        "total": 0,
        "unit": "MB",
        "says": worded(file.problem) if file.problem else what_keeps(task),
    }


def address_of(form: str, unit: str) -> str:
    """Where a form is asked for; that of Hevy depends on the unit."""
    address = reverse(exports.FORMS[form].address)
    return f"{address}?unit={unit}" if form == "hevy" else address
