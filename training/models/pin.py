"""The lifts that an account has pinned to the top of its progress.

A pin of an exercise that was merged is one of the exercise that was kept: it is read so, and nothing is
rewritten.
"""

from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import Account
from fitness.db.owned import Owned
from training.models.exercise import Exercise

MAX_PINS = 6  # of an account: what leads the page


class ExercisePinQuerySet(models.QuerySet["ExercisePin"]):
    def of(self, exercise: Exercise) -> models.QuerySet["ExercisePin"]:
        """The pin of an exercise, and those of the exercises that were merged into it."""
        return self.filter(
            exercise__in=Exercise.objects.of_everyone().filter(Q(pk=exercise.pk) | Q(merged_into=exercise.pk))
        )

    def pin(self, account: Account, exercise: Exercise) -> bool:
        """Pins an exercise; returns False where the account has MAX_PINS others."""
        with transaction.atomic():
            account.lock()
            pins = account.exercise_pins
            if pins.of(exercise).exists():
                return True
            if pins.count() >= MAX_PINS:
                return False
            pins.create(exercise=exercise)
            return True


class ExercisePin(Owned):
    """An exercise that leads an account's progress, however often it is trained."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="exercise_pins", db_index=False
    )
    exercise = models.ForeignKey(Exercise, on_delete=models.CASCADE, related_name="+", db_index=False)

    objects = ExercisePinQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "exercise"], name="one_pin_of_exercise")]

    def __str__(self) -> str:
        return self.exercise_id


def is_pinned(account: UUID, exercise: str) -> Exists:
    """Whether the exercise in a column is pinned, or one that was merged into it."""
    either = Q(exercise=OuterRef(exercise)) | Q(exercise__merged_into=OuterRef(exercise))
    return Exists(ExercisePin.objects.filter(either, account=account))
