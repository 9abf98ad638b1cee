from django.db.models import TextChoices
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from fitness.api import fields
from fitness.api.serializers import (
    PageQuery,
    PageSerializer,
    StrictSerializer,
    WindowPageQuery,
    WindowSerializer,
)
from training.api.serializers.references import ExerciseIdField, PlanIdField, ReferringSerializer
from training.models.exercise import MuscleGroup
from training.models.sets import SetType


class WorkoutSetSerializer(StrictSerializer):
    """One set of an exercise."""

    type = fields.ChoiceField(
        SetType, default="working", help_text="Warm-ups count neither toward volume nor records."
    )
    weight_kg = fields.NumberField(
        min_value=0, max_value=2000, help_text="Load in kg; 0 for body weight alone."
    )
    reps = fields.IntegerField(min_value=0, max_value=10_000, help_text="Repetitions.")
    completed = fields.BooleanField(default=True, help_text="False for a set that was planned but not done.")
    rpe = fields.NumberField(
        min_value=0,
        max_value=10,
        allow_null=True,
        default=None,
        help_text="Rate of perceived exertion, 0 to 10; null when not noted.",
    )


class WorkoutExerciseSerializer(StrictSerializer):
    """One exercise of a workout, with its sets in order."""

    exercise_id = ExerciseIdField(
        source="exercise", help_text="Catalogue id, from search_exercises (GET /exercises)."
    )
    name = fields.StringField(read_only=True, help_text="The exercise's name.")
    muscle_group = fields.ChoiceField(MuscleGroup, read_only=True, help_text="The exercise's muscle group.")
    notes = fields.StringField(default="", allow_blank=True, max_length=5000)
    superset_id = fields.StringField(
        default=None,
        allow_null=True,
        allow_blank=True,
        max_length=200,
        help_text="Any text; exercises that share it were done as one superset.",
    )
    sets = WorkoutSetSerializer(
        many=True, max_length=100, help_text="At most 100, in the order they were done."
    )


EXAMPLE = {
    "title": "Push day",
    "notes": "Felt strong.",
    "started_at": "2026-03-02T17:30:00Z",
    "duration_seconds": 3900,
    "exercises": [
        {
            "exercise_id": "barbell-bench-press",
            "sets": [
                {"type": "warmup", "weight_kg": 60, "reps": 8},
                {"weight_kg": 100, "reps": 5, "rpe": 8},
                {"weight_kg": 100, "reps": 5, "rpe": 8.5},
            ],
        }
    ],
}


@extend_schema_serializer(examples=[OpenApiExample("A push day", value=EXAMPLE, request_only=True)])
class WorkoutSerializer(ReferringSerializer):
    """A training session."""

    id = fields.StringField(read_only=True)
    title = fields.StringField(
        default="", allow_blank=True, max_length=200, help_text="At most 200 characters."
    )
    notes = fields.StringField(default="", allow_blank=True, max_length=5000)
    started_at = fields.TimestampField(help_text="When the session began, RFC 3339 with an offset.")
    duration_seconds = fields.IntegerField(
        min_value=0, max_value=604_800, help_text="Length in seconds, at most a week."
    )
    volume_kg = fields.NumberField(
        read_only=True,
        help_text="Sum of weight_kg × reps over completed sets that are not warm-ups, to 2 decimals.",
    )
    plan_id = PlanIdField(
        default=None,
        allow_null=True,
        help_text="The plan that was followed, from list_training_plans (GET /plans).",
    )
    plan_name = fields.StringField(
        default=None,
        allow_null=True,
        allow_blank=True,
        max_length=200,
        help_text="Filled from the plan when left out; kept when the plan is deleted.",
    )
    exercises = WorkoutExerciseSerializer(
        many=True, max_length=100, help_text="At most 100, in the order they were done."
    )
    created_at = fields.TimestampField(read_only=True)
    updated_at = fields.TimestampField(read_only=True, help_text="The latest change; see the events.")


class WorkoutQuery(WindowPageQuery):
    pass


class WorkoutCountQuery(WindowSerializer):
    pass


class WorkoutPageSerializer(PageSerializer):
    workouts = WorkoutSerializer(many=True)


class WorkoutCountSerializer(StrictSerializer):
    count = fields.IntegerField(help_text="How many workouts started in the window.")


class EventQuery(PageQuery):
    since = fields.TimestampField(
        default=None, help_text="Only changes from this moment on (inclusive): the `at` you saw last."
    )


class WorkoutEventKind(TextChoices):
    CREATED = "created"
    UPDATED = "updated"


class WorkoutEventSerializer(StrictSerializer):
    """The latest change of one workout."""

    kind = fields.ChoiceField(
        WorkoutEventKind, help_text="`created` until the workout changes for the first time."
    )
    at = fields.TimestampField(
        help_text="The moment of the change; no two changes share one. A workout also changes when its plan "
        "is deleted, and when the catalogue gives one of its exercises another name or muscle group."
    )
    workout = WorkoutSerializer()


class EventPageSerializer(PageSerializer):
    events = WorkoutEventSerializer(many=True)
