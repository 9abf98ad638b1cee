"""The serializers that every resource builds on: they reject unknown names and report all problems."""

import datetime
import difflib
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import filterfalse, islice
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from django.http import QueryDict
from django.utils import timezone
from rest_framework import serializers
from rest_framework.settings import api_settings

from fitness.api.errors import MAX_DETAILS, MAX_ECHO, problems
from fitness.api.fields import AnyField, DayField, IntegerField, StringField, TimestampField, json_value
from fitness.days import EARLIEST

Values: TypeAlias = dict[str, Any]  # the validated values of a query or a body, by the names of the fields

RECENT = datetime.timedelta(days=90)

of_thread = threading.local()


REMOVED: Any = None  # what a subclass sets an inherited field to that it does not have


class StrictListSerializer(serializers.ListSerializer[Any]):
    """Stops at more problems than an error response lists: validating the rest would only cost time."""

    child: AnyField
    min_length: int | None
    max_length: int | None

    def to_internal_value(self, data: Any) -> list[Any]:
        self.found = 0
        values: list[Any] = super().to_internal_value(data)
        return values

    def run_child_validation(self, data: Any) -> Any:
        if self.found > MAX_DETAILS:
            return None
        try:
            return super().run_child_validation(data)
        except serializers.ValidationError as error:
            self.found += sum(1 for _ in problems(error.detail))
            raise


# The OpenAPI document shows the docstring where a subclass has none.
class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that the resource does not have; ignores those that the server manages."""

    class Meta:
        list_serializer_class = StrictListSerializer

    default_error_messages = {"invalid": "Must be an object."}
    member = "field"

    if TYPE_CHECKING:  # many=True takes the arguments of a list, which the stubs do not know

        def __init__(self, *args: Any, **options: Any) -> None: ...

    @classmethod
    def shared(cls) -> Self:
        """The one instance of the serializer in this thread: making one copies all of its fields."""
        instances: dict[type, Self] = of_thread.__dict__.setdefault("serializers", {})
        if cls not in instances:
            instances[cls] = cls()
        return instances[cls]

    @classmethod
    def rendered(cls, instance: object) -> dict[str, Any]:
        """The instance as clients read it, in JSON values."""
        return cls.shared().to_representation(instance)

    @classmethod
    def rendered_list(cls, instances: Iterable[object]) -> list[dict[str, Any]]:
        return list(map(cls.shared().to_representation, instances))

    @classmethod
    def validated(
        cls, data: object, context: dict[str, Any] | None = None, *, partial: bool = False
    ) -> Values:
        """The values of `data`. Raises ValidationError, with its detail by field."""
        serializer = cls.shared()
        serializer._context, serializer.partial = context or {}, partial
        values: Values = serializer.run_validation(data)
        return values

    @cached_property
    def shown(self) -> list[tuple[str, str, Callable[[Any], Any]]]:
        """(name, attribute of the instance, conversion to a JSON value) of each field that clients read."""
        return [
            (str(field.field_name), str(field.source), field.to_representation)
            for field in self._readable_fields
        ]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """As DRF does it, in eight calls less for each field: DRF looks for dicts, methods and relations."""
        shown = {}
        for name, attribute, convert in self.shown:
            value = getattr(instance, attribute)
            shown[name] = None if value is None else convert(value)
        return shown

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            message = self.error_messages["invalid"]
            raise serializers.ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [message]})
        unknown_names = islice(filterfalse(self.fields.__contains__, data), MAX_DETAILS + 1)
        unknown = {name: [self.unknown_field(name, data[name])] for name in unknown_names}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise with_errors(error, unknown) from None
        if unknown:
            raise serializers.ValidationError(unknown)
        return value

    def unknown_field(self, name: str, value: object) -> str:
        fields = {str(field.field_name): field for field in self._writable_fields}
        narrowing = [each for each in ("since", "until", "limit") if each in fields]
        if name in ("since", "until") and narrowing:
            verb = "narrows" if len(narrowing) == 1 else "narrow"
            return f"has no {name}; {' and '.join(narrowing)} {verb} it."
        of_kind = tuple(each for each, field in fields.items() if may_hold(field, value))
        if near := nearest_name(name[:MAX_ECHO], of_kind):
            return f"unknown {self.member}; did you mean {near}?"
        return f"unknown {self.member}; there are: {', '.join(fields) or 'none'}."


def with_errors(
    error: serializers.ValidationError, others: Mapping[str, list[str]]
) -> serializers.ValidationError:
    """The errors of a serializer's fields, and those of names that are none of its fields."""
    by_field = error.detail if isinstance(error.detail, dict) else {}
    return serializers.ValidationError({**by_field, **others})


