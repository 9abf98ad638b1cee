"""What is plainly right is read at once; every doubt is left to the framework, which also words it.

Validating the 24 sets of a workout field by field through the framework takes longer than storing
them. So a strict field or serializer may have a method `plain`: it gives a function that takes a value
and returns what the framework would make of it, or raises Doubt. Bodies that are refused are validated
twice, the others once.
"""

from functools import cache

from django.core import validators
from rest_framework.exceptions import ValidationError
from rest_framework.fields import ProhibitSurrogateCharactersValidator, empty

from fitness.api.validators import GreaterThan


class Undecided(Exception):
    """The value is not plainly right. It may still be."""


FALLBACK_ERRORS = (Undecided, ValidationError)

# What `plain` functions check by themselves. The parser lets no lone surrogate through.
CHECKED = (
    validators.MaxLengthValidator,
    validators.MinLengthValidator,
    validators.MaxValueValidator,
    validators.MinValueValidator,
    GreaterThan,
    validators.ProhibitNullCharactersValidator,
    ProhibitSurrogateCharactersValidator,
)


def validator_of(field):
    """A function from a value in JSON to the field's validated value. It raises one of NOT_READ."""
    if has_fast_validator(type(field)) and all(isinstance(one, CHECKED) for one in field.validators):
        read = field.fast_validator()
    else:
        return field.run_validation
    if not field.allow_null:
        return read
    return lambda value: None if value is None else read(value)


@cache
def has_fast_validator(field_class):
    """Whether `plain` stands for the class's validation, and not for one that it has overridden."""
    for owner in field_class.__mro__:
        if "fast_validator" in vars(owner):
            return True
        if vars(owner).keys() & {"to_internal_value", "run_validation", "validate_empty_values"}:
            return False
    return False


def list_validator(field):
    read = validator_of(field.child)
    fewest = field.min_length or (0 if field.allow_empty else 1)
    most = float("inf") if field.max_length is None else field.max_length

    def read_list(value):
        if type(value) is not list or not fewest <= len(value) <= most:
            raise Undecided
        return [read(item) for item in value]

    return read_list


def object_validator(serializer):
    """For a serializer that goes from fields to a value in the framework's own way."""
    names = frozenset(serializer.fields)
    if any(hasattr(serializer, f"validate_{name}") for name in names):
        return undecided
    parts = [
        (field.field_name, field.source, validator_of(field), default(field))
        for field in serializer._writable_fields
    ]

    def read_object(data):
        if type(data) is not dict or not names.issuperset(data):
            raise Undecided
        value = {
            source: read(data[name]) if name in data else left_out() for name, source, read, left_out in parts
        }
        return serializer.validate(value)

    return read_object


def default(field):
    """A function that gives what the field is when it is left out, or raises Doubt."""
    if field.default is empty or getattr(field.default, "requires_context", False):
        return undecided
    return field.default if callable(field.default) else lambda: field.default


def undecided(*value):
    raise Undecided
