"""What SQL constants need that QuerySets do by themselves: values for statements, and instances of rows.

The few statements that most requests run are constants beside their QuerySet: to build a QuerySet and its SQL
takes ten times as long as most of them run. SQLite has no types for ids and times: Django stores texts there.
"""

import datetime
from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Field, Model

M = TypeVar("M", bound=Model)


def adapted(value: Any) -> Any:
    """A value of a field as the database takes it in a statement, the same that a QuerySet would give it."""
    if connection.vendor != "sqlite":
        return value
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, datetime.datetime):
        return str(value.astimezone(datetime.UTC).replace(tzinfo=None))
    return value


def loaded(model: type[M], names: Sequence[str], row: Sequence[Any]) -> M:
    """The instance with these columns, in the order of the model's fields; others are read when asked for."""
    if connection.vendor == "sqlite":
        row = [converted(model, name, value) for name, value in zip(names, row, strict=True)]
    return model.from_db(connection.alias, names, row)


def converted(model: type[Model], name: str, value: Any) -> Any:
    field = model._meta.get_field(name)
    assert isinstance(field, Field)
    value = field.to_python(value)
    is_time = isinstance(value, datetime.datetime)
    return value.replace(tzinfo=datetime.UTC) if is_time else value
