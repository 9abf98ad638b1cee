"""Writes whose SQL is made once: half the time of Model.save, bulk_create and bulk_update.

They run no signals and no `save` of the model, and read nothing back that the database makes. The module uses
`_meta`, `Field.db_returning` and `Field.get_db_prep_save`, which Django's own writes call.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, Model


def insert(instances: Sequence[Model]) -> None:
    """Stores new instances of one model by one statement. Ids that the database makes are not read back."""
    if not instances:
        return
    fields, sql = insert_sql(type(instances[0]), len(instances))
    database = connections[DEFAULT_DB_ALIAS]  # itself, not the proxy: it is asked often below
    values = [
        field.get_db_prep_save(getattr(instance, field.attname), database)
        for instance in instances
        for field in fields
    ]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def update(instance: Model, names: Sequence[str], **expected: Any) -> bool:
    """Stores the named fields of an instance by one statement.

    Returns False where its row is gone, or no longer has the `expected` values of other fields.
    """
    fields, conditions, sql = update_sql(type(instance), tuple(names), tuple(expected))
    values = [field.get_db_prep_save(expected[field.name], connection) for field in conditions]
    with connection.cursor() as cursor:
        cursor.execute(sql, column_values(instance, fields) + values)
        return bool(cursor.rowcount == 1)


def update_all(instances: Sequence[Model], names: Sequence[str]) -> None:
    """Stores the named fields of instances of one model, in less than half the time of bulk_update."""
    if not instances:
        return
    fields, _, sql = update_sql(type(instances[0]), tuple(names), ())
    with connection.cursor() as cursor:
        cursor.executemany(sql, [column_values(instance, fields) for instance in instances])


def column_values(instance: Model, fields: "Iterable[Field[Any, Any]]") -> list[Any]:
    return [field.get_db_prep_save(getattr(instance, field.attname), connection) for field in fields]


@cache
def insert_sql(model: type[Model], count: int) -> "tuple[list[Field[Any, Any]], str]":
    fields = [
        field
        for field in model._meta.concrete_fields
        if not (field.primary_key and field.db_returning)  # type: ignore[attr-defined]  # not in the stubs
    ]
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    row = f"({', '.join(['%s'] * len(fields))})"
    table = connection.ops.quote_name(model._meta.db_table)
    return fields, f"INSERT INTO {table} ({columns}) VALUES {', '.join([row] * count)}"


@cache
def update_sql(
    model: type[Model], names: tuple[str, ...], expected: tuple[str, ...]
) -> "tuple[list[Field[Any, Any]], list[Field[Any, Any]], str]":
    """(the fields to set and then the key, the fields to compare, the statement)"""
    key, quoted = model._meta.pk, connection.ops.quote_name
    by_name = {name: field for field in model._meta.concrete_fields for name in (field.name, field.attname)}
    fields, conditions = ([by_name[name] for name in group] for group in (names, expected))
    columns = ", ".join(f"{quoted(field.column)} = %s" for field in fields)
    where = " AND ".join(f"{quoted(field.column)} = %s" for field in [key, *conditions])
    sql = f"UPDATE {quoted(model._meta.db_table)} SET {columns} WHERE {where}"
    return [*fields, key], conditions, sql
