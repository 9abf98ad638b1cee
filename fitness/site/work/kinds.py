"""What the worker does for each kind of task, step by step, and for the service as a whole."""

from collections.abc import Callable, Mapping

from django.db import transaction

from accounts.imports.models import ImportRun
from accounts.models import StoredFile, Task
from accounts.purge import purging_if_due
from fitness.site import account_data
from fitness.site.data import importing, preparing, steps
from training.models import Plan
from training.models.following import following_catalogue

# Does the next step of a task; returns whether there are more. A long one calls `keep` every few seconds,
# which raises Interrupted where it is to end. What a step that died has stored is there when it is repeated.
Keep = Callable[[], None]
Work = Callable[[Task, Keep], bool]

CHORES = (purging_if_due, following_catalogue)


def go_on_with_import(task: Task, keep: Keep) -> bool:
    run = ImportRun.objects.select_related("account").filter(account=task.account_id, pk=task.subject).first()
    if run is None:
        return False

    def has_read(done: int, total: int) -> None:
        task.done, task.total = done, total
        keep()

    try:
        has_more = steps.go_on(run, has_read)
    except importing.Busy:  # somebody has asked for something else meanwhile
        return True
    task.total = 0 if run.report else task.total  # what is left once it is read are small steps
    return has_more


def make_export(task: Task, keep: Keep) -> bool:
    exports = StoredFile.objects.exports().select_related("account")
    file = exports.filter(account=task.account_id, pk=task.subject).first()
    if file is None or file.is_whole:
        return False

    def has_stored() -> None:
        task.done = file.size
        keep()

    preparing.make(file, has_stored)
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
