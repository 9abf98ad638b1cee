from rest_framework import serializers

from fitness.api import fields
from fitness.api.serializers import PageQuery, PageSerializer, StrictSerializer
from training.api.serializers.workout import WorkoutSetSerializer
from training.models.exercise import Category, Equipment, Force, Level, Mechanic, MuscleGroup


class ExerciseSerializer(StrictSerializer):
    """An entry of the exercise catalogue."""

    id = fields.StringField(help_text="Stable and readable, for example `barbell-bench-press`.")
    name = fields.StringField()
    muscle_group = fields.ChoiceField(MuscleGroup, help_text="The group that does most of the work.")
    equipment = fields.ChoiceField(Equipment)
    instructions = fields.StringField(help_text="How to do it, in a few sentences.")
    images = serializers.ListField(
        child=serializers.URLField(), help_text="Addresses of pictures, often none."
    )
    level = fields.ChoiceField(Level, help_text="The experience it asks for.")
    mechanic = fields.ChoiceField(Mechanic, help_text="Several joints move (compound), or one.")
    force = fields.ChoiceField(Force, help_text="The direction of the effort.")
    category = fields.ChoiceField(Category)
    secondary_muscles = serializers.ListField(
        child=fields.ChoiceField(MuscleGroup), help_text="Other groups that take part."
    )
    retired_at = fields.TimestampField(
        allow_null=True,
        help_text="Since when searches leave it out; its id stays readable and writable. Null: they find it.",
    )


class ExerciseQuery(PageQuery):
    q = fields.StringField(
        default="",
        allow_blank=True,
        max_length=200,
        help_text="A name, or words of it in any order. Case, accents, hyphens, plurals and short forms "
        "(`db`, `RDL`) make no difference; other names (`military press`) are found too. First come those "
        "whose name or other name it is, then names of which its words begin words, then names that hold "
        "them; where no name holds all words, exercises whose name and other names together do. Of equals, "
        "what the account has done most often, then what it trained last, then shorter names.",
    )
    muscle_group = fields.ChoiceField(MuscleGroup, default=None, help_text="Only this muscle group.")
    equipment = fields.ChoiceField(Equipment, default=None, help_text="Only this equipment.")


class ExercisePageSerializer(PageSerializer):
    exercises = ExerciseSerializer(many=True)


class ExerciseNameSerializer(StrictSerializer):
    id = fields.StringField()
    name = fields.StringField()


class BestSetSerializer(StrictSerializer):
    """The heaviest completed set of 1 rep or more that is no warm-up; of equals the one with most reps.

    The weight of an assisted exercise is help.
    """

    weight_kg = fields.NumberField()
    reps = fields.IntegerField()
    estimated_1rm_kg = fields.NumberField(
        help_text="Estimated one-rep maximum, kg: weight_kg × (1 + reps / 30), to one decimal (Epley)."
    )


class SessionSerializer(StrictSerializer):
    """One workout's sets of the exercise."""

    workout_id = fields.StringField()
    started_at = fields.TimestampField()
    sets = WorkoutSetSerializer(many=True, help_text="In the order of the workout.")
    best_set = BestSetSerializer(allow_null=True, help_text="Null without such a set.")


class HistorySerializer(PageSerializer):
    """What the account has done with one exercise, newest session first."""

    exercise = ExerciseNameSerializer()
    sessions = SessionSerializer(many=True)
