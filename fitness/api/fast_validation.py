"""Validates exactly typed JSON values of bodies without DRF. Anything else falls back to the serializer.

Validating the 24 sets of a workout field by field through DRF takes longer than storing them. So a strict
field or serializer may have a method `fast_validator()`. It returns a function from a JSON value to the value
that DRF would return for it, which raises Undecided for every value that it does not accept. An accepted body
is validated once, a rejected one twice. Step by step:

1. StrictSerializer.run_validation calls its fast validator, made once for each serializer instance.
2. Every value of the body has exactly its field's type and is within its limits: the result is returned.
3. Otherwise DRF validates the whole body. Example: `"reps": 5.0` -> Undecided -> DRF returns 5. Example:
   `"reps": "5"` -> Undecided -> DRF raises the ValidationError, with its message.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn, Protocol, TypeAlias, runtime_checkable

from django.core import validators
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from fitness.api.validators import GreaterThan

AnyField: TypeAlias = serializers.Field[Any, Any, Any, Any]
Validator: TypeAlias = Callable[[Any], Any]


class LimitedList(Protocol):
    """A list serializer whose limits the fast validator checks; see serializers.StrictListSerializer."""

    child: AnyField
    allow_empty: bool
    min_length: int | None
    max_length: int | None


@runtime_checkable
class FastField(Protocol):
    """A field or serializer that validates its exactly typed values without DRF."""

    def fast_validator(self) -> Validator: ...


class Undecided(Exception):
    """The value is not exactly typed, or out of its limits. DRF may still accept it."""


FALLBACK_ERRORS = (Undecided, ValidationError)

# The validators that a `fast_validator` implements itself. fitness.api.parsers rejects lone surrogates.
IMPLEMENTED = (
    validators.MaxLengthValidator,
    validators.MinLengthValidator,
    validators.MaxValueValidator,
    validators.MinValueValidator,
    GreaterThan,
    validators.ProhibitNullCharactersValidator,
    ProhibitSurrogateCharactersValidator,
)


def validator_of(field: AnyField) -> Validator:
    """A function from a JSON value to the field's validated value. It raises one of FALLBACK_ERRORS."""
    fast = has_fast_validator(type(field))  # type: ignore[arg-type]  # every class is hashable
    if not (fast and isinstance(field, FastField)):
        return field.run_validation
    if not all(isinstance(one, IMPLEMENTED) for one in field.validators):
        return field.run_validation
    validate = field.fast_validator()
    if not field.allow_null:
        return validate
    return lambda value: None if value is None else validate(value)


@cache
def has_fast_validator(field_class: type[AnyField]) -> bool:
    """Whether the class has a `fast_validator` that does what its validation does.

    A subclass that overrides its validation and not `fast_validator` has none: DRF validates it.
    """
    for owner in field_class.__mro__:
        if "fast_validator" in vars(owner):
            return True
        if vars(owner).keys() & {"to_internal_value", "run_validation", "validate_empty_values"}:
            return False
    return False


def list_validator(field: LimitedList) -> Validator:
    validate = validator_of(field.child)
    min_length = field.min_length or (0 if field.allow_empty else 1)
    max_length = float("inf") if field.max_length is None else field.max_length

    def validate_list(value: Any) -> list[Any]:
        if type(value) is not list or not min_length <= len(value) <= max_length:
            raise Undecided
        return [validate(item) for item in value]

    return validate_list


def object_validator(serializer: "serializers.Serializer[Any]") -> Validator:
    """For a serializer with DRF's own steps: each field, then `validate`.

    One with a method `validate_<field>` is left to DRF.
    """
    names = frozenset(serializer.fields)
    if any(hasattr(serializer, f"validate_{name}") for name in names):
        return undecided
    fields = list(serializer._writable_fields)
    parts = [(field.field_name, field.source, validator_of(field)) for field in fields]
    required = frozenset(field.field_name for field in fields if is_required(field))
    defaults = {field.source: field.default for field in fields}  # in the order of the result
    computed = {source: make for source, make in defaults.items() if callable(make)}
    has_own_step = type(serializer).validate is not serializers.Serializer.validate

    def validate_object(data: Any) -> Any:
        if type(data) is not dict or not names.issuperset(data) or not required.issubset(data):
            raise Undecided
        value = defaults.copy()
        for name, source, validate in parts:
            if name in data:
                value[source] = validate(data[name])
            elif source in computed:
                value[source] = computed[source]()
        return serializer.validate(value) if has_own_step else value

    return validate_object


def is_required(field: AnyField) -> bool:
    """Whether the body must have the field, or else is left to DRF."""
    default: Any = field.default
    return default is empty or getattr(default, "requires_context", False)


def undecided(*value: object) -> NoReturn:
    raise Undecided
