"""Arguments and results of tools where they differ from the queries, bodies and responses of REST.

A field that is None removes the one that it inherits.
"""

import datetime
from typing import Any

from django.db.models import TextChoices
from rest_framework import serializers
from rest_framework.fields import empty

from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api import fields
from fitness.api.fast_validation import AnyField
from fitness.api.serializers import (
    REMOVED,
    DayWindowPageQuery,
    PageQuery,
    PageSerializer,
    QuerySerializer,
    StrictSerializer,
    Values,
    WindowPageQuery,
)
from nutrition.api.serializers import NutritionDaySerializer, NutritionPageSerializer
from supplements.api.serializers import SupplementLogSerializer
from training.api.serializers.exercise import (
    ExerciseQuery,
    HistoryQuery,
    HistorySerializer,
    SessionSerializer,
)
from training.api.serializers.references import PlanIdField
from training.api.serializers.stats import PersonalRecordSerializer, RecordPageSerializer, RecordsQuery
from training.api.serializers.workout import (
    WorkoutExerciseSerializer,
    WorkoutPageSerializer,
    WorkoutQuery,
    WorkoutSerializer,
    WorkoutSetSerializer,
)

ACTIVE = "active"  # accepted as `plan_id` instead of an id
# The arguments that are ids: what they are of, and the tool that lists them.
IDS = {
    "workout_id": ("workout", "list_workouts"),
    "exercise_id": ("catalogue entry", "search_exercises"),
    "routine_id": ("routine", "list_routines"),
    "plan_id": ("training plan", "list_training_plans"),
    "weight_id": ("weight log", "get_body_metrics"),
    "measurement_id": ("tape measurement", "get_body_metrics"),
    "supplement_id": ("supplement", "list_supplements"),
}


def id_field(name: str, instead: str = "") -> fields.StringField:
    kind, source = IDS[name]
    return fields.StringField(help_text=f"Id of a {kind}, from {source}{instead}.")


def with_id(name: str, base: type[StrictSerializer] = QuerySerializer) -> type[StrictSerializer]:
    """The arguments of a tool that takes an id, and the body of a REST operation if it has one."""
    return type(f"{base.__name__}WithId", (base,), {name: id_field(name)})


class Detail(TextChoices):
    FULL = "full"
    BRIEF = "brief"


class NoArguments(QuerySerializer):
    pass


class DetailArguments(QuerySerializer):
    """The argument of a list that has a brief form (see mcp_endpoint/brief.py)."""

    detail = fields.ChoiceField(Detail, default=Detail.FULL.value, help_text="brief: see the description.")


class DetailPageQuery(PageQuery, DetailArguments):
    pass


class WorkoutListArguments(WorkoutQuery, DetailArguments):
    pass


class HistoryArguments(HistoryQuery, DetailArguments):
    exercise_id = id_field("exercise_id")
    until = REMOVED


class SearchArguments(ExerciseQuery, DetailArguments):
    query = fields.StringField(
        source="q",
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Name, or words of it in any order, such as `incline db press`, `RDL`, `skull crushers`.",
    )
    q = REMOVED


class PlanArguments(QuerySerializer):
    plan_id = id_field("plan_id", instead=", or `active`")


class PlanDetailArguments(PlanArguments, DetailArguments):
    pass


class WorkoutToLog(WorkoutSerializer):
    plan_id = PlanIdField(
        default=None,
        allow_null=True,
        help_text="The plan that was followed: an id from list_training_plans, or `active`.",
        error_messages={
            "unknown": "does not exist; it must be the id of a plan of the user, or `active` while one is."
        },
    )

    fast_validator = WorkoutSerializer.fast_validator  # `active` is replaced before either validation

    def run_validation(self, data: Any = empty) -> Any:
        if isinstance(data, dict) and data.get("plan_id") == ACTIVE:
            active = self.context["account"].plans.active().values_list("pk", flat=True).first()
            data = {**data, "plan_id": str(active) if active else ACTIVE}
        return super().run_validation(data)


class Of(TextChoices):
    WEIGHT = "weight"
    MEASUREMENTS = "measurements"
    BOTH = "both"


class BodyMetricsArguments(WindowPageQuery, DetailArguments):
    of = fields.ChoiceField(Of, default=Of.BOTH.value, help_text="Which of the two lists.")
    until = REMOVED
    cursor = REMOVED


class RecordsArguments(RecordsQuery, DetailArguments):
    cursor = REMOVED


class NutritionListArguments(DayWindowPageQuery, DetailArguments):
    pass


class NutritionArguments(NutritionDaySerializer):
    day = fields.DayField(help_text="The day whose totals these are, YYYY-MM-DD.")


class SupplementArguments(SupplementLogSerializer):
    supplement_id = id_field("supplement_id")
    day = fields.DayField(
        default=None, help_text="The day it was taken for, YYYY-MM-DD; the UTC day of taken_at when left out."
    )

    def validate(self, attrs: Values) -> Values:
        """A tick of yesterday evening is one of yesterday. REST takes today where the day is left out."""
        return {**attrs, "day": attrs["day"] or attrs["taken_at"].astimezone(datetime.UTC).date()}


class OrText(AnyField):
    """Text in the brief form of a list, the field `full` in its full form."""

    def __init__(self, full: AnyField) -> None:
        super().__init__()
        self.full = full


class BodyMetricsSerializer(PageSerializer):
    weight = serializers.ListField(child=OrText(WeightLogSerializer()), required=False)
    measurements = serializers.ListField(child=OrText(MeasurementSerializer()), required=False)
    next_cursor = REMOVED


class RecordsSerializer(RecordPageSerializer):
    records = serializers.ListField(  # type: ignore[assignment]  # replaces the inherited field
        child=OrText(PersonalRecordSerializer())
    )
    next_cursor = REMOVED


class NutritionListSerializer(NutritionPageSerializer):
    nutrition = serializers.ListField(  # type: ignore[assignment]  # replaces the inherited field
        child=OrText(NutritionDaySerializer())
    )


class ListedWorkoutSerializer(WorkoutSerializer):
    exercises = serializers.ListField(  # type: ignore[assignment]  # replaces the inherited field
        child=OrText(WorkoutExerciseSerializer())
    )


class WorkoutListSerializer(WorkoutPageSerializer):
    workouts = ListedWorkoutSerializer(many=True)
    names = serializers.DictField(required=False)


class ListedSessionSerializer(SessionSerializer):
    sets = OrText(WorkoutSetSerializer(many=True))  # type: ignore[assignment]  # as above


class HistoryListSerializer(HistorySerializer):
    sessions = ListedSessionSerializer(many=True)
