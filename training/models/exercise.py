"""The catalogue of exercises, the same for all accounts, and exercises of an account's own.

`Exercise.objects` is the catalogue alone, so that nothing shows somebody else's exercises for want of a
condition; what an account may see and use is `Exercise.objects.seen_by(account)`.

Stored are the fields of the shipped catalogue, as staff edit them. Derived on every save are the folded
names, which searches read; workouts, routines and plans repeat name, muscle group and equipment, and follow
a change by CatalogueChange. An exercise that was merged into another one stays as a row, for its id.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, Self
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Q, Subquery
from django.db.models.functions import Coalesce, Lower
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from accounts.models import Account
from fitness.db.keysets import Keyset
from training.catalogue import CatalogueEntry
from training.catalogue.folding import compared, folded
from training.catalogue.matching import NamedExercise, nearest
from training.models.catalogue_change import CatalogueChange
from training.models.timed import Measure

log = logging.getLogger("fitness.catalogue")


# The labels are the words of screens; the API, the tools and the admin are in English.
class MuscleGroup(models.TextChoices):
    CHEST = "Chest", pgettext_lazy("muscle group", "Chest")
    BACK = "Back", pgettext_lazy("muscle group", "Back")
    LEGS = "Legs", pgettext_lazy("muscle group", "Legs")
    SHOULDERS = "Shoulders", pgettext_lazy("muscle group", "Shoulders")
    ARMS = "Arms", pgettext_lazy("muscle group", "Arms")
    CORE = "Core", pgettext_lazy("muscle group", "Core")
    FULL_BODY = "Full body", pgettext_lazy("muscle group", "Full body")


class Equipment(models.TextChoices):
    BARBELL = "Barbell", pgettext_lazy("equipment", "Barbell")
    DUMBBELL = "Dumbbell", pgettext_lazy("equipment", "Dumbbell")
    CABLE = "Cable", pgettext_lazy("equipment", "Cable")
    MACHINE = "Machine", pgettext_lazy("equipment", "Machine")
    BODYWEIGHT = "Bodyweight", pgettext_lazy("equipment", "Bodyweight")
    KETTLEBELL = "Kettlebell", pgettext_lazy("equipment", "Kettlebell")
    BAND = "Band", pgettext_lazy("equipment", "Band")


class Level(models.TextChoices):
    BEGINNER = "beginner", pgettext_lazy("level", "Beginner")
    INTERMEDIATE = "intermediate", pgettext_lazy("level", "Intermediate")
    EXPERT = "expert", pgettext_lazy("level", "Expert")


class Mechanic(models.TextChoices):
    COMPOUND = "compound", pgettext_lazy("mechanic", "Compound")
    ISOLATION = "isolation", pgettext_lazy("mechanic", "Isolation")
    OTHER = "other", pgettext_lazy("mechanic", "Other")


class Force(models.TextChoices):
    PUSH = "push", pgettext_lazy("force", "Push")
    PULL = "pull", pgettext_lazy("force", "Pull")
    STATIC = "static", pgettext_lazy("force", "Static")
    OTHER = "other", pgettext_lazy("force", "Other")


class Category(models.TextChoices):
    STRENGTH = "strength", pgettext_lazy("category", "Strength")
    POWERLIFTING = "powerlifting", pgettext_lazy("category", "Powerlifting")
    OLYMPIC = "olympic weightlifting", pgettext_lazy("category", "Olympic")
    STRONGMAN = "strongman", pgettext_lazy("category", "Strongman")
    PLYOMETRICS = "plyometrics", pgettext_lazy("category", "Plyometrics")
    STRETCHING = "stretching", pgettext_lazy("category", "Stretching")
    CARDIO = "cardio", pgettext_lazy("category", "Cardio")


WITHOUT_LOAD = (Equipment.BODYWEIGHT, Equipment.BAND)
# Exercises that are usually measured by distance or time: those whose `measures` do not begin with reps.
TIMED = Q(category=Category.CARDIO) | Q(force=Force.STATIC) & (
    Q(equipment__in=WITHOUT_LOAD) | Q(owner__isnull=False)
)
# What rows and documents of workouts follow: they show the first two, and the third decides their least help.
SHOWN_IN_WORKOUTS = ("name", "muscle_group", "is_assisted")


class ExerciseSummary(Protocol):
    """What workouts, routines and plans repeat of an exercise: an Exercise, or a row of these columns."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def muscle_group(self) -> str: ...
    @property
    def equipment(self) -> str: ...
    @property
    def is_assisted(self) -> bool: ...


