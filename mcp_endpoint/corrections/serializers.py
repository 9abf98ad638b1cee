"""Arguments of the tools that correct, and what their results hold of the record before."""

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework import serializers
from rest_framework.fields import empty

from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api import fields
from fitness.api.fast_validation import AnyField
from fitness.api.serializers import QuerySerializer, StrictSerializer, Values
from fitness.api.viewsets import parse_uuid
from fitness.days import utc_today
from fitness.json import JsonObject, timestamp
from mcp_endpoint.serializers import IDS, WorkoutToLog, id_field
from nutrition.api.serializers import MealTickSerializer, NutritionDaySerializer
from nutrition.models import NutritionDay
from supplements.api.serializers import SupplementSerializer
from supplements.models import Supplement, hours_and_minutes
from training.api.serializers.plan import PlanSerializer
from training.api.serializers.routine import RoutineSerializer
from training.api.serializers.workout import WorkoutSerializer
from training.api.views.progression import ProgressionViewSet, RoutineProgressionViewSet
from training.models import Plan, Routine, Workout

# --- Arguments ----------------------------------------------------------------------------------


class PartialSerializer(StrictSerializer):
    """Changes of a record: all but its id may be left out, and stays as it is then."""

    def get_fields(self) -> dict[str, AnyField]:
        declared = super().get_fields()
        for name, field in declared.items():
            if name not in IDS and not field.read_only:
                field.required, field.default = False, empty
        return declared


class WorkoutReplacement(WorkoutToLog):
    if_updated_at = fields.TimestampField(
        default=None,
        help_text="updated_at of the workout as it was read: refused where it has changed since.",
    )


class WeightChange(PartialSerializer, WeightLogSerializer):
    logged_at = fields.TimestampField(help_text="When it was weighed, RFC 3339 with an offset.")


class MeasurementChange(PartialSerializer, MeasurementSerializer):
    logged_at = fields.TimestampField(help_text="When it was measured, RFC 3339 with an offset.")

    def validate(self, attrs: Values) -> Values:
        """A change may leave out each site, but not clear the last one."""
        logs = self.context["account"].measurements
        self.context["instance"] = logs.get(pk=parse_uuid(attrs["measurement_id"]))
        return super().validate(attrs)


class DayArguments(QuerySerializer):
    day = fields.DayField(help_text="The day, YYYY-MM-DD.")


class TickArguments(QuerySerializer):
    supplement_id = id_field("supplement_id")
    day = fields.DayField(
        default=utc_today, help_text="The day of the tick, YYYY-MM-DD; today in UTC when left out."
    )


class SupplementToAdd(SupplementSerializer):
    name = fields.StringField(max_length=200, help_text="What it is called.")
    time = fields.StringField(
        max_length=5, validators=[hours_and_minutes], help_text="The time of day to take it, HH:MM."
    )


class SupplementChange(PartialSerializer, SupplementToAdd):
    pass


# --- What there was before, as clients read it ----------------------------------------------------


class WorkoutBefore(WorkoutSerializer):
    def to_representation(self, instance: Workout) -> JsonObject:
        document: JsonObject = orjson.loads(instance.document)
        return document


class RoutineBefore(RoutineSerializer):
    rules = serializers.DictField(required=False)  # how its targets follow what was lifted, where they do

    def to_representation(self, instance: Routine) -> JsonObject:
        return with_rules(instance.document, RoutineProgressionViewSet(instance=instance).document())


class PlanBefore(PlanSerializer):
    rules = serializers.DictField(required=False)  # as above

    def to_representation(self, instance: Plan) -> JsonObject:
        return with_rules(instance.document, ProgressionViewSet(instance=instance).document())


def with_rules(document: Mapping[str, Any], rules: JsonObject) -> JsonObject:
    return {**document, "rules": rules} if rules["rules"] else {**document}


class NutritionDayBefore(NutritionDaySerializer):
    meals = MealTickSerializer(many=True)

    def to_representation(self, instance: NutritionDay) -> JsonObject:
        ticks = instance.account.meal_ticks.filter(nutrition_day=instance).select_related("nutrition_day")
        meals = MealTickSerializer.rendered_list(ticks.order_by("id"))
        return {**NutritionDaySerializer.rendered(instance), "meals": meals}


class SupplementBefore(SupplementSerializer):
    ticks = serializers.DictField()  # when it was taken, by the day

    def to_representation(self, instance: Supplement) -> JsonObject:
        ticks = instance.logs.order_by("day").values_list("day", "taken_at")
        taken = {str(day): timestamp(taken_at) for day, taken_at in ticks}
        return {**SupplementSerializer.rendered(instance), "ticks": taken}


class FormerPlanSerializer(StrictSerializer):
    id = fields.StringField()
    name = fields.StringField()


class ActivatedPlanSerializer(PlanSerializer):
    retired = FormerPlanSerializer(allow_null=True)
