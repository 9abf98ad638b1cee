"""What the pages of imports and exports say of a task that does not go on."""

from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from accounts.models import Task
from accounts.models.task import IDLE_FOR


def what_keeps(task: Task | None) -> str:
    """What keeps a task from going on, for its owner; empty while it does, and where there is none."""
    if task is None:
        return ""
    if task.has_failed:
        return _("It has failed, and whoever runs this service can see why. You can try it again.")
    if task.failures:
        return _("It has failed, and is tried again soon.")
    waits_since = max(task.turn_at, task.asked_at)
    if task.is_held or timezone.now() - waits_since < IDLE_FOR:
        return ""
    minutes = timesince(waits_since)
    if minutes.startswith("0"):
        return _(
            "Nothing has been done for some seconds: others may come first, or the worker of this "
            "service does not run."
        )
    text = _(
        "Nothing has been done for %(time)s: others may come first, or the worker of this service does "
        "not run."
    )
    return text % {"time": minutes}