class FoldedField(models.TextField):  # type: ignore[type-arg]  # Django's fields take no parameters at runtime
    """The folded text of the names in other fields of the row, which searches read; set on every save."""

    def __init__(self, of: list[str], **options: Any) -> None:
        super().__init__(editable=False, default="", **options)
        self.of = of

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, path, args, options = super().deconstruct()
        del options["editable"], options["default"]
        return name, path, args, {**options, "of": self.of}

    def pre_save(self, exercise: models.Model, add: bool) -> str:
        text = self.value_of(exercise)
        setattr(exercise, self.attname, text)
        return text

    def value_of(self, exercise: models.Model) -> str:
        values = [getattr(exercise, field) for field in self.of]
        return folded([name for names in values for name in ([names] if isinstance(names, str) else names)])


class ExerciseQuerySet(models.QuerySet["Exercise"]):
    by_name = Keyset("exercises by name", "name", "id", descending=False)

    def nearest(self, text: str) -> list[NamedExercise]:
        """Rows with id and name of the three exercises whose names are most like a text, best first."""
        return nearest(text, self.names())

    def names(self) -> Iterable[NamedExercise]:
        """The rows that `nearest` compares."""
        return self.active().order_by("id").values_list("id", "name", "names_folded", named=True)

    def active(self) -> Self:
        """Exercises that searches find: those that are not retired."""
        return self.filter(retired_at=None)

    def retired(self) -> Self:
        return self.filter(merged_into=None).exclude(retired_at=None)

    def merged(self) -> Self:
        return self.exclude(merged_into=None)

    def with_kept(self) -> Self:
        """Exercises with those that they were merged into, so that `kept` takes no statement."""
        return self.select_related("merged_into")

    def assisted_among(self, ids: Iterable[str]) -> set[str]:
        """Those of the ids that are of exercises whose weight is help."""
        return set(self.filter(pk__in=set(ids), is_assisted=True).values_list("pk", flat=True))

    def find(self, exercise_id: str) -> "Exercise":
        """The exercise of an id, or the one it was merged into. Raises DoesNotExist."""
        return self.with_kept().get(pk=exercise_id).kept

    def find_all(self, ids: Iterable[str]) -> "dict[str, Exercise]":
        """What `find` finds for each of the ids that exist, by these."""
        return {pk: exercise.kept for pk, exercise in self.with_kept().in_bulk(ids).items()}

    def kept_id(self, exercise_id: str) -> Subquery:
        """The id of what `find` finds, for conditions."""
        return Subquery(self.filter(pk=exercise_id).values(kept=Coalesce("merged_into", "pk"))[:1])

    def merge(self, entries: "Iterable[CatalogueEntry]") -> "list[Exercise]":
        """Adds entries and updates those that differ; returns the exercises that it added or updated.

        What staff have edited is left alone, and what they have retired stays retired. An entry whose name
        staff have given to another exercise is left out, with a line in the log. Workouts, routines and plans
        follow by CatalogueChange.
        """
        known = self.in_bulk()
        named = {one.name.lower(): one for one in known.values() if one.merged_into_id is None}
        changed = []
        for entry in entries:
            exercise, namesake = known.get(entry["id"]), named.get(entry["name"].lower())
            if namesake and namesake.pk != entry["id"]:
                log.warning("%s is left out: %s has its name here", entry["id"], namesake.pk)
            elif exercise is None or (exercise.fields_other_than(entry) and not exercise.edited):
                changed.append(Exercise(**entry))
        with transaction.atomic():
            self.bulk_create(
                changed,
                update_conflicts=True,
                unique_fields=["id"],
                update_fields=Exercise.description_fields(),
                batch_size=500,
            )
            add_changes([(known[one.pk], one) for one in changed if one.pk in known])
        return changed

    def fold_again(self) -> None:
        """Brings folded names in line with this version's way of folding."""
        fields = [field for field in Exercise._meta.fields if isinstance(field, FoldedField)]
        stale = [
            one for one in self if any(getattr(one, field.attname) != field.value_of(one) for field in fields)
        ]
        for exercise in stale:
            exercise.save(update_fields=[field.name for field in fields])


_ExerciseManager = models.Manager.from_queryset(ExerciseQuerySet)


class ExerciseManager(_ExerciseManager["Exercise"]):
    """The catalogue. Exercises of accounts are found by the methods here alone."""

    def get_queryset(self) -> ExerciseQuerySet:
        return self.of_everyone().filter(owner=None)

    def of_everyone(self) -> ExerciseQuerySet:
        """The catalogue and the own exercises of all accounts, for what is done to stored rows."""
        return ExerciseQuerySet(self.model, using=self._db)

    def seen_by(self, account: Account | UUID) -> ExerciseQuerySet:
        """What an account may see and use: the catalogue, and its own."""
        return self.of_everyone().filter(Q(owner=None) | Q(owner=account))

    def owned_by(self, account: Account) -> ExerciseQuerySet:
        return self.of_everyone().filter(owner=account)

    def offered(self) -> ExerciseQuerySet:
        """What accounts have offered to the catalogue, and nobody has taken yet."""
        theirs = self.of_everyone().filter(owner__deleted_at=None)
        return theirs.filter(merged_into=None, offered_at__isnull=False)


