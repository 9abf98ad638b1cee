"""Workouts that are under way, and how long somebody rests after a set of an exercise.

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
from fitness.owned import Owned
from training.drafts.document import DraftDocument, TargetOfDraft
from training.models.exercise import Exercise

KEPT_FOR = datetime.timedelta(days=30)  # a closed one, for devices that have not heard of it
REST_SECONDS = 120  # after a set, until somebody chooses another time for the exercise


Targets = dict[str, TargetOfDraft]


class TrainingDraftQuerySet(models.QuerySet["TrainingDraft"]):
    def open(self) -> Self:
        """The workout under way: an account has at most one."""
        return self.filter(closed_at=None)

    def expired(self) -> Self:
        return self.filter(closed_at__lt=timezone.now() - KEPT_FOR)


class TrainingDraft(Owned):
    """A workout from its start to its finish, and for KEPT_FOR afterwards.

    `workout_id` is the id of the workout that it became: its own, unless another account had that already. A
    closed one without a workout was discarded.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_drafts"
    )
    document: "models.JSONField[DraftDocument, DraftDocument]" = models.JSONField()
    version = models.PositiveIntegerField(default=1)  # of the document: counts its changes
    targets: "models.JSONField[Targets, Targets]" = models.JSONField(default=dict)  # by the exercise's id
    closed_at = models.DateTimeField(null=True)
    workout_id = models.UUIDField(null=True)

    objects = TrainingDraftQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint("account", name="one_open_draft", condition=models.Q(closed_at=None)),
        ]

    def __str__(self) -> str:
        return self.document["title"] or f"workout of {self.document['started_at'][:10]}"

    def store(self, document: DraftDocument) -> None:
        """Stores a merged document; one that is as it was keeps its version."""
        if document != self.document:
            self.document = document
            self.version += 1
            self.save(update_fields=["document", "version"])

    def close(self, workout_id: UUID | None = None) -> None:
        """Ends it, as that workout or as nothing."""
        self.closed_at, self.workout_id = timezone.now(), workout_id
        self.save(update_fields=["closed_at", "workout_id"])


class ExerciseRestQuerySet(models.QuerySet["ExerciseRest"]):
    def remember(self, account: Account, seconds: dict[str, int]) -> None:
        """Stores the rests by the ids of their exercises."""
        rests = [ExerciseRest(account=account, exercise_id=pk, seconds=rest) for pk, rest in seconds.items()]
        self.bulk_create(
            rests, update_conflicts=True, unique_fields=["account", "exercise"], update_fields=["seconds"]
        )


class ExerciseRest(Owned):
    """How long an account rests after a set of an exercise."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="exercise_rests", db_index=False
    )
    exercise = models.ForeignKey(Exercise, on_delete=models.CASCADE, related_name="+", db_index=False)
    seconds = models.PositiveSmallIntegerField()

    objects = ExerciseRestQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "exercise"], name="rest_of_exercise")]

    def __str__(self) -> str:
        return f"{self.seconds} s after {self.exercise_id}"
