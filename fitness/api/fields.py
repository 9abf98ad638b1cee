"""Strict JSON types: a value of another type is rejected, and nothing is coerced.

Query parameters arrive as text; `from_query` converts the text to the JSON value that the field takes.
"""

import datetime
import math
import re
from typing import Any, Protocol, TypeAlias, runtime_checkable

from django.db.models import TextChoices
from rest_framework import serializers
from rest_framework.utils.formatting import lazy_format

from fitness.api.errors import shortened
from fitness.api.validators import GreaterThan
from fitness.json import timestamp

AnyField: TypeAlias = serializers.Field[Any, Any, Any, Any]

RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class Message(lazy_format):
    """A message of a limit in the language of each reader.

    DRF's own stays in that of the first, and a serializer is shared by the API and the forms of screens.
    """

    def __str__(self) -> str:
        return str(self.format_string).format(*self.args, **self.kwargs)


def format_anew(field: AnyField) -> None:
    for validator in field.validators:
        message = getattr(validator, "message", None)
        if isinstance(message, lazy_format) and message.format_string is not None:
            anew = Message(message.format_string, *message.args, **message.kwargs)
            setattr(validator, "message", anew)  # noqa: B010  # one without a message has no such attribute


class StringField(serializers.CharField):
    """Text as it was sent: neither trimmed nor converted."""

    default_error_messages = {"invalid": "Must be a string."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)
        format_anew(self)

    def to_internal_value(self, value: Any) -> str:
        if not isinstance(value, str):
            self.fail("invalid")
        return value

    def from_query(self, text: str) -> str:
        return text


class NumberField(serializers.FloatField):
    """A finite double; `above` is an exclusive lower bound."""

    default_error_messages = {"invalid": "Must be a number, without quotes or a unit."}

    def __init__(self, above: float | None = None, **kwargs: Any) -> None:
        self.above = above
        super().__init__(**kwargs)
        format_anew(self)
        if above is not None:
            self.validators.append(GreaterThan(above))

    def to_internal_value(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail("invalid")
        try:
            number = float(value) + 0.0  # -0.0 becomes 0.0
        except OverflowError:
            self.fail("invalid")
        if not math.isfinite(number):
            self.fail("invalid")
        return number


class IntegerField(serializers.IntegerField):
    """An integer; 10.0 is one, "10" and true are not (JSON Schema, core 4.2.3)."""

    default_error_messages = {"invalid": "Must be a whole number, without quotes or a unit."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        format_anew(self)

    def to_internal_value(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail("invalid")
        if isinstance(value, float) and not value.is_integer():
            self.fail("invalid")
        return int(value)

    def from_query(self, text: str) -> int | str:
        return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else text


class BooleanField(serializers.BooleanField):
    default_error_messages = {"invalid": "Must be true or false."}

    def to_internal_value(self, value: Any) -> bool:
        if not isinstance(value, bool):
            self.fail("invalid")
        return value


class ChoiceField(serializers.ChoiceField):
    """One of the values of a TextChoices class; the OpenAPI document has a type of that name."""

    default_error_messages = {"invalid_choice": '"{input}" is not one of: {options}.'}

    def __init__(self, options: type[TextChoices], **kwargs: Any) -> None:
        self.options = options
        super().__init__(options.choices, **kwargs)

    def to_internal_value(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            self.fail("invalid_choice", input=shortened(value), options=", ".join(self.choices))
        return value

    def from_query(self, text: str) -> str:
        return text


class TimestampField(serializers.DateTimeField):
    """RFC 3339 with any offset in, UTC with `Z` out."""

    default_error_messages = {
        "invalid": "Must be an RFC 3339 timestamp with an offset, such as 2026-03-01T18:30:00Z."
    }

    def to_internal_value(self, value: Any) -> datetime.datetime:
        if not isinstance(value, str) or not RFC3339.fullmatch(value):
            self.fail("invalid")
        try:
            return datetime.datetime.fromisoformat(value.upper()).astimezone(datetime.UTC)
        except (ValueError, OverflowError):
            self.fail("invalid")

    def to_representation(self, value: datetime.datetime) -> str:
        return timestamp(value)

    def from_query(self, text: str) -> str:
        """A `+` that was sent unescaped arrives as a space: before the offset it can only be the sign."""
        return re.sub(r" (\d\d:\d\d)$", r"+\1", text)


class DayField(serializers.DateField):
    default_error_messages = {"invalid": "Must be a day of the form YYYY-MM-DD."}

    def to_internal_value(self, value: Any) -> datetime.date:
        if not isinstance(value, str) or not DAY.fullmatch(value):
            self.fail("invalid")
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            self.fail("invalid")

    def from_query(self, text: str) -> str:
        return text


@runtime_checkable
class QueryField(Protocol):
    """A field that queries may have."""

    def from_query(self, text: str) -> object: ...


def json_value(field: AnyField | None, text: str) -> Any:
    """The JSON value of a query parameter's text; the text itself for a parameter that does not exist."""
    return field.from_query(text) if isinstance(field, QueryField) else text
