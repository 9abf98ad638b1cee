"""What the page of a running workout may send."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from fitness.api import fields
from fitness.api.fields import AnyField
from fitness.api.serializers import StrictSerializer
from training.api.serializers.workout import serializer_field
from training.models.draft import has_time, is_lifted
from training.models.exercise_habit import MAX_SETUP
from training.models.sets import REQUIRED, SET_FIELDS, SetField
from training.models.timed import Measure

MAX_HELD = 200  # rules whose changes are switched off
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


class MomentField(fields.StringField):
    """A time in UTC with milliseconds, as the text that it is."""

    default_error_messages = {"invalid": "Must be a time such as 2026-11-22T18:30:00.000Z."}

    def to_internal_value(self, value: Any) -> str:
        text = super().to_internal_value(value)
        try:
            if MOMENT.fullmatch(text) and parse_datetime(text):
                return text
        except ValueError:
            pass
        return self.fail("invalid")


class IdField(fields.StringField):
    """A UUID, as the text that the service writes."""

    default_error_messages = {"invalid": "Must be a UUID."}

    def to_internal_value(self, value: Any) -> str:
        try:
            return str(UUID(super().to_internal_value(value)))
        except ValueError:
            return self.fail("invalid")


class ElementSerializer(StrictSerializer):
    """What exercises and sets share."""

    uid = fields.StringField(max_length=36)
    order = fields.NumberField(min_value=-1e9, max_value=1e9)
    changed_at = MomentField()
    removed_at = MomentField(allow_null=True)


class DraftSetSerializer(ElementSerializer):
    """A set with a time of `done_at` in place of `completed`: until then it may lack its numbers."""

    seconds = fields.IntegerField(min_value=0, max_value=604_800, allow_null=True, required=False)
    distance_km = fields.NumberField(min_value=0, max_value=10_000, allow_null=True, required=False)
    done_at = MomentField(allow_null=True)

    def get_fields(self) -> dict[str, AnyField]:
        of_set = {one.name: draft_field(one) for one in SET_FIELDS if one.name != "completed"}
        return {**super().get_fields(), **of_set}

    def validate(self, attrs: Any) -> Any:
        if attrs["done_at"] and not is_lifted(attrs) and not has_time(attrs):
            raise ValidationError(_("A set that is done has a weight and repetitions, a time or a distance."))
        return attrs


def draft_field(one: SetField) -> AnyField:
    """A page that was loaded before a value came to be noted leaves it out, which takes nothing away."""
    if one.default is None:
        return serializer_field(one, default=empty, required=False)
    return serializer_field(one, default=empty, allow_null=one.default is REQUIRED)


class DraftExerciseSerializer(ElementSerializer):
    exercise_id = fields.StringField(max_length=100)
    measure = fields.ChoiceField(Measure)
    rest_seconds = fields.IntegerField(min_value=0, max_value=3600)
    rests_in_superset = fields.BooleanField()
    setup = fields.StringField(allow_blank=True, max_length=MAX_SETUP)
    notes = fields.StringField(allow_blank=True, max_length=5000)
    superset_id = fields.StringField(allow_null=True, allow_blank=True, max_length=200)
    sets = DraftSetSerializer(many=True, max_length=200)

    def validate_sets(self, sets: Any) -> Any:
        return with_own_uids(sets)


class DraftDocumentSerializer(StrictSerializer):
    id = IdField()
    started_at = MomentField()
    title = fields.StringField(allow_blank=True, max_length=200)
    notes = fields.StringField(allow_blank=True, max_length=5000)
    changed_at = MomentField()
    plan_id = IdField(allow_null=True)
    routine_id = IdField(allow_null=True)
    exercises = DraftExerciseSerializer(many=True, max_length=200)

    def validate_exercises(self, exercises: Any) -> Any:
        return with_own_uids(exercises)


class FinishSerializer(StrictSerializer):
    duration_seconds = fields.IntegerField(min_value=0, max_value=604_800)
    keep_undone = fields.BooleanField(default=False)
    # Ids of rules: those whose targets stay, and those that move though the move is large.
    held = serializers.ListField(child=IdField(), max_length=MAX_HELD, default=list)
    confirmed = serializers.ListField(child=IdField(), max_length=MAX_HELD, default=list)


class DraftRequestSerializer(StrictSerializer):
    """The body of a PUT."""

    document = DraftDocumentSerializer()
    finish = FinishSerializer(allow_null=True, default=None)
    add_missing = fields.BooleanField(default=False)


class RestAlarmSerializer(StrictSerializer):
    """The body of a PUT."""

    seconds = fields.IntegerField(min_value=1, max_value=3600)


class NextTimeSerializer(StrictSerializer):
    """The body of the question what a finish would do to targets."""

    document = DraftDocumentSerializer()
    keep_undone = fields.BooleanField(default=False)


def with_own_uids(elements: Sequence[Any]) -> Sequence[Any]:
    if len({one["uid"] for one in elements}) < len(elements):
        raise ValidationError("Two have the same uid.")
    return elements
