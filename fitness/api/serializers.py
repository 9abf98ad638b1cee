"""The serializers that every resource builds on: strict about names, complete in their complaints."""

import datetime
import difflib
import threading
from collections.abc import Mapping
from functools import cached_property

from django.http import QueryDict
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.settings import api_settings

from fitness.api import plain
from fitness.api.fields import DayField, StringField, TimestampField, WholeNumberField

kept = threading.local()

EARLIEST = datetime.datetime.min.replace(tzinfo=datetime.UTC)
RECENT = datetime.timedelta(days=90)


class StrictSerializer(serializers.Serializer):
    """Refuses fields that the resource does not have; ignores those that the server manages."""

    default_error_messages = {"invalid": "Must be an object."}
    member = "field"

    @classmethod
    def validated(cls, data, context=None, *, partial=False):
        """The value of `data`. Raises ValidationError, with its detail by field.

        Each thread keeps one instance of the serializer: to make one is to copy all of its fields.
        """
        if cls not in kept.__dict__.setdefault("serializers", {}):
            kept.serializers[cls] = cls()
        serializer = kept.serializers[cls]
        serializer._context, serializer.partial = context or {}, partial
        return serializer.run_validation(data)

    def run_validation(self, data=empty):
        if not self.root.partial:
            try:
                return self.read(data)
            except plain.NOT_READ:
                pass
        return super().run_validation(data)

    @cached_property
    def read(self):
        return self.plain() if plain.knows_plain(type(self)) else plain.doubt

    def plain(self):
        return plain.object_reader(self)

    def to_internal_value(self, data):
        if not isinstance(data, Mapping):
            message = self.error_messages["invalid"]
            raise serializers.ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [message]})
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

    def plain(self):
        read = super().plain()

        def read_query(data):
            if not isinstance(data, QueryDict):
                return read(data)
            if any(len(values) > 1 for _, values in data.lists()):
                raise plain.Doubt
            return read(self.parsed(data))

        return read_query

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
        default=25, min_value=1, max_value=100, help_text="Records in one answer, at most."
    )
    cursor = StringField(
        default=None,
        help_text="`next_cursor` of the answer before; opaque.",
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


class DayWindowPageQuery(WindowPageQuery):
    """A page of records that belong to days; both ends of the window are days within it."""

    since = DayField(default=None, help_text="Only from this day on (inclusive), YYYY-MM-DD.")
    until = DayField(default=None, help_text="Only up to this day (inclusive), YYYY-MM-DD.")


class RecentWindow(WindowSerializer):
    """The window of a statistic: the last 90 days, unless the request says otherwise."""

    since = TimestampField(
        default=None, help_text="From this moment on (inclusive), RFC 3339. Default: 90 days before `until`."
    )
    until = TimestampField(default=None, help_text="Before this moment (exclusive), RFC 3339. Default: now.")

    def validate(self, attrs):
        attrs = super().validate(attrs)
        until = attrs["until"] or max(timezone.now(), attrs["since"] or EARLIEST)
        since = attrs["since"] or until - min(RECENT, until - EARLIEST)
        return {"since": since, "until": until}