def add_changes(changes: "Iterable[tuple[Exercise, Exercise]]") -> None:
    """Stores a CatalogueChange for each (exercise before, after) that others show differently now.

    Must run in the transaction that stores the exercises.
    """
    CatalogueChange.objects.bulk_create(
        CatalogueChange(exercise=after, in_workouts=bool(changed.intersection(SHOWN_IN_WORKOUTS)))
        for before, after in changes
        if (changed := before.changed_fields(after))
    )


class Exercise(models.Model):
    """An entry of the catalogue, the same for all accounts; with an `owner`, an exercise of its own."""

    id = models.SlugField(primary_key=True, max_length=120)
    name = models.CharField(max_length=200)
    muscle_group = models.CharField(max_length=20, choices=MuscleGroup)
    equipment = models.CharField(max_length=20, choices=Equipment)
    level = models.CharField(max_length=20, choices=Level)
    mechanic = models.CharField(max_length=20, choices=Mechanic)
    force = models.CharField(max_length=20, choices=Force)
    category = models.CharField(max_length=30, choices=Category)
    secondary_muscles: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list, blank=True)
    # On screens the best session with such an exercise is the one with least help; the API and the tools have
    # the heaviest set as its record, too, as specified.
    is_assisted = models.BooleanField(
        "weight is help",
        default=False,
        db_default=False,
        help_text="The weight of its sets is help, as on an assisted pull-up machine: the less, the better.",
    )
    instructions = models.TextField(blank=True)
    images: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list, blank=True)
    aliases: "models.JSONField[list[str], list[str]]" = models.JSONField(
        default=list, blank=True, help_text="Other names of the same movement, for searches and imports."
    )
    name_folded = FoldedField(of=["name"])
    names_folded = FoldedField(of=["name", "aliases"])
    edited = models.BooleanField(
        default=False, help_text="Edited here: a new version of the shipped catalogue leaves it alone."
    )
    retired_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="Since then searches leave it out. Workouts, routines and plans keep it.",
    )
    # Never one that is itself merged, so that one step leads to the exercise that is kept. Without a
    # constraint in the database: a restore stores rows in the order of their ids, and a cluster would refuse
    # one before the exercise that it was merged into.
    merged_into: "models.ForeignKey[Exercise | None, Exercise | None]" = models.ForeignKey(
        "self",
        null=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
        db_constraint=False,
        limit_choices_to={"retired_at": None},
        help_text="This one has its names, its workouts, its routines and its plans, and answers to its id.",
    )

    owner: "models.ForeignKey[Account | None, Account | None]" = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        editable=False,
        on_delete=models.CASCADE,
        related_name="+",  # a reverse manager would add the condition of `objects`, and find none
        db_index=False,
        help_text="Whose own it is, and nobody else sees it. None has an entry of the catalogue.",
    )
    offered_at = models.DateTimeField(
        null=True, editable=False, help_text="Since then its owner offers it to the catalogue."
    )

    objects = ExerciseManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("name"), name="exercise_name_unique", condition=Q(merged_into=None, owner=None)
            ),
            models.UniqueConstraint(
                "owner",
                Lower("name"),
                name="own_exercise_name_unique",
                condition=Q(merged_into=None, owner__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["name", "id"], name="exercise_by_name"),
            models.Index(fields=["owner", "name", "id"], name="exercise_by_owner"),
        ]

    def __str__(self) -> str:
        return self.name

    SHOWN = ("name", "muscle_group", "equipment")  # what routines and plans repeat of it

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Stores the exercise. Workouts, routines and plans that show it follow by CatalogueChange."""
        with transaction.atomic():
            before = Exercise.objects.of_everyone().filter(pk=self.pk).first()
            super().save(*args, **kwargs)
            if before:
                add_changes([(before, self)])

    @property
    def is_timed(self) -> bool:
        """Whether it is usually measured by time or distance (see `TIMED`)."""
        return self.measures[0] != Measure.REPS

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What its sets are measured by, the usual measure first."""
        if self.category == Category.CARDIO:
            return (Measure.DISTANCE, Measure.REPS)
        if self.force == Force.STATIC and (self.is_without_load or self.owner_id):  # as its owner says
            return (Measure.TIME, Measure.REPS)
        if self.force == Force.STATIC:  # held or carried
            return (Measure.REPS, Measure.TIME, Measure.DISTANCE)
        return (Measure.REPS,)

    @property
    def is_without_load(self) -> bool:
        """Whether its sets have no weight unless somebody adds one."""
        return self.equipment in WITHOUT_LOAD or self.category == Category.CARDIO

    @classmethod
    def description_fields(cls) -> list[str]:
        """The fields that an edit stores: not those by which it is retired and merged, perhaps meanwhile."""
        others = ("id", "retired_at", "merged_into", "owner", "offered_at")
        return [field.name for field in cls._meta.fields if field.name not in others]

    @property
    def kept(self) -> "Exercise":
        """The exercise that this one was merged into, or this one."""
        return self.merged_into or self

    def merge_into(self, kept: "Exercise", *, is_taken: bool = False) -> bool:
        """Gives this exercise up for another one, which takes its names, and answers to its id from now on.

        An own exercise leaves its names out of the catalogue, unless staff take it (`is_taken`): then it must
        be offered as it is here, and gives its name alone, as staff have not seen the others. Workouts,
        routines and plans follow by CatalogueChange. Returns False where this was done before. Raises
        ValidationError where it cannot be done, and DoesNotExist where one of the two is deleted.
        """
        with transaction.atomic():
            every = Exercise.objects.of_everyone().with_kept()
            both = every.select_for_update(of=["self"]).order_by("pk")
            found = both.in_bulk([self.pk, kept.pk])
            if not {self.pk, kept.pk} <= found.keys():
                raise Exercise.DoesNotExist
            given_up, kept = found[self.pk], found[kept.pk]
            if given_up.merged_into == kept:
                return False
            if problem := given_up.merge_problem(kept):
                raise ValidationError(problem)
            if is_taken and (given_up.offered_at is None or given_up.described != self.described):
                raise ValidationError(_("It is not offered to the catalogue any more."))
            names = [given_up.name] if is_taken else [given_up.name, *given_up.aliases]
            given_up.give_up_for(kept, names if is_taken or given_up.owner_id == kept.owner_id else [])
        return True

    def merge_problem(self, kept: "Exercise") -> str | None:
        """Why this exercise cannot be merged into another one, if it cannot."""
        if kept == self:
            return _("An exercise cannot be merged into itself.")
        for exercise in (self, kept):
            if exercise.merged_into:
                merged = {"exercise": exercise, "kept": exercise.merged_into}
                return _("%(exercise)s was merged into %(kept)s already; choose that one.") % merged
        if kept.owner_id not in (None, self.owner_id):
            return _("Others do not see the exercise to keep.")
        retired = _("%(exercise)s is retired; take it back first, or choose another.")
        return retired % {"exercise": kept} if kept.retired_at else None

    def give_up_for(self, kept: "Exercise", names: Sequence[str]) -> None:
        if names:
            kept.aliases = [*kept.aliases, *kept.new_among(names)]
            kept.edited = True  # so that the shipped catalogue does not take the names away again
            kept.save()
        merged_before = Q(merged_into=self.pk)
        Exercise.objects.of_everyone().filter(Q(pk=self.pk) | merged_before).update(
            merged_into=kept, retired_at=Coalesce("retired_at", timezone.now()), edited=True
        )
        CatalogueChange.objects.create(exercise=self, in_workouts=True)

    def new_among(self, names: Sequence[str]) -> list[str]:
        """Those of some names by which searches do not find this exercise."""
        known = {compared(name) for name in (self.name, *self.aliases)}
        return [name for name in names if compared(name) not in known]

    @property
    def shown(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in self.SHOWN}

    @property
    def described(self) -> dict[str, Any]:
        """What the owner of an own exercise says of it."""
        return {**self.shown, "is_assisted": self.is_assisted, "measure": self.measures[0].value}

    def changed_fields(self, other: "Exercise") -> set[str]:
        """Which of the fields that others follow differ between the two."""
        followed = (*self.SHOWN, "is_assisted")
        return {name for name in followed if getattr(self, name) != getattr(other, name)}

    def fields_other_than(self, entry: CatalogueEntry) -> list[str]:
        """The fields of which an entry of a file has other values."""
        return [name for name, value in entry.items() if getattr(self, name) != value]


def summaries_of(account: Account, ids: Iterable[str]) -> dict[str, Exercise]:
    """Exercises that the account sees, by id, with those that they were merged into; of both only what others
    repeat of them.
    """
    seen = Exercise.objects.seen_by(account).only(*Exercise.SHOWN, "is_assisted", "merged_into")
    found = seen.in_bulk(set(ids))
    kept = seen.in_bulk({one.merged_into_id for one in found.values() if one.merged_into_id})
    for exercise in found.values():
        if exercise.merged_into_id:
            exercise.merged_into = kept[exercise.merged_into_id]
    return found
