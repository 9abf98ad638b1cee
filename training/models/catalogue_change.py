"""Changes of exercises that the documents of workouts, routines and plans do not show yet.

Stored is one row for each changed exercise, until everything that shows the exercise is rendered again.
"""

import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

HELD_FOR = datetime.timedelta(seconds=15)  # a worker does other things between batches


class CatalogueChangeQuerySet(models.QuerySet["CatalogueChange"]):
    def due(self) -> Self:
        """Changes that no process is working on."""
        now = timezone.now()
        wrong_clock = Q(not_before__gt=now + datetime.timedelta(minutes=1))
        return self.filter(Q(not_before__lte=now) | wrong_clock).order_by("pk")


class CatalogueChange(models.Model):
    """A change of an exercise, or its merge into another one, that workouts, routines and plans may not all
    show yet.

    The row is deleted when they all do: where a process is killed, another one continues.
    """

    exercise = models.ForeignKey("training.Exercise", on_delete=models.CASCADE, related_name="+")
    in_workouts = models.BooleanField()  # whether workouts show what has changed
    changed_at = models.DateTimeField(default=timezone.now)
    not_before = models.DateTimeField(
        default=timezone.now
    )  # a process that works on it sets this later, so that others skip it

    objects = CatalogueChangeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.exercise_id}, changed at {self.changed_at:%Y-%m-%d %H:%M}"

    def hold(self) -> bool:
        """Keeps other processes from this change for HELD_FOR; False if another one is working on it."""
        until = timezone.now() + HELD_FOR
        return bool(CatalogueChange.objects.due().filter(pk=self.pk).update(not_before=until))

    def leave_until(self, not_before: datetime.datetime) -> None:
        CatalogueChange.objects.filter(pk=self.pk).update(not_before=not_before)
