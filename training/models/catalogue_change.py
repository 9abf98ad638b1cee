"""Changes of exercises that the documents of workouts, routines and plans do not show yet.

Stored is one row for each changed exercise, until everything that shows the exercise is rendered again.
"""

import datetime
import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import Account
from training.models.batches import in_batches
from training.models.exercise import SHOWN_IN_WORKOUTS, Exercise
from training.models.plan import Plan
from training.models.routine import Routine
from training.models.workout import Workout

HELD_FOR = datetime.timedelta(seconds=5)
# Seconds after a change to look again for what was stored by requests that had read the exercise before it:
# most end at once, but on SQLite a write may wait 20 seconds for others.
LOOK_AGAIN_AFTER = (3, 25)


class CatalogueChangeQuerySet(models.QuerySet["CatalogueChange"]):
    def add_for(self, changes: Iterable[tuple[Exercise, Exercise]]) -> None:
        """Stores a change for each of these (exercise before, after) that others show differently now.

        Must run in the transaction that stores the exercises.
        """
        self.bulk_create(
            CatalogueChange(exercise=after, in_workouts=bool(changed.intersection(SHOWN_IN_WORKOUTS)))
            for before, after in changes
            if (changed := before.changed_fields(after))
        )

    def due(self) -> Self:
        """Changes that no process is working on."""
        now = timezone.now()
        wrong_clock = Q(not_before__gt=now + datetime.timedelta(minutes=1))
        return self.filter(Q(not_before__lte=now) | wrong_clock).order_by("pk")

    def carry_out(self) -> int:
        """Brings workouts, routines and plans in line with the changes that are due.

        Returns how many workouts, routines and plans that changed. Each account has transactions of its
        own, with a rest after each, so that nobody else waits long.
        """
        return sum(change.carry_out() for change in self.due().select_related("exercise__merged_into"))


class CatalogueChange(models.Model):
    """A change of an exercise, or its merge into another one, that workouts, routines and plans may not all
    show yet.

    The row is deleted when they all do: where a process is killed, another one continues.
    """

    exercise = models.ForeignKey(Exercise, on_delete=models.CASCADE, related_name="+")
    in_workouts = models.BooleanField()  # whether workouts show what has changed
    changed_at = models.DateTimeField(default=timezone.now)
    not_before = models.DateTimeField(
        default=timezone.now
    )  # a process that works on it sets this later, so that others skip it

    objects = CatalogueChangeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.exercise_id}, changed at {self.changed_at:%Y-%m-%d %H:%M}"

    def carry_out(self) -> int:
        """Changes what is stale, and deletes this change once nothing stale can follow."""
        started_at = timezone.now()
        if not self.hold():
            return 0
        total = sum(self.changed_while_held())
        looks = (self.changed_at + datetime.timedelta(seconds=after) for after in LOOK_AGAIN_AFTER)
        if next_look := next((look for look in looks if look > started_at), None):
            self.leave_until(next_look)
        else:
            self.delete()
        return total

    def hold(self) -> bool:
        """Keeps other processes from this change for HELD_FOR; False if another one is working on it."""
        until = timezone.now() + HELD_FOR
        return bool(CatalogueChange.objects.due().filter(pk=self.pk).update(not_before=until))

    def leave_until(self, not_before: datetime.datetime) -> None:
        CatalogueChange.objects.filter(pk=self.pk).update(not_before=not_before)

    def changed_while_held(self) -> Iterator[int]:
        """Yields how many rows each batch changed, and goes on holding this change between batches."""
        held_at = time.monotonic()
        for changed in self.batches():
            yield changed
            if time.monotonic() - held_at > HELD_FOR.total_seconds() / 3:
                self.leave_until(timezone.now() + HELD_FOR)
                held_at = time.monotonic()

    def batches(self) -> Iterator[int]:
        for model in (Workout, Routine, Plan) if self.in_workouts else (Routine, Plan):
            for owner in model.objects.accounts_with(self.exercise):
                account = Account(pk=owner)
                stale = model.objects.stale(account, self.exercise)
                follow = partial(model.follow_exercise, exercise_id=self.exercise_id)
                yield from in_batches(account, stale, follow)
