"""What the names of exercises in other apps' files mean to an account."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Account
from fitness.db.owned import Owned
from training.models.exercise import Exercise

MAX_NAME = 200


class ExerciseNameQuerySet(models.QuerySet["ExerciseName"]):
    def choose(self, account: Account, source: str, fates: Mapping[str, str]) -> None:
        """Stores, for each name, one of the fates `note` and `leave_out`, or the id of an exercise.

        Ids of exercises that the account does not see are left out.
        """
        others = {ExerciseName.Fate.NOTE.value, ExerciseName.Fate.LEAVE_OUT.value}
        known = Exercise.objects.seen_by(account).in_bulk(set(fates.values()) - others)
        names = [
            ExerciseName(
                account=account,
                source=source,
                name=name[:MAX_NAME],
                fate=fate if fate in others else ExerciseName.Fate.EXERCISE,
                exercise=known.get(fate),
            )
            for name, fate in fates.items()
            if fate in others or fate in known
        ]
        self.bulk_create(
            names,
            batch_size=500,
            update_conflicts=True,
            unique_fields=["account", "source", "name"],
            update_fields=["fate", "exercise"],
        )

    def meaning_exercises(self, source: str) -> models.QuerySet["ExerciseName", tuple[str, str | None]]:
        """(name, id of the exercise) of an app's names that mean one."""
        return self.filter(source=source, fate=ExerciseName.Fate.EXERCISE).values_list("name", "exercise_id")


class ExerciseName(Owned):
    """What a name in an app's files means to an account. Later imports and exports in its form remember it.

    Somebody has chosen it for a name that the catalogue does not know, or the app has several names for one
    exercise, and this is one that was imported.
    """

    class Fate(models.TextChoices):
        EXERCISE = "exercise"
        NOTE = "note"  # its sets are kept as a note of the workout
        LEAVE_OUT = "leave_out"

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="exercise_names", db_index=False
    )
    source = models.CharField(max_length=20)  # the name of the format
    name = models.CharField(max_length=MAX_NAME)
    fate = models.CharField(max_length=10, choices=Fate)
    exercise: "models.ForeignKey[Exercise | None, Exercise | None]" = models.ForeignKey(
        Exercise, on_delete=models.CASCADE, null=True, related_name="+"
    )

    objects = ExerciseNameQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "source", "name"], name="one_exercise_name"),
            models.CheckConstraint(
                condition=Q(fate="exercise", exercise__isnull=False)
                | Q(fate__in=["note", "leave_out"], exercise__isnull=True),
                name="exercise_name_has_one_fate",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.source})"
