"""Planned exercises: what routines and the days of plans store, as the JSON that clients read.

Stored is each entry whole. Derived in it are the exercise's name, muscle group and equipment, which follow
the catalogue (`rename`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypedDict, TypeVar, cast

from django.db import models
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Account
from fitness.api.renderers import dumps
from training.models.batches import change_in_batches
from training.models.exercise import Exercise, ExerciseSummary

FIELDS = ("exercise_id", "name", "muscle_group", "equipment", "sets", "reps", "weight_kg", "note")


class Target(TypedDict):
    """What to do of an exercise: sets, repetitions in each, a load, and a remark."""

    sets: int
    reps: int
    weight_kg: float
    note: str


class PlannedExercise(Target):
    """An exercise of a routine or of a plan's day, as it is stored and as clients read it."""

    exercise_id: str
    name: str
    muscle_group: str
    equipment: str


Catalogue = Mapping[str, Exercise]  # by id
P = TypeVar("P", bound="Planning")


class HasDocument(Protocol):
    """A routine or a plan: what clients read of it is its `document`."""

    @property
    def document(self) -> Mapping[str, object]: ...


class PlanningQuerySet(models.QuerySet[P]):
    """Routines or plans."""

    def with_exercise(self, exercise: Exercise) -> Self:
        """Those that plan the exercise. A few others may be among them.

        The databases share no way to search JSON, but an id is always within quotes in its text.
        """
        text = Cast(self.model.PLANNED, TextField())
        return self.alias(text=text).filter(text__contains=f'"{exercise.pk}"')

    def accounts_with(self, exercise: Exercise) -> models.QuerySet[Account]:
        """The accounts that plan the exercise."""
        return Account.objects.filter(pk__in=self.with_exercise(exercise).values("account")).only("pk")

    def stale(self, account: Account, exercise: Exercise) -> Self:
        """Those of the account that show the exercise otherwise than the catalogue does."""
        planning = self.filter(account=account).with_exercise(exercise)
        return self.filter(pk__in=[one.pk for one in planning if one.rename({exercise.pk: exercise})])

    def refresh_documents(self) -> int:
        """Names planned exercises as the catalogue does now. Returns how many routines or plans changed."""
        return change_in_batches(self, rename_exercises)


def rename_exercises(account: Account, batch: models.QuerySet[P]) -> int:
    """Names the exercises of some routines or plans as the catalogue does; returns how many changed."""
    catalogue = Exercise.objects.only(*Exercise.SHOWN).in_bulk()
    changed = [instance for instance in batch if instance.rename(catalogue)]
    batch.model._default_manager.bulk_update(changed, [batch.model.PLANNED])
    return len(changed)


class Planning(models.Model):
    """What routines and plans share: a JSON column, `PLANNED`, with planned exercises somewhere in it."""

    PLANNED: ClassVar[str]

    refresh_batch = staticmethod(rename_exercises)  # brings them in line with the catalogue

    class Meta:
        abstract = True

    def rename(self, catalogue: Catalogue) -> bool:
        """Names the exercises as `catalogue` does, without saving; returns whether that changed any."""
        raise NotImplementedError


def planned(exercise: ExerciseSummary, target: Target) -> PlannedExercise:
    return cast(  # mypy reads no names out of SHOWN
        PlannedExercise,
        {
            "exercise_id": exercise.id,
            **{name: getattr(exercise, name) for name in Exercise.SHOWN},
            **target,
        },
    )


def renamed(entries: Iterable[PlannedExercise], catalogue: Catalogue) -> list[PlannedExercise]:
    """Entries as `catalogue` names them; an exercise that it does not have stays as it is."""
    return [
        cast(PlannedExercise, {**entry, **catalogue[entry["exercise_id"]].shown})  # mypy: as in `planned`
        if entry["exercise_id"] in catalogue
        else entry
        for entry in entries
    ]


def size_of(planning: HasDocument) -> int:
    """The bytes of a routine or a plan as clients read it."""
    return len(dumps(planning.document))


def ordered(entries: Sequence[PlannedExercise]) -> list[PlannedExercise]:
    """Entries with their fields in the order of FIELDS, which PostgreSQL does not keep."""
    as_dicts: Any = entries  # mypy looks up keys of a TypedDict by literals only
    return [cast(PlannedExercise, {name: entry[name] for name in FIELDS}) for entry in as_dicts]
