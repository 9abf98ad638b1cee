from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from fitness.api import fields
from fitness.api.serializers import PageSerializer, StrictSerializer
from fitness.days import utc_today
from supplements.models import hours_and_minutes


class SupplementSerializer(StrictSerializer):
    """An entry of the supplement schedule, which is managed in the app."""

    id = fields.StringField(read_only=True)
    name = fields.StringField(max_length=200)
    dosage = fields.StringField(
        default="", allow_blank=True, max_length=200, help_text="As it was entered, for example `5 g`."
    )
    time = fields.StringField(max_length=5, help_text="The time of day to take it, HH:MM.")
    created_at = fields.TimestampField(read_only=True)


class SupplementToAdd(SupplementSerializer):
    """An entry as a tool adds it, from what somebody has said."""

    name = fields.StringField(max_length=200, help_text="What it is called.")
    time = fields.StringField(
        max_length=5, validators=[hours_and_minutes], help_text="The time of day to take it, HH:MM."
    )


class SupplementPageSerializer(PageSerializer):
    supplements = SupplementSerializer(many=True)


TICK = {"day": "2026-03-02", "taken_at": "2026-03-02T07:15:00Z"}


@extend_schema_serializer(
    examples=[
        OpenApiExample("Taken today", value={}, request_only=True),
        OpenApiExample("Taken on a day", value=TICK, request_only=True),
    ]
)
class SupplementLogSerializer(StrictSerializer):
    """A tick: the supplement was taken on that day."""

    id = fields.StringField(read_only=True)
    supplement_id = fields.StringField(read_only=True)
    day = fields.DayField(
        default=utc_today, help_text="The day it was taken for, YYYY-MM-DD; today in UTC when left out."
    )
    taken_at = fields.TimestampField(
        default=timezone.now,
        help_text="When it was taken, RFC 3339 with an offset; now when left out.",
    )


class SupplementLogPageSerializer(PageSerializer):
    logs = SupplementLogSerializer(many=True)
