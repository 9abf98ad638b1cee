"""Workouts, routines, plans and what belongs to exercises, in archives.

An exercise that this catalogue lacks becomes one of the account's own (`missing_exercises`), so that no set
is lost where an archive is restored on another installation.
"""

import datetime
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import ngettext_lazy
from rest_framework.exceptions import ValidationError

from accounts.archives import (
    ArchiveList,
    CreatedList,
    CreatedSerializer,
    Document,
    Restoring,
    not_after,
)
from accounts.models import Account
from fitness.api import fields
from fitness.api.parsers import by_level
from fitness.api.serializers import StrictSerializer, Values
from fitness.json import Fragment, timestamp
from training.api.serializers.plan import PlanChangeSerializer, PlanSerializer, PlanSource
from training.api.serializers.references import References
from training.api.serializers.routine import RoutineSerializer
from training.api.serializers.workout import WorkoutSerializer
from training.catalogue.folding import compared
from training.catalogue.guessing import guessed
from training.imports.names import catalogue_names
from training.models import (
    CatalogueChange,
    Exercise,
    ExerciseHabit,
    ExerciseName,
    ExercisePin,
    Plan,
    Routine,
    Workout,
)
from training.models.exercise import Equipment, MuscleGroup
from training.models.exercise_habit import MAX_SETUP
from training.models.exercise_name import MAX_NAME
from training.models.own_exercise import MAX_OWN, PREFIX, in_one_line, retired_at, unsaved
from training.models.pin import MAX_PINS
from training.models.plan import MAX_HISTORY
from training.models.timed import Measure

MAX_USES = 2**31 - 1
MAX_ID = 120  # characters of an exercise's
P = TypeVar("P", Routine, Plan)


# --- Exercises ---------------------------------------------------------------------------------------


def missing_exercises(lists: dict[str, list[Any]], known: Collection[str], most: int) -> list[Document]:
    """The exercises of an archive that this catalogue lacks, as records of its `own_exercises`: one above
    `most`, if there are more. Longer ids are none.

    Workouts, routines and plans repeat what an exercise is called and trains; else its id says it.
    """
    found: dict[str, Document] = {}
    for items in by_level(lists):
        for item in items:
            exercise_id = item.get("exercise_id") if isinstance(item, dict) else None
            if not isinstance(exercise_id, str) or len(exercise_id) > MAX_ID or exercise_id in known:
                continue
            if exercise_id in found or len(found) <= most:
                described = found.setdefault(exercise_id, described_by(exercise_id))
                described |= {name: item[name] for name in Exercise.SHOWN if is_said(name, item.get(name))}
    return list(found.values())


def described_by(exercise_id: str) -> Document:
    name = exercise_id.replace("-", " ").capitalize()
    return {"id": exercise_id, "name": name, **guessed(name)}


def is_said(name: str, value: object) -> bool:
    choices: dict[str, Collection[str]] = {"muscle_group": MuscleGroup, "equipment": Equipment}
    return isinstance(value, str) and value in choices.get(name, [value])


class Catalogue(References):
    """Every exercise that records of an archive name, by its id there. Their plans are not looked up."""

    def __init__(self, restoring: Restoring) -> None:
        super().__init__(restoring.account, None)
        names = catalogue_names(restoring.account)
        self.new: dict[str, Exercise] = {}  # those of the archive's own that are made, by their ids here
        self.own: dict[str, Exercise] = {}
        by_name: dict[str, Exercise] = {}
        for archived_id, document in restoring.documents("own_exercises").items():
            name = compared(str(document.get("name")))
            if name not in by_name and (taken := names.taken.by(name)):
                by_name[name] = taken
            elif name not in by_name:
                by_name[name] = own_exercise(restoring, archived_id, document)
                self.new[by_name[name].pk] = by_name[name]
            self.own[archived_id] = by_name[name]
        self.exercises = {**self.own, **names.by_id}
        self.context = {"account": restoring.account, "known_references": self}

    def kept_id(self, archived_id: str | None) -> str:
        """The id of an exercise, or of the one that it was merged into. Raises ValidationError."""
        if archived_id not in self.exercises:
            raise ValidationError({"exercise_id": ["There is no such exercise here."]})
        return self.exercises[archived_id].id

    def same_id(self, archived_id: str) -> str:
        """The id of an exercise here, merged or not."""
        is_own = self.exercises.get(archived_id) is self.own.get(archived_id)
        return self.kept_id(archived_id) if is_own else archived_id


def own_exercise(restoring: Restoring, archived_id: str, document: Document) -> Exercise:
    """One of the archive's own, unsaved."""
    name, group, equipment = (str(document.get(name)) for name in Exercise.SHOWN)
    said = bool(document.get("is_assisted")), str(document.get("measure"))
    exercise = unsaved(restoring.account, name, group, equipment, *said)
    exercise.pk = f"{PREFIX}{restoring.new_id(archived_id).hex}"
    exercise.retired_at = retired_at(bool(document.get("retired")))
    return exercise


