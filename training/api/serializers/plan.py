from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from django.db.models import TextChoices
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework.exceptions import ValidationError
from rest_framework.settings import api_settings

from fitness.api import fields
from fitness.api.serializers import PageSerializer, StrictListSerializer, StrictSerializer
from training.api.serializers.references import ReferringSerializer
from training.api.serializers.routine import PlannedExerciseSerializer
from training.models.planned import PlanDay

WEEKDAYS = {
    1: "Monday",
    2: "Tuesday",
    3: "Wednesday",
    4: "Thursday",
    5: "Friday",
    6: "Saturday",
    7: "Sunday",
}


class WeekSerializer(StrictListSerializer):
    """Seven days, which come out in weekday order."""

    def to_internal_value(self, data: Any) -> list[PlanDay]:
        days: list[PlanDay] = []
        errors: dict[Any, Any] = {}  # by the index of the day
        try:
            days = super().to_internal_value(data)
        except ValidationError as error:
            errors = cast(dict[Any, Any], error.detail)  # as ListSerializer raises it
            if api_settings.NON_FIELD_ERRORS_KEY in errors:
                raise
        for index, message in repetitions(data):
            errors.setdefault(index, {}).setdefault("weekday", [message])
        if errors:
            raise ValidationError(errors)
        return sorted(days, key=lambda day: day["weekday"])


def repetitions(days: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """Yields (index, message) for every day whose weekday another day has as well."""
    weekdays = [day.get("weekday") if isinstance(day, Mapping) else None for day in days]
    missing = [f"{number} ({name})" for number, name in WEEKDAYS.items() if number not in weekdays]
    for index, weekday in enumerate(weekdays):
        if weekday in range(1, 8) and weekdays.count(weekday) > 1:
            yield index, f"occurs more than once; missing: {', '.join(missing)}."


class PlanDaySerializer(StrictSerializer):
    """One day of the week in a plan."""

    class Meta:
        list_serializer_class = WeekSerializer

    weekday = fields.IntegerField(
        min_value=1, max_value=7, help_text="1 is Monday, 7 is Sunday; each occurs once in a plan."
    )
    # A field of the day, not Field.label.
    label = fields.StringField(  # type: ignore[assignment]
        max_length=200, help_text="What to call the day, such as `Pull` or `Rest`."
    )
    focus = fields.StringField(
        default="", allow_blank=True, max_length=200, help_text="What the day is about, in a few words."
    )
    rest = fields.BooleanField(default=False, help_text="True for a day off, which carries no exercises.")
    exercises = PlannedExerciseSerializer(
        many=True,
        default=list,
        max_length=100,
        help_text="At most 100, in the order to do them; none on a rest day.",
    )

    def validate(self, attrs: PlanDay) -> PlanDay:
        if attrs["rest"] and attrs["exercises"]:
            message = "a rest day carries no exercises; leave them out, or set rest to false."
            raise ValidationError({"exercises": [message]})
        return attrs


class OneDaySerializer(ReferringSerializer, PlanDaySerializer):
    """A day that is sent without its plan."""


class PlanChangeKind(TextChoices):
    REPLACED = "replaced"
    ACTIVATED = "activated"
    RETIRED = "retired"
    PROGRESSED = "progressed"
    DELOADED = "deloaded"


class PlanChangeSerializer(StrictSerializer):
    """A change of a plan after its creation."""

    at = fields.TimestampField()
    kind = fields.ChoiceField(
        PlanChangeKind,
        help_text="`replaced` by a PUT, `activated`, or `retired`: no longer active. `progressed` and "
        "`deloaded`: a workout moved targets that have rules up, or down.",
    )
    detail = fields.StringField(help_text="What happened, in a sentence for people.")


def day_off(weekday: int) -> dict[str, Any]:
    return {"weekday": weekday, "label": "Rest", "rest": True}


EXAMPLE = {
    "name": "Three days, full body",
    "summary": "A squat, a press and a pull on each day.",
    "progression": "Add 2.5 kg when all sets reach their repetitions; every sixth week at 60 %.",
    "active": True,
    "days": [
        {
            "weekday": 1,
            "label": "Full body A",
            "focus": "Squat",
            "exercises": [
                {"exercise_id": "barbell-back-squat", "sets": 5, "reps": 5, "weight_kg": 110},
                {"exercise_id": "barbell-bench-press", "sets": 4, "reps": 6, "weight_kg": 80},
            ],
        },
        day_off(2),
        {
            "weekday": 3,
            "label": "Full body B",
            "focus": "Deadlift",
            "exercises": [
                {"exercise_id": "barbell-deadlift", "sets": 3, "reps": 5, "weight_kg": 140},
                {"exercise_id": "chin-up", "sets": 4, "reps": 8, "weight_kg": 0},
            ],
        },
        day_off(4),
        {
            "weekday": 5,
            "label": "Full body C",
            "focus": "Press",
            "exercises": [
                {"exercise_id": "barbell-overhead-press", "sets": 5, "reps": 5, "weight_kg": 52.5},
                {"exercise_id": "barbell-front-squat", "sets": 3, "reps": 8, "weight_kg": 80},
            ],
        },
        day_off(6),
        day_off(7),
    ],
}


class PlanSource(TextChoices):
    MANUAL = "manual"
    AI = "ai"


@extend_schema_serializer(examples=[OpenApiExample("A week of three days", value=EXAMPLE, request_only=True)])
class PlanSerializer(ReferringSerializer):
    """A weekly training plan. At most one plan of an account is active."""

    id = fields.StringField(read_only=True)
    name = fields.StringField(max_length=200, help_text="What to call it; at most 200 characters.")
    summary = fields.StringField(
        default="", allow_blank=True, max_length=5000, help_text="What the plan is for, and for whom."
    )
    progression = fields.StringField(
        default="",
        allow_blank=True,
        max_length=5000,
        help_text="How to add load from week to week: a text for people, which moves no target by itself.",
    )
    days_per_week = fields.IntegerField(read_only=True, help_text="How many days are not rest days.")
    active = fields.BooleanField(
        required=False,
        help_text="Whether this is the plan in use; true retires the plan that was. "
        "Left out, a new plan is inactive, and a replaced one stays as it is.",
    )
    # A field of the plan, not Field.source.
    source = fields.ChoiceField(  # type: ignore[assignment]
        PlanSource, read_only=True, help_text="`manual` for what clients create."
    )
    days = PlanDaySerializer(
        many=True,
        min_length=7,
        max_length=7,
        help_text="Exactly seven, one for each weekday in any order; they come back from Monday on.",
        error_messages={
            "min_length": "has fewer than seven days; give one for each weekday, 1 to 7, with rest true "
            "for a day off.",
            "max_length": "has more than seven days; give one for each weekday, 1 to 7.",
        },
    )
    history = PlanChangeSerializer(
        many=True, read_only=True, help_text="The latest 100 changes, oldest first; empty on creation."
    )
    created_at = fields.TimestampField(read_only=True)
    updated_at = fields.TimestampField(
        read_only=True, allow_null=True, help_text="The latest change; null until there is one."
    )


class PlanPageSerializer(PageSerializer):
    plans = PlanSerializer(many=True)
