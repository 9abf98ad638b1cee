"""Planned exercises: what routines and the days of plans hold, as the JSON that clients read."""

from typing import Self

from django.db import models
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Account
from fitness.api.renderers import dumps
from training.models.batches import change_in_batches
from training.models.exercise import Exercise

FIELDS = ("exercise_id", "name", "muscle_group", "equipment", "sets", "reps", "weight_kg", "note")


class PlanningQuerySet(models.QuerySet):
    """Of a model that names the JSON column of its planned exercises `PLANNED` and can `rename` them."""

    def with_exercise(self, exercise: Exercise) -> Self:
        """Records that plan the exercise. A few others may be among them.

        The databases share no way to search JSON, but an id stands between quotes in its text.
        """
        text = Cast(self.model.PLANNED, TextField())
        return self.alias(text=text).filter(text__contains=f'"{exercise.pk}"')

    def accounts_with(self, exercise: Exercise) -> "models.QuerySet[Account]":
        """The accounts that plan the exercise."""
        return Account.objects.filter(pk__in=self.with_exercise(exercise).values("account")).only("pk")

    def stale(self, account: Account, exercise: Exercise) -> Self:
        """Records of the account that name the exercise otherwise than the catalogue does."""
        planning = self.filter(account=account).with_exercise(exercise)
        return self.filter(pk__in=[one.pk for one in planning if one.rename({exercise.pk: exercise})])

    def refresh_documents(self):
        """Names planned exercises as the catalogue does now. Returns how many records that changed."""
        return change_in_batches(self, rename_exercises)


def rename_exercises(account, batch):
    catalogue = Exercise.objects.only(*Exercise.SHOWN).in_bulk()
    changed = [instance for instance in batch if instance.rename(catalogue)]
    batch.model.objects.bulk_update(changed, [batch.model.PLANNED])
    return len(changed)


def planned(exercise, values):
    """The entry of an exercise, or of a row of what is SHOWN of it; `values` holds the other FIELDS."""
    return {
        "exercise_id": exercise.id,
        **{name: getattr(exercise, name) for name in Exercise.SHOWN},
        **values,
    }


def renamed(entries, catalogue):
    """Entries as `catalogue` (Exercises by id) names them; what it does not have stays as it is."""
    return [
        {**entry, **(catalogue[entry["exercise_id"]].shown if entry["exercise_id"] in catalogue else {})}
        for entry in entries
    ]


def size_of(planning):
    """The bytes of a routine or a plan as clients read it."""
    return len(dumps(planning.document))


def ordered(entries):
    """Entries with their fields in the order of FIELDS, which PostgreSQL does not keep."""
    return [{name: entry[name] for name in FIELDS} for entry in entries]
