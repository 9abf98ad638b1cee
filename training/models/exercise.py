import datetime

from django.db import models, transaction
from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, Subquery, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Length, Lower, StrIndex
from django.db.models.lookups import GreaterThan

from fitness.api.pagination import Keyset, MixedKeyset
from training.catalogue.folding import asked, folded
from training.catalogue.matching import Named, nearest


class MuscleGroup(models.TextChoices):
    CHEST = "Chest", "Chest"
    BACK = "Back", "Back"
    LEGS = "Legs", "Legs"
    SHOULDERS = "Shoulders", "Shoulders"
    ARMS = "Arms", "Arms"
    CORE = "Core", "Core"
    FULL_BODY = "Full body", "Full body"


class Equipment(models.TextChoices):
    BARBELL = "Barbell", "Barbell"
    DUMBBELL = "Dumbbell", "Dumbbell"
    CABLE = "Cable", "Cable"
    MACHINE = "Machine", "Machine"
    BODYWEIGHT = "Bodyweight", "Bodyweight"
    KETTLEBELL = "Kettlebell", "Kettlebell"
    BAND = "Band", "Band"


class Level(models.TextChoices):
    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    EXPERT = "expert"


class Mechanic(models.TextChoices):
    COMPOUND = "compound"
    ISOLATION = "isolation"
    OTHER = "other"


class Force(models.TextChoices):
    PUSH = "push"
    PULL = "pull"
    STATIC = "static"
    OTHER = "other"


class Category(models.TextChoices):
    STRENGTH = "strength"
    POWERLIFTING = "powerlifting"
    OLYMPIC = "olympic weightlifting"
    STRONGMAN = "strongman"
    PLYOMETRICS = "plyometrics"
    STRETCHING = "stretching"
    CARDIO = "cardio"


SHOWN_IN_WORKOUTS = ("name", "muscle_group")
NEVER = datetime.datetime.min.replace(tzinfo=datetime.UTC)


class FoldedField(models.TextField):
    """What searches read of the names that other fields of the row hold; follows them on every save."""

    def __init__(self, of: list[str], **options: object) -> None:
        super().__init__(editable=False, default="", **options)
        self.of = of

    def deconstruct(self):
        name, path, args, options = super().deconstruct()
        del options["editable"], options["default"]
        return name, path, args, {**options, "of": self.of}

    def pre_save(self, exercise: models.Model, add: bool) -> str:
        setattr(exercise, self.attname, self.value_of(exercise))
        return getattr(exercise, self.attname)

    def value_of(self, exercise: models.Model) -> str:
        held = [getattr(exercise, field) for field in self.of]
        return folded([name for names in held for name in ([names] if isinstance(names, str) else names)])


