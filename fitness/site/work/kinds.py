"""What the worker does for each kind of task, step by step."""

from collections.abc import Callable, Mapping
from typing import Protocol

from django.db import transaction

from accounts.imports.models import ImportRun
from accounts.models import StoredFile, Task
from fitness.site import account_data
from fitness.site.data import importing, preparing
from training.models import Plan

Keep = Callable[[], None]


class Work(Protocol):
    def __call__(self, task: Task, keep: Keep) -> bool:
        """Does the next step of a task; returns whether there are more.

        A long step calls `keep` every few seconds, which stores its progress (`task.done` of `task.total`),
        and raises Interrupted where the step is to end. What a step has stored before it died is there
        already when it is done again.
        """


def go_on_with_import(task: Task, keep: Keep) -> bool:
    run = ImportRun.objects.select_related("account").filter(account=task.account_id, pk=task.subject).first()
    if run is None:
        return False

    def has_read(done: int, total: int) -> None:
        task.done, task.total = done, total
        keep()

    try:
        return importing.go_on(run, has_read)
    except importing.Busy:  # somebody has asked for something else meanwhile
        return True


def make_export(task: Task, keep: Keep) -> bool:
    exports = StoredFile.objects.exports().select_related("account")
    file = exports.filter(account=task.account_id, pk=task.subject).first()
    if file is not None and not file.is_whole:
        preparing.make(file, keep)
    return False


def detach_deleted_plan(task: Task, keep: Keep) -> bool:
    deleted = Plan._base_manager.exclude(deleted_at=None).filter(account=task.account_id, pk=task.subject)
    with transaction.atomic():
        task.account.lock()
        plan = deleted.first()
        return plan is not None and plan.detach_some()


def go_on_with_deletion(task: Task, keep: Keep) -> bool:
    return account_data.delete_some(task.account)


WORKS: Mapping[str, Work] = {
    Task.Kind.IMPORT: go_on_with_import,
    Task.Kind.EXPORT: make_export,
    Task.Kind.PLAN_DELETION: detach_deleted_plan,
    Task.Kind.ACCOUNT_DELETION: go_on_with_deletion,
}
