from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from fitness.api import fields
from fitness.api.serializers import PageSerializer
from training.api.serializers.planned import PlannedExerciseSerializer
from training.api.serializers.references import ReferringSerializer

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
