"""INSERT and UPDATE of instances and rows, by SQL that is made once for each model.

They take half the time of Model.save, bulk_create and bulk_update, send no signals and read nothing back that
the database makes. `Field.db_returning` and `Field.cast_db_type` are not documented by Django;
tests/db/test_prepared_queries.py compares what is stored with what Django stores.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from django.db import connection, models
from django.db.models import Field, ForeignKey, Model

from fitness.db.owned import Owned, account_of
from fitness.db.prepared_queries import ADAPTERS, Converter, adapted

ROWS_AT_ONCE = 500  # of insert_rows and update_all
ROWS = "<rows>"  # their place in its statement

Writer = Callable[[Mapping[str, Any]], list[Any]]

# Fields whose values are parameters as they are, and those whose values are `adapted`. A subclass with a
# preparation of its own is in neither.
PLAIN_FIELDS = {models.BooleanField, models.CharField, models.EmailField, models.FloatField, models.TextField}
PLAIN_FIELDS |= {models.BigAutoField, models.BigIntegerField, models.IntegerField}
PLAIN_FIELDS |= {models.PositiveIntegerField, models.PositiveSmallIntegerField, models.SlugField}
ADAPTED_FIELDS = {models.DateField, models.DateTimeField, models.UUIDField}


def insert(instances: Sequence[Model]) -> None:
    """Stores new instances of one model. Ids that the database makes are not read back."""
    if instances:
        insert_rows(type(instances[0]), [vars(instance) for instance in instances])


def insert_rows(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> None:
    """Stores new rows of a model, each with all columns by their attribute's names, ROWS_AT_ONCE a statement.

    Spares the instances where nothing else is done with them.
    """
    with connection.cursor() as cursor:
        for start in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[start : start + ROWS_AT_ONCE]
            write, sql = insert_sql(model, len(some))
            cursor.execute(sql, [value for row in some for value in write(row)])


def insert_new(instance: Model) -> bool:
    """Stores a new instance, with the id that the database makes.

    Returns False where a row has one of its unique values already. On PostgreSQL it waits first for the
    transaction that stores such a row.
    """
    write, sql = insert_sql(type(instance), 1)
    key = connection.ops.quote_name(instance._meta.pk.column)
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} ON CONFLICT DO NOTHING RETURNING {key}", write(vars(instance)))
        row = cursor.fetchone()
    if row:
        (instance.pk,) = row
    return row is not None


def update(instance: Model, names: Sequence[str], **expected: Any) -> bool:
    """Stores the named fields of an instance by one statement.

    Returns False where its row is gone, or no longer has the `expected` values of other fields.
    """
    write, conditions, sql = update_sql(type(instance), tuple(names), tuple(expected))
    values = [field.get_db_prep_save(expected[field.name], connection) for field in conditions]
    with connection.cursor() as cursor:
        cursor.execute(sql, write(vars(instance)) + values)
        return bool(cursor.rowcount == 1)


def update_all(instances: Sequence[Model], names: Sequence[str]) -> None:
    """Stores the named fields of instances of one model, and of one account where the model is Owned.

    Takes a third of the time of bulk_update: there is one statement for many rows, and no CASE in it.
    """
    if not instances:
        return
    write, row, sql = update_all_sql(type(instances[0]), tuple(names))
    account = account_values(instances[0])
    with connection.cursor() as cursor:
        for start in range(0, len(instances), ROWS_AT_ONCE):
            some = instances[start : start + ROWS_AT_ONCE]
            values = [value for instance in some for value in write(vars(instance))]
            cursor.execute(sql.replace(ROWS, ", ".join([row] * len(some))), values + account)


def account_values(instance: Model) -> list[Any]:
    """The account of an instance as a parameter, where its model is Owned."""
    return [adapted(instance.account_id)] if isinstance(instance, Owned) else []


def typed_placeholder(field: "Field[Any, Any]") -> str:
    """A placeholder of the field's type, which PostgreSQL does not know in VALUES.

    A text is `text`: a cast to varchar(64) would cut it off, and nobody would hear of it.
    """
    if not connection.features.requires_casted_case_in_updates:
        return "%s"
    if isinstance(field, models.CharField):
        return "CAST(%s AS text)"
    return f"CAST(%s AS {field.cast_db_type(connection)})"  # type: ignore[attr-defined]  # not in the stubs


def row_writer(fields: "Sequence[Field[Any, Any]]") -> Writer:
    """A function from what an instance has loaded to the parameters of a statement.

    Raises KeyError for a deferred field, which is never written.
    """
    values_of = itemgetter(*(field.attname for field in fields))
    prepared = [(column, prepare) for column, field in enumerate(fields) if (prepare := preparation(field))]

    def write(row: Mapping[str, Any]) -> list[Any]:
        parameters = list(values_of(row))
        for column, prepare in prepared:
            parameters[column] = prepare(parameters[column])
        return parameters

    return write


def preparation(field: "Field[Any, Any]") -> Converter | None:
    """A function from the field's value to a parameter; None for a field whose value is one itself.

    Field.get_db_prep_save takes seven calls for each value, and changes few of them.
    """
    key: Field[Any, Any] = field.target_field if isinstance(field, ForeignKey) else field
    if type(key) in ADAPTED_FIELDS:
        return adapted if ADAPTERS else None
    if type(key) in PLAIN_FIELDS:
        return None
    return lambda value: field.get_db_prep_save(value, connection)


@cache
def insert_sql(model: type[Model], count: int) -> tuple[Writer, str]:
    fields = [
        field
        for field in model._meta.concrete_fields
        if not (field.primary_key and field.db_returning)  # type: ignore[attr-defined]  # not in the stubs
    ]
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    row = f"({', '.join(['%s'] * len(fields))})"
    table = connection.ops.quote_name(model._meta.db_table)
    return row_writer(fields), f"INSERT INTO {table} ({columns}) VALUES {', '.join([row] * count)}"


@cache
def update_sql(
    model: type[Model], names: tuple[str, ...], expected: tuple[str, ...]
) -> "tuple[Writer, list[Field[Any, Any]], str]":
    """(the writer of the fields to set and then the key, the fields to compare, the statement)"""
    quoted = connection.ops.quote_name
    key = [model._meta.pk, *([account_of(model)] if issubclass(model, Owned) else [])]
    by_name = {name: field for field in model._meta.concrete_fields for name in (field.name, field.attname)}
    fields, conditions = ([by_name[name] for name in group] for group in (names, expected))
    columns = ", ".join(f"{quoted(field.column)} = %s" for field in fields)
    where = " AND ".join(f"{quoted(field.column)} = %s" for field in [*key, *conditions])
    sql = f"UPDATE {quoted(model._meta.db_table)} SET {columns} WHERE {where}"
    return row_writer([*fields, *key]), conditions, sql


@cache
def update_all_sql(model: type[Model], names: tuple[str, ...]) -> tuple[Writer, str, str]:
    """(the writer of the fields to set and then the key, placeholders of a row, the statement with ROWS)

    Both databases name the columns of VALUES column1, column2 and so on. The account stands in the statement
    itself, so that a cluster finds the node.
    """
    quoted = connection.ops.quote_name
    by_name = {name: field for field in model._meta.concrete_fields for name in (field.name, field.attname)}
    fields = [*(by_name[name] for name in names), model._meta.pk]
    columns = ", ".join(f"{quoted(field.column)} = new.column{n}" for n, field in enumerate(fields[:-1], 1))
    table = quoted(model._meta.db_table)
    where = f"{table}.{quoted(model._meta.pk.column)} = new.column{len(fields)}"
    if issubclass(model, Owned):
        where += f" AND {table}.{quoted(account_of(model).column)} = %s"
    row = f"({', '.join(map(typed_placeholder, fields))})"
    return row_writer(fields), row, f"UPDATE {table} SET {columns} FROM (VALUES {ROWS}) AS new WHERE {where}"
