from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from body.models import SITES, Values
from fitness.api import fields
from fitness.api.serializers import PageSerializer, StrictSerializer

WEIGHT = {
    "weight_kg": 82.4,
    "body_fat_percent": 18.5,
    "notes": "Before breakfast.",
    "logged_at": "2026-03-02T06:45:00Z",
}


@extend_schema_serializer(
    examples=[OpenApiExample("A weight in the morning", value=WEIGHT, request_only=True)]
)
class WeightLogSerializer(StrictSerializer):
    """A body weight, weighed at one moment."""

    id = fields.StringField(read_only=True)
    weight_kg = fields.NumberField(above=0, max_value=1000, help_text="Body weight in kg, over 0 to 1,000.")
    body_fat_percent = fields.NumberField(
        default=None,
        allow_null=True,
        min_value=0,
        max_value=100,
        help_text="Body fat in percent of the body weight, 0 to 100; null when not measured.",
    )
    notes = fields.StringField(
        default="", allow_blank=True, max_length=5000, help_text="Free text, at most 5,000 characters."
    )
    logged_at = fields.TimestampField(
        default=timezone.now,
        help_text="When it was weighed, RFC 3339 with an offset; may be backdated; now when left out.",
    )


class WeightPageSerializer(PageSerializer):
    weight = WeightLogSerializer(many=True)


def site_field(place: str) -> fields.NumberField:
    return fields.NumberField(
        default=None,
        allow_null=True,
        above=0,
        max_value=1000,
        help_text=f"Circumference of {place} in cm, over 0 to 1,000; null when not measured.",
    )


MEASUREMENT = {"waist_cm": 84.5, "hips_cm": 98, "logged_at": "2026-03-02T06:45:00Z"}


@extend_schema_serializer(examples=[OpenApiExample("Waist and hips", value=MEASUREMENT, request_only=True)])
class MeasurementSerializer(StrictSerializer):
    """Tape measurements of one moment; at least one site is given."""

    default_error_messages = {"no_site": f"Must hold at least one of {', '.join(SITES)}."}

    id = fields.StringField(read_only=True)
    chest_cm = site_field("the chest")
    waist_cm = site_field("the waist")
    hips_cm = site_field("the hips")
    arms_cm = site_field("the upper arms")
    thighs_cm = site_field("the thighs")
    neck_cm = site_field("the neck")
    logged_at = fields.TimestampField(
        default=timezone.now,
        help_text="When it was measured, RFC 3339 with an offset; may be backdated; now when left out.",
    )

    def validate(self, attrs: Values) -> Values:
        stored = self.context.get("instance")
        if all(attrs.get(site, getattr(stored, site, None)) is None for site in SITES):
            self.fail("no_site")
        return attrs


class MeasurementPageSerializer(PageSerializer):
    measurements = MeasurementSerializer(many=True)


GOAL = {"target_weight_kg": 76, "target_body_fat_percent": 14, "deadline": "2026-06-30"}


@extend_schema_serializer(examples=[OpenApiExample("A cut until summer", value=GOAL, request_only=True)])
class GoalSerializer(StrictSerializer):
    """What the account wants to reach. The newest goal is the current one."""

    id = fields.StringField(read_only=True)
    target_weight_kg = fields.NumberField(
        default=None,
        allow_null=True,
        above=0,
        max_value=1000,
        help_text="Body weight to reach in kg, over 0 to 1,000; null for none.",
    )
    target_body_fat_percent = fields.NumberField(
        default=None,
        allow_null=True,
        min_value=0,
        max_value=100,
        help_text="Body fat to reach in percent, 0 to 100; null for none.",
    )
    deadline = fields.DayField(
        default=None, allow_null=True, help_text="The day to reach it by, YYYY-MM-DD; null for no day."
    )
    start_weight_kg = fields.NumberField(
        default=None,
        allow_null=True,
        above=0,
        max_value=1000,
        help_text=(
            "Body weight at the start in kg, over 0 to 1,000. The latest weight log when left out; null "
            "when there is none."
        ),
    )
    created_at = fields.TimestampField(read_only=True)


class GoalPageSerializer(PageSerializer):
    goals = GoalSerializer(many=True)


class SummarySerializer(StrictSerializer):
    """What the logs of the window amount to, in their unit; null where there is nothing to tell."""

    entries = fields.IntegerField(help_text="How many logs have the value.")
    first = fields.NumberField(allow_null=True, help_text="The oldest value.")
    last = fields.NumberField(allow_null=True, help_text="The newest value.")
    change = fields.NumberField(allow_null=True, help_text="`last` minus `first`, to 2 decimals.")
    average = fields.NumberField(allow_null=True, help_text="Mean of the logs, to 2 decimals.")
    minimum = fields.NumberField(allow_null=True)
    maximum = fields.NumberField(allow_null=True)
    change_per_week = fields.NumberField(
        allow_null=True,
        help_text=(
            "Slope of the least-squares line through the logs, a week, to 2 decimals; null while all "
            "logs are of one instant."
        ),
    )


class PointSerializer(StrictSerializer):
    """A day with a weight log."""

    day = fields.DayField(help_text="The day in UTC.")
    weight_kg = fields.NumberField(help_text="The last log of the day, kg.")
    trend_kg = fields.NumberField(
        help_text=(
            "Exponential moving average in kg, to 2 decimals: starts at the first log of the 400 days before "
            "the window, and moves by 1 - 0.9^n of the difference after n days."
        )
    )
    body_fat_percent = fields.NumberField(allow_null=True, help_text="Of the same log, percent.")


class BodyTrendSerializer(StrictSerializer):
    """How body weight and body fat went over a window."""

    since = fields.TimestampField(help_text="Begin of the window (inclusive).")
    until = fields.TimestampField(help_text="End of the window (exclusive).")
    weight = SummarySerializer(help_text="Body weight, kg.")
    body_fat = SummarySerializer(help_text="Body fat, percent.")
    points = PointSerializer(many=True, help_text="One a day with a log, oldest first.")
