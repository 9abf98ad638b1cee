"""How workouts, routines and plans follow a change of the catalogue: in batches, by a worker."""

import datetime
import logging
import time
from collections.abc import Iterator

from django.db.models import Model
from django.utils import timezone

from accounts.models import Account
from training.models.batches import Change, in_batches
from training.models.catalogue_change import HELD_FOR, CatalogueChange
from training.models.exercise_habit import ExerciseHabit
from training.models.plan import Plan
from training.models.routine import Routine
from training.models.workout import Workout
from training.models.workout_corrections import render_batch

log = logging.getLogger("fitness.catalogue")

# Seconds after a change to look again for what was stored by requests that had read the exercise before it:
# most end at once, but on SQLite a write may wait 20 seconds for others.
LOOK_AGAIN_AFTER = (3, 25)
# How some rows of a locked account follow the catalogue; returns how many changed.
FOLLOW: dict[type[Model], Change] = {
    Workout: render_batch,
    Routine: Routine.refresh_batch,
    Plan: Plan.refresh_batch,
    ExerciseHabit: ExerciseHabit.follow_merge,
}


def refresh_from_catalogue() -> int:
    """Brings workouts, routines and plans in line with the changes that are due; returns how many changed."""
    return sum(refreshing_from_catalogue())


def refreshing_from_catalogue() -> Iterator[int]:
    """Does the same a batch at a time.

    Yields how many rows each batch changed, between transactions: each account has its own, so that nobody
    else waits long.
    """
    for change in CatalogueChange.objects.due().select_related("exercise__merged_into"):
        yield from follow(change)


def follow(change: CatalogueChange) -> Iterator[int]:
    """Changes what is stale, and deletes the change once nothing stale can follow."""
    started_at = timezone.now()
    if not change.hold():
        return
    total, held_at = 0, time.monotonic()
    for changed in batches(change):
        total += changed
        yield changed
        if time.monotonic() - held_at > HELD_FOR.total_seconds() / 3:  # goes on holding the change
            change.leave_until(timezone.now() + HELD_FOR)
            held_at = time.monotonic()
    looks = (change.changed_at + datetime.timedelta(seconds=after) for after in LOOK_AGAIN_AFTER)
    if next_look := next((look for look in looks if look > started_at), None):
        change.leave_until(next_look)
    else:
        change.delete()
    if total:
        log.info("%s workouts, routines and plans follow the catalogue", total)


def batches(change: CatalogueChange) -> Iterator[int]:
    for model in (Workout, Routine, Plan, ExerciseHabit) if change.in_workouts else (Routine, Plan):
        own = change.exercise.owner_id
        for owner in [own] if own else model.objects.accounts_with(change.exercise):
            account = Account(pk=owner)
            stale = model.objects.stale(account, change.exercise)
            yield from in_batches(account, stale, FOLLOW[model])
