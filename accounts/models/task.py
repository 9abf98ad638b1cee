"""Long work of accounts, which workers do beside the web processes (`manage.py worker`).

A task is a row from the moment somebody asks for it until it is done. It is done in steps: each is a
transaction or two, and what was done is stored with it. So any worker can go on with a task at any step.
"""

import datetime
from contextlib import suppress
from typing import Self
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, models, transaction
from django.db.models import F, Min, Q
from django.db.models.functions import Greatest
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.db.owned import Owned

# How long a worker that does not report holds a task: then it has died, or its database was away.
HELD_FOR = datetime.timedelta(seconds=30)
MAX_FAILURES = 5
FAILED_FOR = datetime.timedelta(weeks=1)
RETRY = datetime.timedelta(seconds=10)  # after the first failure, and twice as long after each further one
IDLE_FOR = datetime.timedelta(seconds=20)  # while no task is held at all, nobody works
MAX_PROBLEM = 300
LONG_BYTES = 1_000_000  # what has to read more may have steps of over a second
TRIED_AT_ONCE = 10


def is_held(now: datetime.datetime) -> Q:
    """What a worker does now. A time far ahead comes from a clock that was set back; one that is just later
    than HELD_FOR from now is of a worker that has reported since `now`.
    """
    return Q(held_until__gt=now, held_until__lte=now + 2 * HELD_FOR)


class TaskQuerySet(models.QuerySet["Task"]):
    def waiting(self) -> Self:
        """Those that are to be done, held by a worker or not; without those that have failed for good."""
        return self.filter(failures__lt=MAX_FAILURES)

    def held(self) -> Self:
        """Those that a worker does at the moment."""
        return self.filter(is_held(timezone.now()))

    def failed(self) -> Self:
        """Those that have failed for good."""
        return self.filter(failures__gte=MAX_FAILURES)

    def expired(self) -> Self:
        """Those that have failed for good, after a week."""
        return self.failed().filter(asked_at__lt=timezone.now() - FAILED_FOR)

    def ask(self, account_id: UUID, kind: "Task.Kind", subject: object = "", size: int = 0) -> None:
        """Adds a task, unless the same one is there; it is begun anew where it has failed.

        `size` are the bytes that it has to read. Belongs into the transaction that stores what it is about.
        """
        now = timezone.now()
        again = {"asked_at": now, "failures": 0, "problem": "", "not_before": now}
        task = {"account_id": account_id, "kind": kind, "subject": str(subject)}
        new = {**again, "total": size, "turn_at": now - HELD_FOR}  # before accounts that have just had a turn
        self.update_or_create(**task, defaults=again, create_defaults=new)

    def waiting_seconds(self) -> float:
        """For how long nothing was done for the one that waits the longest; 0 where none waits."""
        now = timezone.now()
        since = Min(Greatest("asked_at", "turn_at", "not_before"))
        first: datetime.datetime | None = self.waiting().exclude(is_held(now)).aggregate(first=since)["first"]
        return max((now - first).total_seconds(), 0) if first else 0

    def are_neglected(self) -> bool:
        """Whether one waits for longer than IDLE_FOR while none is done."""
        return not self.held().exists() and self.waiting_seconds() > IDLE_FOR.total_seconds()

    def next_ones(self, *, long_too: bool) -> "list[Task]":
        """Those that a worker may begin, the longest ago served first: of accounts none of whose is held."""
        now = timezone.now()
        is_due = Q(not_before__lte=now) | Q(not_before__gt=now + RETRY * 2**MAX_FAILURES)
        serving = list(self.held().values_list("account_id", flat=True))
        found = self.waiting().filter(is_due).exclude(account__in=serving).select_related("account")
        some = found if long_too else found.filter(total__lte=LONG_BYTES)
        return list(some.order_by("turn_at", "created_at", "pk")[:TRIED_AT_ONCE])

    def of(self, account_id: UUID, kind: "Task.Kind", subject: object = "") -> "Task | None":
        return self.filter(account=account_id, kind=kind, subject=str(subject)).first()


