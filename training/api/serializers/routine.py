from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from fitness.api import fields
from fitness.api.serializers import PageSerializer, StrictSerializer
from training.api.serializers.references import ExerciseIdField, ReferringSerializer
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


EXAMPLE = {
    "name": "Upper body, heavy",
    "focus": "Pressing strength",
    "exercises": [
        {"exercise_id": "barbell-bench-press", "sets": 5, "reps": 5, "weight_kg": 92.5},
        {
            "exercise_id": "bent-over-barbell-row",
            "sets": 4,
            "reps": 8,
            "weight_kg": 70,
            "note": "Pause for a second at the chest.",
        },
        {"exercise_id": "chin-up", "sets": 3, "reps": 8, "weight_kg": 0},
    ],
}


@extend_schema_serializer(examples=[OpenApiExample("An upper body day", value=EXAMPLE, request_only=True)])
class RoutineSerializer(ReferringSerializer):
    """A saved template of a single training day."""

    id = fields.StringField(read_only=True)
    name = fields.StringField(max_length=200, help_text="What to call it; at most 200 characters.")
    focus = fields.StringField(
        default="", allow_blank=True, max_length=200, help_text="What the day is about, in a few words."
    )
    use_count = fields.IntegerField(
        read_only=True, help_text="How many workouts were started from it in the app."
    )
    exercises = PlannedExerciseSerializer(
        many=True, max_length=100, help_text="At most 100, in the order to do them."
    )
    created_at = fields.TimestampField(read_only=True)


class RoutinePageSerializer(PageSerializer):
    routines = RoutineSerializer(many=True)