class OwnExerciseSerializer(StrictSerializer):
    """An exercise that the catalogue does not have."""

    name = fields.StringField(max_length=200, help_text="What it is called.")
    muscle_group = fields.ChoiceField(MuscleGroup, help_text="The main muscle group.")
    equipment = fields.ChoiceField(Equipment, help_text="What it is done with.")
    is_assisted = fields.BooleanField(help_text="Whether the weight of its sets is help.")
    measure = fields.ChoiceField(
        Measure, default=Measure.REPS.value, help_text="What its sets are usually measured by."
    )
    retired = fields.BooleanField(default=False, help_text="Whether searches leave it out.")


class OwnExercises(ArchiveList):
    """The exercises of an account's own, which are rows of the catalogue's table with an owner.

    With them come merged ones that workouts, routines and plans may still have: of several with one name, one
    is made, and none where the catalogue has the name.
    """

    name = "own_exercises"
    numbered = ngettext_lazy("%(number)s own exercise", "%(number)s own exercises", "count")
    rows = Exercise.objects.of_everyone()
    order = ("name", "id")
    serializer = OwnExerciseSerializer

    def document(self, row: Exercise) -> Document:
        """An exercise, or under its id the one that it was merged into."""
        kept = row.kept
        return {"id": row.pk, **kept.described, "retired": kept.retired_at is not None}

    def documents(self, account: Account) -> Iterator[object]:
        is_followed = ~Exists(CatalogueChange.objects.filter(exercise=OuterRef("pk")))
        own = self.of(account).exclude(is_followed, merged_into__isnull=False)
        return map(self.document, own.select_related("merged_into").order_by(*self.order))

    def of(self, account: Account) -> QuerySet[Any]:
        return Exercise.objects.owned_by(account)

    def values(self, document: Document, restoring: Restoring) -> Values:
        values = self.validated({name: value for name, value in document.items() if name != "id"})
        if not compared(in_one_line(values["name"])):
            raise ValidationError({"name": ["must have letters or digits"]})
        catalogue = restoring.of(Catalogue)
        exercise = catalogue.exercises[str(document["id"])]
        if exercise.id in list(catalogue.new)[MAX_OWN:]:
            raise ValidationError({"id": [f"is beyond the {MAX_OWN} exercises that an account may have"]})
        return {"exercise": catalogue.new.get(exercise.id)}

    def store(self, account: Account, values: Sequence[Values]) -> None:
        new = {one["exercise"].pk: one["exercise"] for one in values if one["exercise"]}
        Exercise.objects.bulk_create(new.values())

    def remove_some(self, account: Account, most: int) -> int:
        """All at once: there are few. With them goes what only describes them."""
        own = self.of(account)
        for rows in (account.exercise_names, account.exercise_pins, account.exercise_habits):
            rows.filter(exercise__in=own)._raw_delete(connection.alias)
        CatalogueChange.objects.filter(exercise__owner=account)._raw_delete(connection.alias)
        return own._raw_delete(connection.alias)


# --- Workouts, routines, plans -----------------------------------------------------------------------


class Workouts(ArchiveList):
    name = "workouts"
    numbered = ngettext_lazy("%(number)s workout", "%(number)s workouts", "count")
    rows = Workout.objects.only("account", "document")
    order = ("started_at", "id")
    serializer = WorkoutSerializer

    def document(self, row: Workout) -> Fragment:
        return Fragment(row.document)

    def values(self, document: Document, restoring: Restoring) -> Values:
        """The workout's id, its values, and the id of its plan, which is None once that is deleted."""
        plan_id = str(document.get("plan_id"))
        values = self.validated({**document, "plan_id": None}, restoring.of(Catalogue).context)
        has_plan = plan_id in restoring.keys("plans")
        return {
            "id": restoring.new_id(document["id"]),
            "values": {**values, "plan_id": restoring.new_id(plan_id) if has_plan else None},
        }

    def days(self, values: Values) -> list[datetime.date]:
        return [values["values"]["started_at"].astimezone(datetime.UTC).date()]

    def store(self, account: Account, values: Sequence[Values]) -> None:
        Workout.objects.log_all(account, [(one["id"], one["values"]) for one in values])


class Planned(CreatedList, Generic[P]):
    """Routines or plans."""

    def document(self, row: P) -> object:
        return row.document

    def values(self, document: Document, restoring: Restoring) -> Values:
        context = restoring.of(Catalogue).context
        return {**self.validated(document, context), "id": restoring.new_id(document["id"])}


class RoutineExtras(CreatedSerializer):
    use_count = fields.IntegerField(default=0, min_value=0, max_value=MAX_USES)