class Task(Owned):
    """Long work for one account. Of one account one task is done at a time."""

    class Kind(models.TextChoices):
        IMPORT = "import", "Import of a file"  # the subject is an ImportRun: reading, storing, taking back
        EXPORT = "export", "Export"  # a StoredFile
        PLAN_DELETION = "plan deletion", "Deletion of a plan"  # a Plan
        ACCOUNT_DELETION = "account deletion", "Deletion of the account"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey("accounts.Account", models.CASCADE, related_name="tasks", db_index=False)
    kind = models.CharField(max_length=20, choices=Kind)
    subject = models.CharField(max_length=40, blank=True)  # the id of what it is about
    created_at = models.DateTimeField(default=timezone.now)
    asked_at = models.DateTimeField(default=timezone.now)  # the last time: what is done before is not the end
    turn_at = models.DateTimeField(default=timezone.now)  # of its last turn; workers take the lowest
    not_before = models.DateTimeField(default=timezone.now)  # after a failure
    holder = models.CharField(max_length=100, blank=True)  # the worker that does it, or has done so
    held_until = models.DateTimeField(default=timezone.now)  # by the holder; in the past it is free
    done = models.BigIntegerField(default=0)  # bytes, while there is much to read
    total = models.BigIntegerField(default=0)  # about how many there are; 0 once the rest is small steps
    failures = models.PositiveSmallIntegerField(default=0)  # one after another
    problem = models.CharField(max_length=MAX_PROBLEM, blank=True)  # the last failure

    objects = TaskQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "kind", "subject"], name="one_task")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.subject}".strip()

    @property
    def has_failed(self) -> bool:
        return self.failures >= MAX_FAILURES

    @property
    def may_be_ended(self) -> bool:
        """Whether its owner can ask for it again. A deletion has to come to its end."""
        return self.kind in (self.Kind.IMPORT, self.Kind.EXPORT)

    @property
    def is_held(self) -> bool:
        return timezone.now() < self.held_until

    def hold(self, holder: str) -> bool:
        """Begins a turn; False where a worker was quicker, with this task or another one of the account.

        A cluster can lock rows of one account alone, so this is no SELECT of any account's rows that skips
        locked ones.
        """
        self.holder = holder
        with transaction.atomic():
            self.lock_account()
            if Task.objects.held().filter(account=self.account_id).exists():
                return False
            return bool(self.stored.update(holder=holder, held_until=timezone.now() + HELD_FOR))

    def lock_account(self) -> None:
        with suppress(ObjectDoesNotExist):  # of a deleted account one task is left
            self.account.lock()

    def keep(self) -> bool:
        """Holds the task for longer and stores its progress; False where it is somebody else's, or ended."""
        values = {"held_until": timezone.now() + HELD_FOR, "done": self.done, "total": self.total}
        return bool(self.stored.filter(holder=self.holder).update(**values))

    def release(self, *, has_more: bool = True) -> None:
        """Ends a turn: other accounts come first now. Deletes what is done, unless it was asked for again."""
        with transaction.atomic():
            self.lock_account()
            mine = self.stored.filter(holder=self.holder)
            if has_more or not mine.filter(asked_at=self.asked_at)._raw_delete(connection.alias):
                mine.update(held_until=timezone.now(), failures=0, done=self.done, total=self.total)
            Task.objects.filter(account=self.account_id).update(turn_at=timezone.now())

    def fail(self, problem: str) -> None:
        """Leaves the task to a later attempt, until it has failed MAX_FAILURES times."""
        now = timezone.now()
        later = now + RETRY * 2**self.failures
        self.stored.filter(holder=self.holder).update(
            held_until=now, failures=F("failures") + 1, problem=problem[:MAX_PROBLEM], not_before=later
        )
