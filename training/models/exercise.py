from django.db import models, transaction
from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Concat, Lower, Replace


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


class ExerciseQuerySet(models.QuerySet):
    def search(self, text):
        """Exercises whose name holds every word of the text, in any order and case.

        Annotates `rank`, the better the lower: the name begins with the text, every word of the
        text is a whole word of the name, every word begins one, or a word stands inside another.
        """
        words = text.split()
        found = self.alias(padded=padded_name())
        for word in words:
            found = found.filter(name__icontains=word)
        whole = Q(*(Q(padded__icontains=f" {word} ") for word in words))
        begins = Q(*(Q(padded__icontains=f" {word}") for word in words))
        if not words:
            return found.annotate(rank=Value(0))
        return found.annotate(
            rank=Case(
                When(name__istartswith=" ".join(words), then=0),
                When(whole, then=1),
                When(begins, then=2),
                default=3,
                output_field=IntegerField(),
            )
        )

    def only_of(self, muscle_group=None, equipment=None):
        """Exercises of a muscle group and of an equipment, where they are given."""
        wanted = {"muscle_group": muscle_group, "equipment": equipment}
        return self.filter(**{name: value for name, value in wanted.items() if value})

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


def note_changes(changes):
    """Notes what workouts, routines and plans no longer show as it is; see CatalogueChange."""
    from training.models import CatalogueChange  # imports this module

    CatalogueChange.objects.note(changes)


def padded_name():
    """The name between blanks and without hyphens, so that a word's edges are blanks."""
    return Concat(Value(" "), Replace("name", Value("-"), Value(" ")), Value(" "))


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
        default=list, blank=True, help_text="Other names of the same movement; an import matches them."
    )
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
