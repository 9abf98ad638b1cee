from typing import Any

from django.core.validators import RegexValidator
from django.db.models import TextChoices
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from fitness.api import fields
from fitness.api.fields import AnyField
from fitness.api.serializers import (
    PageQuery,
    PageSerializer,
    StrictSerializer,
)
from training.api.serializers.references import ExerciseIdField, PlanIdField, ReferringSerializer
from training.models.exercise import MuscleGroup
from training.models.sets import REQUIRED, SET_FIELDS, SetField


class WorkoutSetSerializer(StrictSerializer):
    """One set of an exercise."""

    def get_fields(self) -> dict[str, AnyField]:
        return {one.name: serializer_field(one) for one in SET_FIELDS}


def serializer_field(one: SetField, **options: Any) -> AnyField:
    """The field of a serializer; `options` are in place of what the declaration says."""
    said: dict[str, Any] = {"help_text": one.help_text}
    if one.default is not REQUIRED:
        said["default"] = one.default
    if one.default is None:
        said["allow_null"] = True
    if issubclass(one.holds, TextChoices):
        return fields.ChoiceField(one.holds, **said | options)
    if one.holds is bool:
        return fields.BooleanField(**said | options)
    if one.holds is str:
        pattern = RegexValidator(f"^(?:{one.pattern})\\Z", one.help_text)
        return fields.StringField(max_length=one.most, validators=[pattern], **said | options)
    number = fields.IntegerField if one.holds is int else fields.NumberField
    return number(min_value=0, max_value=one.most, **said | options)


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