class ExerciseQuerySet(models.QuerySet):
    by_name = Keyset("exercises by name", "name", "id", descending=False)
    best_first = MixedKeyset("exercises found", "rank", "-trained", "length", "name", "id")

    def search(self, text: str, account: models.Model) -> "ExerciseQuerySet":
        """Exercises that are called so, to be ordered by `best_first`; all for a blank text."""
        if text.strip():
            return self.found(account.pk, **asked(text))
        return self.by_use(account.pk, rank=Value(1))

    def found(self, account, whole, words, beginnings) -> "ExerciseQuerySet":
        """Exercises by `rank`: 1, a name or alias is the whole text; 2, the words begin words of the name;
        3, the name holds them; 4, where no name holds all of them, name and aliases together do.

        Takes the texts of `asked`, or Parameters in their place.
        """
        name_holds_all = every("name_folded", words)
        is_called = holds("names_folded", whole)
        no_name_holds_all = ~Exists(Exercise.objects.filter(name_holds_all))
        rank = Case(
            When(is_called, then=1),
            When(every("name_folded", beginnings), then=2),
            When(name_holds_all, then=3),
            default=4,
            output_field=IntegerField(),
        )
        # The first condition rules out most rows at once.
        found = self.filter(every("names_folded", words), name_holds_all | is_called | no_name_holds_all)
        return found.by_use(account, rank)

    def by_use(self, account, rank) -> "ExerciseQuerySet":
        """Annotates rank, when the account has `trained` it last, and the `length` of the name."""
        from training.models import WorkoutExercise  # it imports exercises, not the other way round

        sessions = WorkoutExercise.objects.filter(account=account).sessions_with(OuterRef("pk"))
        newest = sessions.order_by("-started_at").values("started_at")[:1]
        return self.annotate(
            rank=rank, trained=Coalesce(Subquery(newest), Value(NEVER)), length=Length("name")
        )

    def nearest(self, text: str) -> list[Named]:
        """Rows with id and name of the three exercises whose names are most like a text, best first."""
        return nearest(text, self.names())

    def names(self) -> "ExerciseQuerySet":
        """The rows that `nearest` compares."""
        return self.values_list("id", "name", "names_folded", named=True)

    def only_of(self, muscle_group=None, equipment=None):
        """Exercises of a muscle group and of an equipment, where they are given."""
        wanted = {"muscle_group": muscle_group, "equipment": equipment}
        return self.filter(**{name: value for name, value in wanted.items() if value is not None})

    def merge(self, entries):
        """Adds entries (dicts of fields) and updates those that differ; returns what it changed.

        What staff have edited is left as they want it. Other records follow by CatalogueChange.
        """
        known = self.in_bulk()
        changed = []
        for entry in entries:
            exercise = known.get(entry["id"])
            if exercise is None or (exercise.differs_from(entry) and not exercise.edited):
                changed.append(Exercise(**entry))
        fields = [field.name for field in Exercise._meta.fields if field.name != "id"]
        with transaction.atomic():
            self.bulk_create(
                changed, update_conflicts=True, unique_fields=["id"], update_fields=fields, batch_size=500
            )
            note_changes([(known[one.pk], one) for one in changed if one.pk in known])
        return changed

    def fold_again(self) -> None:
        """Brings folded names in line with this version's way of folding."""
        fields = [field for field in Exercise._meta.fields if isinstance(field, FoldedField)]
        stale = [
            one for one in self if any(getattr(one, field.attname) != field.value_of(one) for field in fields)
        ]
        for exercise in stale:
            exercise.save()


def note_changes(changes):
    """Notes what workouts, routines and plans no longer show as it is; see CatalogueChange."""
    from training.models import CatalogueChange  # imports this module

    CatalogueChange.objects.add_for(changes)


def holds(column: str, text: str | Combinable) -> Q:
    return Q(GreaterThan(StrIndex(F(column), text if isinstance(text, Combinable) else Value(text)), 0))


def every(column: str, texts: list) -> Q:
    return Q(*(holds(column, text) for text in texts))


class Exercise(models.Model):
    """An entry of the catalogue; the same for all accounts."""

    id = models.SlugField(primary_key=True, max_length=120)
    name = models.CharField(max_length=200)
    muscle_group = models.CharField(max_length=20, choices=MuscleGroup)
    equipment = models.CharField(max_length=20, choices=Equipment)
    level = models.CharField(max_length=20, choices=Level)
    mechanic = models.CharField(max_length=20, choices=Mechanic)
    force = models.CharField(max_length=20, choices=Force)
    category = models.CharField(max_length=30, choices=Category)
    secondary_muscles = models.JSONField(default=list, blank=True)
    instructions = models.TextField(blank=True)
    images = models.JSONField(default=list, blank=True)
    aliases = models.JSONField(
        default=list, blank=True, help_text="Other names of the same movement, for searches and imports."
    )
    name_folded = FoldedField(of=["name"])
    names_folded = FoldedField(of=["name", "aliases"])
    edited = models.BooleanField(
        default=False, help_text="Edited here: a new version of the shipped catalogue leaves it alone."
    )

    objects = ExerciseQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("name"), name="exercise_name_unique")]
        indexes = [models.Index(fields=["name", "id"], name="exercise_by_name")]

    def __str__(self):
        return self.name

    SHOWN = ("name", "muscle_group", "equipment")  # what routines and plans repeat of it

    def save(self, *args, **kwargs):
        """Stores the exercise. What shows it elsewhere follows by CatalogueChange."""
        with transaction.atomic():
            before = Exercise.objects.filter(pk=self.pk).first()
            super().save(*args, **kwargs)
            if before:
                note_changes([(before, self)])

    @property
    def shown(self):
        return {name: getattr(self, name) for name in self.SHOWN}

    def shown_otherwise(self, other: "Exercise") -> set[str]:
        """The names of what is SHOWN and differs between the two."""
        return {name for name in self.SHOWN if getattr(self, name) != getattr(other, name)}

    def differs_from(self, entry):
        return any(getattr(self, name) != value for name, value in entry.items())
