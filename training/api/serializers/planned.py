from typing import Any

from fitness.api import fields
from fitness.api.serializers import StrictSerializer
from training.api.serializers.references import ExerciseIdField
from training.models.exercise import Equipment, MuscleGroup
from training.models.planned import PlannedExercise, planned


class PlannedExerciseSerializer(StrictSerializer):
    """One exercise of a routine or of a plan's day: what to do, not what was done."""

    exercise_id = ExerciseIdField(help_text="Catalogue id, from search_exercises (GET /exercises).")
    name = fields.StringField(read_only=True, help_text="The exercise's name.")
    muscle_group = fields.ChoiceField(MuscleGroup, read_only=True, help_text="The exercise's muscle group.")
    equipment = fields.ChoiceField(Equipment, read_only=True, help_text="What the exercise is done with.")
    sets = fields.IntegerField(min_value=1, max_value=100, help_text="How many sets to do, 1 to 100.")
    reps = fields.IntegerField(min_value=0, max_value=10_000, help_text="Repetitions to aim for in each set.")
    weight_kg = fields.NumberField(
        min_value=0, max_value=2000, help_text="Load to aim for in kg; 0 for body weight alone."
    )
    note = fields.StringField(
        default="", allow_blank=True, max_length=5000, help_text="A remark, such as a tempo or a rest."
    )

    def validate(self, attrs: Any) -> PlannedExercise:
        """`attrs` are a PlannedTarget and the exercise, which ExerciseIdField has found by its id."""
        return planned(attrs.pop("exercise_id"), attrs)
