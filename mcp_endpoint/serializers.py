"""Arguments and results of tools where they differ from the queries, bodies and responses of REST.

A field that is None removes the one that it inherits.
"""

import datetime
from collections.abc import Iterable
from typing import Any

from django.db.models import TextChoices
from rest_framework import serializers
from rest_framework.fields import empty

from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api import fields
from fitness.api.fields import AnyField
from fitness.api.serializers import (
    REMOVED,
    PageSerializer,
    QuerySerializer,
    StrictSerializer,
    Values,
    WindowPageQuery,
)
from supplements.api.serializers import SupplementLogSerializer
from training.api.serializers.exercise import (
    ExerciseQuery,
    HistorySerializer,
    SessionSerializer,
)
from training.api.serializers.references import PlanIdField
from training.api.serializers.workout import (
    WorkoutExerciseSerializer,
    WorkoutPageSerializer,
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


def with_ids(base: type[StrictSerializer], names: Iterable[str]) -> type[StrictSerializer]:
    """The arguments, with those of the ids that REST has in the path."""
    own = base.shared().fields
    return extended(base, **{name: id_field(name) for name in names if name not in own})


def with_detail(base: type[StrictSerializer]) -> type[StrictSerializer]:
    """The arguments of a tool that has a brief form (see mcp_endpoint/brief.py)."""
    detail = fields.ChoiceField(Detail, default=Detail.FULL.value, help_text="brief: see the description.")
    return extended(base, detail=detail)


class Change(StrictSerializer):
    """Changes of a record: all but its id may be left out, and stays as it is then."""

    def get_fields(self) -> dict[str, AnyField]:
        declared = super().get_fields()
        for name, field in declared.items():
            if name not in IDS and not field.read_only:
                field.required, field.default = False, empty
        return declared


def of_change(base: type[StrictSerializer]) -> type[StrictSerializer]:
    """The arguments of a tool that changes what is given alone."""
    return type(base.__name__, (Change, base), {})


def extended(base: type[StrictSerializer], **added: AnyField) -> type[StrictSerializer]:
    return type(base.__name__, (base,), added) if added else base


class Detail(TextChoices):
    FULL = "full"
    BRIEF = "brief"


class SearchArguments(ExerciseQuery):
    query = fields.StringField(
        source="q",
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Name, or words of it in any order, such as `incline db press`, `RDL`, `skull crushers`.",
    )
    q = REMOVED


class PlanOrActive(StrictSerializer):
    """Arguments whose `plan_id` may be `active`, which is replaced before they are validated."""

    def run_validation(self, data: Any = empty) -> Any:
        if isinstance(data, dict) and data.get("plan_id") == ACTIVE:
            active = self.context["account"].plans.active().values_list("pk", flat=True).first()
            data = {**data, "plan_id": str(active) if active else ACTIVE}
        return super().run_validation(data)


class PlanArguments(PlanOrActive, QuerySerializer):
    plan_id = id_field("plan_id", instead=", or `active`")


class WorkoutToLog(PlanOrActive, WorkoutSerializer):
    plan_id = PlanIdField(
        default=None,
        allow_null=True,
        help_text="The plan that was followed: an id from list_training_plans, or `active`.",
        error_messages={
            "unknown": "does not exist; it must be the id of a plan of the user, or `active` while one is."
        },
    )


class Of(TextChoices):
    WEIGHT = "weight"
    MEASUREMENTS = "measurements"
    BOTH = "both"


class BodyMetricsArguments(WindowPageQuery):
    of = fields.ChoiceField(Of, default=Of.BOTH.value, help_text="Which of the two lists.")
    until = REMOVED
    cursor = REMOVED


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


def items_or_lines(full: AnyField, **options: Any) -> Any:
    """A list of `full`, and in brief of lines. Any: it replaces fields of another type."""
    return serializers.ListField(child=OrText(full), **options)


class BodyMetricsSerializer(PageSerializer):
    weight = items_or_lines(WeightLogSerializer(), required=False)
    measurements = items_or_lines(MeasurementSerializer(), required=False)
    next_cursor = REMOVED


WorkoutListSerializer = extended(
    WorkoutPageSerializer,
    workouts=extended(WorkoutSerializer, exercises=items_or_lines(WorkoutExerciseSerializer()))(many=True),
    names=serializers.DictField(required=False),
)
HistoryListSerializer = extended(
    HistorySerializer,
    sessions=extended(SessionSerializer, sets=OrText(WorkoutSetSerializer(many=True)))(many=True),
)
