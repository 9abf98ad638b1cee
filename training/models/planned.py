"""Planned exercises: what routines and the days of plans store, as the JSON that clients read.

Stored is each entry whole. Derived in it are the exercise's name, muscle group and equipment, which follow
the catalogue (`rename`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypedDict, TypeVar, cast
from uuid import UUID

from django.db import models
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Account
from fitness.db.owned import OfAccount, Owned
from fitness.json import dumps
from training.models.batches import change_in_batches
from training.models.exercise import Exercise, ExerciseSummary, summaries_of
from training.models.sets import counts_as_work, lifts_of
from training.models.timed import timed_sets
from training.models.workout_document import DocumentEntry

FIELDS = ("exercise_id", "name", "muscle_group", "equipment", "sets", "reps", "weight_kg", "note")


class Target(TypedDict):
    """What to do of an exercise: sets, repetitions in each, a load, and a remark."""

    sets: int
    reps: int
    weight_kg: float
    note: str


class ExerciseTarget(Target):
    exercise_id: str


class PlannedExercise(ExerciseTarget):
    """An exercise of a routine or of a plan's day, as it is stored and as clients read it."""

    name: str
    muscle_group: str
    equipment: str


class PlanDay(TypedDict):
    """One day of a plan's week, as it is stored and as clients read it."""

    weekday: int  # 1 (Monday) to 7 (Sunday); ROUTINE_DAY where the rules of a routine are folded
    label: str
    focus: str
    rest: bool
    exercises: list[PlannedExercise]


Catalogue = Mapping[str, Exercise]  # by id; an id of a merged exercise leads to the one that is kept
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

    def accounts_with(self, exercise: Exercise) -> "models.QuerySet[P, UUID]":
        """The ids of the accounts that plan the exercise."""
        return self.with_exercise(exercise).order_by().values_list("account", flat=True).distinct()

    def stale(self, account: Account, exercise: Exercise) -> list[UUID]:
        """The ids of those of the account that show the exercise otherwise than the catalogue does."""
        planning = self.filter(account=account).with_exercise(exercise)
        return [one.pk for one in planning if one.rename({exercise.pk: exercise.kept})]

    def refresh_documents(self) -> int:
        """Names planned exercises as the catalogue does now. Returns how many routines or plans changed."""
        return change_in_batches(self, self.model.refresh_batch)


class Planning(Owned):
    """What routines and plans share: a JSON column, `PLANNED`, with planned exercises somewhere in it."""

    PLANNED: ClassVar[str]

    class Meta:
        abstract = True

    @classmethod
    def refresh_batch(cls, account: Account, ids: list[UUID]) -> int:
        """Names the exercises in some of a locked account as the catalogue does; returns how many changed."""
        rows = cls._default_manager.filter(OfAccount(account.pk))
        plannings = list(rows.filter(pk__in=ids))
        exercises = {entry["exercise_id"] for planning in plannings for entry in planning.planned_exercises}
        catalogue = {pk: exercise.kept for pk, exercise in summaries_of(account, exercises).items()}
        changed = [planning for planning in plannings if planning.rename(catalogue)]
        rows.bulk_update(changed, [cls.PLANNED])
        return len(changed)

    @property
    def planned_exercises(self) -> Iterable[PlannedExercise]:
        """All exercises in it, which may repeat."""
        raise NotImplementedError

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
    found = [(entry, catalogue.get(entry["exercise_id"])) for entry in entries]
    return [
        cast(PlannedExercise, {**entry, "exercise_id": exercise.pk, **exercise.shown})  # as in `planned`
        if exercise
        else entry
        for entry, exercise in found
    ]


def targets_of(entries: Iterable[DocumentEntry]) -> list[ExerciseTarget]:
    """What to do of a workout's exercises to repeat it. Those of which nothing was done are left out.

    As many sets as were completed, of the usual repetitions (the most frequent, of equals the most) with the
    heaviest load. Times and distances are in the note; where they are all, or there are attempts alone, a set
    has one repetition.
    """
    targets: list[ExerciseTarget] = []
    for entry in entries:
        others = [*timed_sets(entry["notes"]), *filter(counts_as_work, entry["sets"])]
        if done := lifts_of(entry["sets"]) or [(0.0, 1) for _ in others]:
            frequency = Counter(reps for _, reps in done)
            targets.append(
                {
                    "exercise_id": entry["exercise_id"],
                    "sets": len(done),
                    "reps": max(frequency, key=lambda reps: (frequency[reps], reps)),
                    "weight_kg": max(weight_kg for weight_kg, _ in done),
                    "note": entry["notes"],
                }
            )
    return targets


def size_of(planning: HasDocument) -> int:
    """The bytes of a routine or a plan as clients read it."""
    return len(dumps(planning.document))


def ordered(entries: Sequence[PlannedExercise]) -> list[PlannedExercise]:
    """Entries with their fields in the order of FIELDS, which PostgreSQL does not keep."""
    as_dicts: Any = entries  # mypy looks up keys of a TypedDict by literals only
    return [cast(PlannedExercise, {name: entry[name] for name in FIELDS}) for entry in as_dicts]


def ordered_days(days: Sequence[PlanDay]) -> list[PlanDay]:
    """Days with their names in one order, as in `ordered`."""
    as_dicts: Any = days
    return [cast(PlanDay, {name: day[name] for name in PlanDay.__annotations__}) for day in as_dicts]