def may_hold(field: AnyField, value: object) -> bool:
    """Whether a value is of the kind of a field: no number is meant for a text. A text may hold any value."""
    match field:
        case serializers.ListSerializer() | serializers.ListField():
            return not isinstance(value, (bool, int, float, dict))
        case serializers.Serializer() | serializers.DictField():
            return not isinstance(value, (bool, int, float, list))
        case serializers.BooleanField():
            return not isinstance(value, (int, float, list, dict)) or isinstance(value, bool)
        case serializers.IntegerField() | serializers.FloatField():
            return not isinstance(value, (bool, list, dict))
    return not isinstance(value, (bool, int, float, list, dict))


SYNONYMS = {"name": "title", "title": "name", "notes": "note", "note": "notes"}


@lru_cache(maxsize=1000)  # a mistake is often repeated in each set of a workout
def nearest_name(name: str, known: tuple[str, ...]) -> str | None:
    if SYNONYMS.get(name) in known:
        return SYNONYMS[name]
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.5)), None)


class QuerySerializer(StrictSerializer):
    """The query parameters of an operation; also the arguments of the tool that does the same, as a dict."""

    member = "parameter"

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, QueryDict):
            return super().to_internal_value(data)
        repeated = {name: ["given more than once."] for name, values in data.lists() if len(values) > 1}
        try:
            value = super().to_internal_value(self.json_values(data))
        except serializers.ValidationError as error:
            raise with_errors(error, repeated) from None
        if repeated:
            raise serializers.ValidationError(repeated)
        return value

    def json_values(self, data: QueryDict) -> dict[str, Any]:
        """The last text of each parameter as the JSON value that its field takes."""
        return {name: json_value(self.fields.get(name), str(text)) for name, text in data.items()}


class PageSerializer(StrictSerializer):
    """A page of a list: its records, and the cursor of the page that follows."""

    next_cursor = StringField(allow_null=True, help_text="`cursor` of the next page; null on the last one.")


class PageQuery(QuerySerializer):
    limit = IntegerField(default=25, min_value=1, max_value=100, help_text="Records in one answer, at most.")
    cursor = StringField(
        default=None,
        help_text="`next_cursor` of the answer before; opaque.",
    )


class OrderedWindow(QuerySerializer):
    """With `since` and `until`, of moments or days: the second is not before the first."""

    def validate(self, attrs: Values) -> Values:
        since, until = attrs.get("since"), attrs.get("until")
        if since and until and since > until:
            raise serializers.ValidationError({"since": ["must not be after until."]})
        return attrs


class WindowSerializer(OrderedWindow):
    """A time window over what a list holds."""

    since = TimestampField(default=None, help_text="Only from this moment on (inclusive), RFC 3339.")
    until = TimestampField(default=None, help_text="Only before this moment (exclusive), RFC 3339.")


class WindowPageQuery(WindowSerializer, PageQuery):
    pass


class DayWindowPageQuery(OrderedWindow, PageQuery):
    """A page of a list by days; both ends of the window are days within it."""

    since = DayField(default=None, help_text="Only from this day on (inclusive), YYYY-MM-DD.")
    until = DayField(default=None, help_text="Only up to this day (inclusive), YYYY-MM-DD.")


class RecentWindow(WindowSerializer):
    """The window of a statistic: the last 90 days, unless the request says otherwise."""

    since = TimestampField(
        default=None, help_text="From this moment on (inclusive), RFC 3339. Default: 90 days before `until`."
    )
    until = TimestampField(default=None, help_text="Before this moment (exclusive), RFC 3339. Default: now.")

    def validate(self, attrs: Values) -> Values:
        attrs = super().validate(attrs)
        until = attrs["until"] or max(timezone.now(), attrs["since"] or EARLIEST)
        since = attrs["since"] or until - min(RECENT, until - EARLIEST)
        return {"since": since, "until": until}
