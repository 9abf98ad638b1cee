"""What SQL constants need that QuerySets do by themselves: values for statements, and instances of rows.

The few statements that most requests run are constants beside their QuerySet: to build a QuerySet and its SQL
takes ten times as long as most of them run. `tests/db/test_constants.py` compares each with its QuerySet:

- accounts/models/api_key.py: KEY_OF_DIGEST and CONNECTION_OF_TOKEN, the key of a request with its account
- training/models/workout.py: DOCUMENT, NEWEST_WORKOUTS, WORKOUTS_CHANGED_SINCE, INSERT_WORKOUT
- training/models/workout_exercise.py: INSERT_EXERCISE
- training/api/serializers/references.py: EXERCISES, those that a body names

These no QuerySet can say: STAMP_SQL and LOCK_SQL of an account (accounts/models/account.py), and the index
scan EACH_EXERCISE, a part of the QuerySet of personal records (training/stats/records.py). Each second the
worker (fitness/site/work/worker.py) runs TASKS, ALARMS and CHANGES: whether there is anything to do.
SQLite has no types for ids and times: Django stores texts there.
"""

import datetime
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model

M = TypeVar("M", bound=Model)


def adapted(value: Any) -> Any:
    """A value of a field as the database takes it in a statement, the same that a QuerySet would give it."""
    return as_text(value) if settings.SQLITE else value


def adapted_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same of each value of a row."""
    if not settings.SQLITE:
        return row
    return {name: as_text(value) for name, value in row.items()}


def as_text(value: Any) -> Any:
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, datetime.datetime):
        return str(value.astimezone(datetime.UTC).replace(tzinfo=None))
    return value


def loaded(model: type[M], names: tuple[str, ...], row: Sequence[Any]) -> M:
    """The instance with these columns, in the order of the model's fields; others are read when asked for."""
    values = list(row)
    if settings.SQLITE:
        for index, convert in converters(model, names):
            if values[index] is not None:
                values[index] = convert(values[index])
    return model.from_db(DEFAULT_DB_ALIAS, names, values)


@cache
def converters(model: type[Model], names: tuple[str, ...]) -> list[tuple[int, Callable[[Any], Any]]]:
    """(column, function from what SQLite returns to the value of the field) where the two differ."""
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    kinds = [getattr(field, "target_field", field).get_internal_type() for field in fields]
    return [(index, CONVERTERS[kind]) for index, kind in enumerate(kinds) if kind in CONVERTERS]


def as_utc(value: datetime.datetime) -> datetime.datetime:
    return value.replace(tzinfo=datetime.UTC)


def as_uuid(value: UUID | str) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)


CONVERTERS: dict[str, Callable[[Any], Any]] = {"DateTimeField": as_utc, "UUIDField": as_uuid}
