"""Imports of an account: what was read from a file, what became of it, and what can be taken back.

The file itself is kept until it is read, as the StoredFile with the id of its run. A run has an item for each
record of the file, whose `payload` is what the file says, until it is stored. So changed answers need no
second upload, and storing goes on after a crash where it ended.
"""

import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Case, Q, When
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from fitness.db.owned import Owned, OwnedForeignKey
from fitness.imports.findings import MAX_VALUE, Code
from fitness.imports.messages import worded

BEGUN_FOR, WAITING_FOR = datetime.timedelta(days=1), datetime.timedelta(weeks=1)
ROWS_AT_ONCE = 1000  # in one transaction that deletes them
ITEM_BYTES = 500  # that a database takes for an item besides its payload, about
MAX_FILE_NAME, MAX_KEY, MAX_LABEL, MAX_COLUMN, MAX_TEXT = 200, 300, 300, 100, 300
MAX_PROBLEM = 500
ARCHIVE = "account"  # the source of a run whose file is an archive


class ImportRunQuerySet(models.QuerySet["ImportRun"]):
    def unanswered(self) -> Self:
        """Those whose preview waits: a new upload replaces them."""
        return self.filter(state=ImportRun.State.READ)

    def under_way(self) -> Self:
        """Those whose file is being read or looked at anew, and those that are stored or undone in part."""
        states = (ImportRun.State.EXAMINING, ImportRun.State.STORING, ImportRun.State.UNDOING)
        return self.filter(state__in=states)

    def expired(self) -> Self:
        """Those that were not read within a day, and those that nobody went on with for a week."""
        now, states = timezone.now(), ImportRun.State
        begun = Q(state=states.EXAMINING, created_at__lt=now - BEGUN_FOR)
        waiting = Q(state__in=[states.READ, states.UNREADABLE], created_at__lt=now - WAITING_FOR)
        return self.filter(begun | waiting)


class ImportRun(Owned):
    """One file that somebody imports."""

    class State(models.TextChoices):
        EXAMINING = "examining", _("Being read")  # or looked at anew with other answers
        UNREADABLE = "unreadable", _("Not readable")
        READ = "read", _("Not imported yet")  # nothing is stored; the preview asks
        STORING = "storing", _("Under way")
        DONE = "done", _("Imported")
        UNDOING = "undoing", _("Being taken back")
        UNDONE = "undone", _("Taken back")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="import_runs", db_index=False
    )
    source = models.CharField(max_length=20)  # the name of the format, once it is known
    file_name = models.CharField(max_length=MAX_FILE_NAME)
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.EXAMINING)
    time_zone = models.CharField(max_length=64)  # of times without an offset
    unit = models.CharField(max_length=2)  # of weights without one
    day_first = models.BooleanField(default=True)  # of dates with slashes
    # What the preview and the result show: see fitness/site/data/reports.py.
    report: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    examined = models.PositiveIntegerField(db_default=0, default=0)  # items that are looked at
    stored_bytes = models.BigIntegerField(db_default=0, default=0)  # of its items, about
    problem = models.CharField(max_length=MAX_PROBLEM, db_default="", default="")  # why it does not go on
    finished_at = models.DateTimeField(null=True)
    undoes_changes = models.BooleanField(default=False)  # what was changed since is taken back, too

    objects = ImportRunQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["account", "-created_at"], name="imports_newest")]

    def __str__(self) -> str:
        return f"{self.file_name}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_archive(self) -> bool:
        """Whether the file is an archive, which is restored and not taken back."""
        return self.source == ARCHIVE

    @property
    def is_under_way(self) -> bool:
        return self.state in (self.State.EXAMINING, self.State.STORING, self.State.UNDOING)

    def forget(self) -> None:
        """Deletes the items and findings, some at a time: a file may have very many."""
        for rows in (self.items, self.findings):
            while ids := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
                rows.filter(pk__in=ids).delete()

    def remove(self) -> None:
        self.forget()
        self.delete()

    @property
    def items(self) -> "ImportItemQuerySet":
        return ImportItem.objects.filter(account=self.account_id, run=self)

    @property
    def findings(self) -> "ImportFindingQuerySet":
        return ImportFinding.objects.filter(account=self.account_id, run=self)


class ImportItemQuerySet(models.QuerySet["ImportItem"]):
    def in_order(self) -> Self:
        return self.order_by("position")

    def last_first(self) -> Self:
        """The order in which they are taken back: exercises that were made for others of them go last."""
        made = Case(When(kind="own_exercise", then=1), default=0, output_field=models.IntegerField())
        return self.alias(made=made).order_by("made", "-position")

    def with_state(self, *states: str) -> Self:
        return self.filter(state__in=states)

    def forget_some(self) -> bool:
        """Empties the payload of some that an import has not stored; returns whether there were any."""
        ids = list(self.exclude(payload="").values_list("pk", flat=True)[:ROWS_AT_ONCE])
        return bool(ids) and bool(self.filter(pk__in=ids).update(payload=""))


class ImportItem(Owned):
    """A record of a file."""

    class State(models.TextChoices):
        NEW = "new"
        THERE = "there"  # the account has it already, or it is repeated in the file
        DIFFERS = "differs"  # the account has it with other contents, which stay
        REFUSED = "refused"
        STORED = "stored"
        UNDONE = "undone"
        KEPT = "kept"  # not undone: somebody has changed it since

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="import_items", db_index=False
    )
    run = OwnedForeignKey(ImportRun, on_delete=models.CASCADE, db_index=False)
    position = models.PositiveIntegerField()  # in the file, from 0
    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=MAX_KEY)
    label = models.CharField(max_length=MAX_LABEL)  # what people recognise it by
    digest = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.NEW)
    first_line = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    payload = models.TextField(blank=True)  # JSON; empty once it is stored
    text = models.CharField(max_length=MAX_TEXT, blank=True)  # how it differs; fitness/imports/messages.py
    record_id = models.CharField(max_length=40, blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)

    objects = ImportItemQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["account", "run", "state", "position"], name="import_items_next"),
            models.Index(fields=["account", "kind", "key"], name="import_items_by_key"),
            models.Index(fields=["account", "run", "digest"], name="import_items_by_digest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["account", "run", "position"], name="one_import_item"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    @property
    def words(self) -> str:
        return worded(self.text)

    @property
    def shown_key(self) -> str:
        """The key as its file has it."""
        return self.key.partition(" ")[2]


class ImportFindingQuerySet(models.QuerySet["ImportFinding"]):
    def problems(self) -> Self:
        return self.exclude(code="").order_by("line", "id")

    def changes(self) -> Self:
        return self.filter(code="").order_by("line", "id")


class ImportFinding(Owned):
    """A row that is refused, or, without a code, something that is stored otherwise than the file has it."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="import_findings", db_index=False
    )
    run = OwnedForeignKey(ImportRun, on_delete=models.CASCADE, db_index=False)
    line = models.PositiveIntegerField()
    column = models.CharField(max_length=MAX_COLUMN)
    value = models.CharField(max_length=MAX_VALUE, blank=True)
    code = models.CharField(max_length=10, blank=True, choices=[(code.value, code.value) for code in Code])
    text = models.CharField(max_length=MAX_TEXT)  # fitness/imports/messages.py
    of_answers = models.BooleanField()  # found while records were made, which another answer may change

    objects = ImportFindingQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["account", "run", "line"], name="import_findings_by_line")]

    def __str__(self) -> str:
        return f"line {self.line}: {self.words}"

    @property
    def words(self) -> str:
        return worded(self.text)
