"""The serializers that every resource builds on: strict about names, complete in their complaints."""

import difflib
from collections.abc import Mapping

from django.http import QueryDict
from rest_framework import serializers

from fitness.api.fields import StringField, TimestampField, WholeNumberField


class StrictSerializer(serializers.Serializer):
    """Refuses fields that the resource does not have; ignores those that the server manages."""

    default_error_messages = {"invalid": "Must be an object."}
    member = "field"

    def to_internal_value(self, data):
        if not isinstance(data, Mapping):
            self.fail("invalid")
        unknown = {name: [self.unknown_field(name)] for name in data if name not in self.fields}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **unknown}) from None
        if unknown:
            raise serializers.ValidationError(unknown)
        return value

    def unknown_field(self, name):
        known = [field.field_name for field in self._writable_fields]
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        if near:
            return f"unknown {self.member}; did you mean {near[0]}?"
        return f"unknown {self.member}; there are: {', '.join(known) or 'none'}."


class QuerySerializer(StrictSerializer):
    """The query parameters of an operation; also the arguments of the tool that does the same."""

    member = "parameter"

    def to_internal_value(self, data):
        if not isinstance(data, QueryDict):
            return super().to_internal_value(data)
        repeated = {name: ["given more than once."] for name, values in data.lists() if len(values) > 1}
        try:
            value = super().to_internal_value(self.parsed(data))
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **repeated}) from None
        if repeated:
            raise serializers.ValidationError(repeated)
        return value

    def parsed(self, data):
        fields = self.fields
        return {
            name: fields[name].from_query(text) if name in fields else text for name, text in data.items()
        }


class PageSerializer(StrictSerializer):
    """A page of a list; subclasses add the records under the resource's name."""

    next_cursor = StringField(allow_null=True, help_text="`cursor` of the next page; null on the last one.")


class PageQuery(QuerySerializer):
    limit = WholeNumberField(
        default=25, min_value=1, max_value=100, help_text="How many records one answer holds at most."
    )
    cursor = StringField(
        default=None,
        help_text="`next_cursor` of the previous answer: goes on where that page ended. Opaque.",
    )


class WindowSerializer(QuerySerializer):
    """A time window. Subclasses word the help text of their own record."""

    since = TimestampField(default=None, help_text="Only from this moment on (inclusive), RFC 3339.")
    until = TimestampField(default=None, help_text="Only before this moment (exclusive), RFC 3339.")

    def validate(self, attrs):
        since, until = attrs.get("since"), attrs.get("until")
        if since and until and since > until:
            raise serializers.ValidationError({"since": ["must not be after until."]})
        return attrs


class WindowPageQuery(WindowSerializer, PageQuery):
    pass
