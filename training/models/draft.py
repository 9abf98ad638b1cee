"""Workouts that are under way.

Stored is the document that the page of a running workout sends (training/drafts), merged from all devices of
the account. Nothing is derived from it: a workout is made of it when it is finished.
"""

import datetime
from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.api.exceptions import PayloadTooLarge
from fitness.db.owned import Owned
from fitness.json import dumps
from training.models.draft_document import ENTRY, DraftDocument, TargetOfDraft

MAX_BYTES = settings.MAX_BODY_BYTES - 4096  # of a document: a page has to be able to send it back
MAX_CLOSED = 100  # of an account
KEPT_FOR = datetime.timedelta(days=30)  # a closed one, for a device that sends it later


Targets = dict[str, TargetOfDraft]


class TooLarge(PayloadTooLarge):
    default_detail = (
        "The workout is too large to be kept while it is under way. Finish it, and begin another."
    )


class TrainingDraftQuerySet(models.QuerySet["TrainingDraft"]):
    def open(self) -> Self:
        """The workout under way: an account has at most one."""
        return self.filter(closed_at=None)

    def open_new(
        self, account: Account, document: DraftDocument, targets: Targets, weekday: int | None = None
    ) -> "TrainingDraft":
        """Stores a draft of a locked account, and deletes those that are kept no longer."""
        closed = account.training_drafts.exclude(closed_at=None).order_by("-closed_at")
        kept = closed.filter(closed_at__gt=timezone.now() - KEPT_FOR).values_list("pk", flat=True)[
            :MAX_CLOSED
        ]
        closed.exclude(pk__in=list(kept)).order_by()._raw_delete(self.db)
        return self.create(
            id=UUID(document["id"]), account=account, document=document, targets=targets, weekday=weekday
        )


class TrainingDraft(Owned):
    """A workout from its start to its finish, and for KEPT_FOR afterwards.

    `workout_id` is the id of the workout that it became: its own, unless another account had that already. A
    closed one without a workout was discarded. `targets` are by the id of the exercise; those of rules, of
    lighter weeks and of an exercise that is planned several times also by `entry_key`.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_drafts"
    )
    document: "models.JSONField[DraftDocument, DraftDocument]" = models.JSONField()
    version = models.PositiveIntegerField(default=1)  # of the document: counts its changes
    targets: "models.JSONField[Targets, Targets]" = models.JSONField(default=dict)
    weekday = models.PositiveSmallIntegerField(null=True)  # the day of the plan that it was begun from
    closed_at = models.DateTimeField(null=True)
    workout_id = models.UUIDField(null=True)

    objects = TrainingDraftQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint("account", name="one_open_draft", condition=models.Q(closed_at=None)),
        ]

    def __str__(self) -> str:
        return self.document["title"] or f"workout of {self.document['started_at'][:10]}"

    @property
    def targets_of_entries(self) -> Targets:
        """What is asked of one exercise of the document alone, by its uid."""
        return {
            key.removeprefix(ENTRY): target for key, target in self.targets.items() if key.startswith(ENTRY)
        }

    def store(self, document: DraftDocument) -> None:
        """Stores a merged document; one that is as it was keeps its version. Raises TooLarge."""
        if document != self.document:
            if len(dumps(document)) > MAX_BYTES:
                raise TooLarge()
            self.document = document
            self.version += 1
            self.save(update_fields=["document", "version"])

    def close(self, workout_id: UUID | None = None) -> None:
        """Ends it, as that workout or as nothing, of which no set is kept."""
        self.closed_at, self.workout_id = timezone.now(), workout_id
        if workout_id is None:
            self.document = {**self.document, "notes": "", "exercises": []}
        self.save(update_fields=["closed_at", "workout_id", "document"])
