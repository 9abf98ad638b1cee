"""Arguments of the tools that correct, and their results, which hold what was there before."""

from rest_framework import serializers
from rest_framework.fields import empty

from body.api.serializers import MeasurementSerializer, WeightLogSerializer
from fitness.api import fields
from fitness.api.fast_validation import AnyField
from fitness.api.serializers import QuerySerializer, StrictSerializer, Values
from fitness.api.viewsets import parse_uuid
from fitness.days import utc_today
from mcp_endpoint.serializers import WorkoutToLog, id_field
from nutrition.api.serializers import MealTickSerializer, NutritionDaySerializer
from supplements.api.serializers import SupplementSerializer
from supplements.models import hours_and_minutes
from training.api.serializers.plan import PlanSerializer
from training.api.serializers.routine import RoutineSerializer


class PartialSerializer(StrictSerializer):
    """Changes of a record: all but its id may be left out, and stays as it is then."""

    id_name: str

    def get_fields(self) -> dict[str, AnyField]:
        declared = super().get_fields()
        for name, field in declared.items():
            if name != self.id_name and not field.read_only:
                field.required, field.default = False, empty
        return declared


# --- Arguments ----------------------------------------------------------------------------------


class WorkoutReplacement(WorkoutToLog):
    workout_id = id_field("workout_id")
    if_updated_at = fields.TimestampField(
        default=None,
        help_text="updated_at of the workout as it was read: refused where it has changed since.",
    )


class WeightChange(PartialSerializer, WeightLogSerializer):
    id_name = "weight_id"
    weight_id = id_field("weight_id")
    logged_at = fields.TimestampField(help_text="When it was weighed, RFC 3339 with an offset.")


class MeasurementChange(PartialSerializer, MeasurementSerializer):
    id_name = "measurement_id"
    measurement_id = id_field("measurement_id")
    logged_at = fields.TimestampField(help_text="When it was measured, RFC 3339 with an offset.")

    def validate(self, attrs: Values) -> Values:
        """A change may leave out each site, but not clear the last one."""
        logs = self.context["account"].measurements
        self.context["instance"] = logs.get(pk=parse_uuid(attrs["measurement_id"]))
        return super().validate(attrs)


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
    id_name = "supplement_id"
    supplement_id = id_field("supplement_id")


class DayArguments(QuerySerializer):
    day = fields.DayField(help_text="The day, YYYY-MM-DD.")


# --- Results ------------------------------------------------------------------------------------


def corrected(
    record: type[StrictSerializer], before: type[StrictSerializer] | None = None
) -> type[StrictSerializer]:
    """The result of a tool that changes a record: the record, and in `before` what has changed of it."""
    return with_field(record, "Corrected", before=(before or record)())


def deleted(record: type[StrictSerializer]) -> type[StrictSerializer]:
    """The result of a tool that deletes a record: the record in `deleted`."""
    return with_field(StrictSerializer, "Deleted", deleted=record())


def with_field(base: type[StrictSerializer], prefix: str, **added: AnyField) -> type[StrictSerializer]:
    return type(f"{prefix}{base.__name__}", (base,), added)


class PlanBefore(PlanSerializer):
    rules = serializers.DictField(required=False)  # how its targets follow what was lifted, where they do


class RoutineBefore(RoutineSerializer):
    rules = serializers.DictField(required=False)  # as above


class NutritionDayBefore(NutritionDaySerializer):
    meals = MealTickSerializer(many=True)


class SupplementBefore(SupplementSerializer):
    ticks = serializers.DictField()  # when it was taken, by the day


class FormerPlanSerializer(StrictSerializer):
    id = fields.StringField()
    name = fields.StringField()


class ActivatedPlanSerializer(PlanSerializer):
    retired = FormerPlanSerializer(allow_null=True)