class Routines(Planned[Routine]):
    name = "routines"
    numbered = ngettext_lazy("%(number)s routine", "%(number)s routines", "count")
    rows = Routine.objects.all()
    serializer = RoutineSerializer
    managed = RoutineExtras


class ArchivedChangeSerializer(PlanChangeSerializer):
    detail = fields.StringField(max_length=1000)


class PlanExtras(CreatedSerializer):
    active = fields.BooleanField(default=False)
    # A field of the plan, not Field.source.
    source = fields.ChoiceField(PlanSource, default=PlanSource.MANUAL)  # type: ignore[assignment]
    history = ArchivedChangeSerializer(many=True, default=list, max_length=MAX_HISTORY)
    updated_at = fields.TimestampField(default=None, allow_null=True)


class Plans(Planned[Plan]):
    """Plans with their history. Of several active ones, which no export has, the first stays active."""

    name = "plans"
    numbered = ngettext_lazy("%(number)s plan", "%(number)s plans", "count")
    rows = Plan.objects.all()
    serializer = PlanSerializer
    managed = PlanExtras

    def values(self, document: Document, restoring: Restoring) -> Values:
        values = super().values(document, restoring)
        return {**values, "history": [{**one, "at": timestamp(one["at"])} for one in values["history"]]}

    def new_rows(self, account: Account, values: Sequence[Values]) -> list[Any]:
        plans: list[Plan] = super().new_rows(account, values)
        has_active = account.plans.active().exists()
        for plan in plans:
            plan.updated_at = plan.updated_at and not_after(plan.created_at, plan.updated_at)
            plan.active = plan.active and not has_active
            has_active = has_active or plan.active
        return plans


# --- What belongs to exercises -----------------------------------------------------------------------


class ExerciseNameSerializer(StrictSerializer):
    """A name of an exercise in another app's files, and what it means to the account."""

    source = fields.StringField(  # type: ignore[assignment]  # the name of an argument of fields, too
        max_length=20, help_text="The format of the files, such as hevy."
    )
    name = fields.StringField(max_length=MAX_NAME, help_text="The name in them.")
    fate = fields.ChoiceField(ExerciseName.Fate, help_text="Whether its sets are stored, and as what.")
    exercise_id = fields.StringField(
        default=None, allow_null=True, max_length=120, help_text="Catalogue id, with the fate `exercise`."
    )


class ExerciseNames(ArchiveList):
    name = "exercise_names"
    numbered = ngettext_lazy("%(number)s chosen name", "%(number)s chosen names", "count")
    rows = ExerciseName.objects.all()
    order = ("source", "name")
    serializer = ExerciseNameSerializer
    key = ("source", "name")
    is_setting = True

    def values(self, document: Document, restoring: Restoring) -> Values:
        values = self.validated(document)
        is_exercise = values["fate"] == ExerciseName.Fate.EXERCISE
        kept_id = restoring.of(Catalogue).kept_id(values["exercise_id"]) if is_exercise else None
        return {**values, "exercise_id": kept_id}


class ExerciseHabitSerializer(StrictSerializer):
    """The rest and setup that Train remembers for an exercise."""

    exercise_id = fields.StringField(max_length=120, help_text="Catalogue id.")
    rest_seconds = fields.IntegerField(min_value=0, max_value=3600, help_text="The rest after a set.")
    rests_in_superset = fields.BooleanField(
        default=False, help_text="Whether that comes before the next exercise of a superset, too."
    )
    setup = fields.StringField(
        default="", allow_blank=True, max_length=MAX_SETUP, help_text="A note that stays with the exercise."
    )


class ExerciseHabits(ArchiveList):
    """Each exercise has one, also where several of the archive are one here."""

    name = "exercise_habits"
    numbered = ngettext_lazy("%(number)s rest and setups", "%(number)s rests and setups", "count")
    rows = ExerciseHabit.objects.all()
    order = ("exercise",)
    serializer = ExerciseHabitSerializer
    key = ("exercise_id",)
    is_setting = True

    def values(self, document: Document, restoring: Restoring) -> Values:
        values = self.validated(document)
        return {**values, "exercise_id": restoring.of(Catalogue).kept_id(values["exercise_id"])}


class ExercisePinSerializer(StrictSerializer):
    """An exercise that leads the account's progress."""

    exercise_id = fields.StringField(max_length=120, help_text="Catalogue id.")


class ExercisePins(ArchiveList):
    name = "exercise_pins"
    numbered = ngettext_lazy("%(number)s pinned exercise", "%(number)s pinned exercises", "count")
    rows = ExercisePin.objects.all()
    order = ("exercise_id",)
    serializer = ExercisePinSerializer
    key = ("exercise_id",)
    is_setting = True
    most = MAX_PINS

    def values(self, document: Document, restoring: Restoring) -> Values:
        return {"exercise_id": restoring.of(Catalogue).same_id(self.validated(document)["exercise_id"])}
