"""The serializers that every resource builds on: strict about names, complete in their complaints."""

import datetime
import difflib
import threading
from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import islice

from django.http import QueryDict
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.settings import api_settings

from fitness.api import fast_validation
from fitness.api.errors import MAX_DETAILS, MAX_ECHO, problems
from fitness.api.fields import DayField, IntegerField, StringField, TimestampField

of_thread = threading.local()

EARLIEST = datetime.datetime.min.replace(tzinfo=datetime.UTC)
RECENT = datetime.timedelta(days=90)


class StrictListSerializer(serializers.ListSerializer):
    """Stops at more problems than a refusal lists: validating the rest would only cost time."""

    def to_internal_value(self, data):
        self.found = 0
        return super().to_internal_value(data)

    def run_child_validation(self, data):
        if self.found > MAX_DETAILS:
            return None
        try:
            return super().run_child_validation(data)
        except serializers.ValidationError as error:
            self.found += sum(1 for _ in problems(error.detail))
            raise

    def fast_validator(self):
        return fast_validation.list_validator(self)


class StrictSerializer(serializers.Serializer):
    """Refuses fields that the resource does not have; ignores those that the server manages."""

    class Meta:
        list_serializer_class = StrictListSerializer

    default_error_messages = {"invalid": "Must be an object."}
    member = "field"

    @classmethod
    def kept(cls):
        """The one instance of the serializer that each thread keeps: making one copies all of its fields."""
        if cls not in of_thread.__dict__.setdefault("serializers", {}):
            of_thread.serializers[cls] = cls()
        return of_thread.serializers[cls]

    @classmethod
    def rendered(cls, instance):
        """The instance as clients read it: a dict of plain values."""
        return cls.kept().to_representation(instance)

    @classmethod
    def rendered_list(cls, instances):
        return list(map(cls.kept().to_representation, instances))

    @classmethod
    def validated(cls, data, context=None, *, partial=False):
        """The value of `data`. Raises ValidationError, with its detail by field."""
        serializer = cls.kept()
        serializer._context, serializer.partial = context or {}, partial
        return serializer.run_validation(data)

    def run_validation(self, data=empty):
        if not self.root.partial:
            try:
                return self.read(data)
            except fast_validation.FALLBACK_ERRORS:
                pass
        return super().run_validation(data)

    @cached_property
    def read(self):
        return (
            self.fast_validator()
            if fast_validation.has_fast_validator(type(self))
            else fast_validation.undecided
        )

    def fast_validator(self):
        return fast_validation.object_validator(self)

    def to_internal_value(self, data):
        if not isinstance(data, Mapping):
            message = self.error_messages["invalid"]
            raise serializers.ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [message]})
        strangers = islice((name for name in data if name not in self.fields), MAX_DETAILS + 1)
        unknown = {name: [self.unknown_field(name)] for name in strangers}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **unknown}) from None
        if unknown:
            raise serializers.ValidationError(unknown)
        return value

    def unknown_field(self, name):
        known = tuple(field.field_name for field in self._writable_fields)
        if near := nearest_name(name[:MAX_ECHO], known):
            return f"unknown {self.member}; did you mean {near}?"
        return f"unknown {self.member}; there are: {', '.join(known) or 'none'}."


@lru_cache(maxsize=1000)  # a mistake is often repeated in each set of a workout
def nearest_name(name, known):
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.5)), None)


class QuerySerializer(StrictSerializer):
    """The query parameters of an operation; also the arguments of the tool that does the same."""

    member = "parameter"

    def fast_validator(self):
        read = super().fast_validator()

        def read_query(data):
            if not isinstance(data, QueryDict):
                return read(data)
            if any(len(values) > 1 for _, values in data.lists()):
                raise fast_validation.Undecided
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
    """A page of a list: its records, and the cursor of the page that follows."""

    next_cursor = StringField(allow_null=True, help_text="`cursor` of the next page; null on the last one.")


class PageQuery(QuerySerializer):
    limit = IntegerField(default=25, min_value=1, max_value=100, help_text="Records in one answer, at most.")
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
