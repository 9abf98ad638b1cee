"""Statements whose SQL is made once, for those that the hot requests run.

Django builds a QuerySet and its SQL anew each time, which takes longer than most of these statements
run. Here a function builds the QuerySet once for each shape of its arguments, with a Parameter in the
place of each value.
"""

import datetime
from collections.abc import Iterable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import DateTimeField, Expression, Field, Model, UUIDField
from django.db.models.query import ModelIterable

MAX_SHAPES = 500  # statements kept of one build; callers choose limits, filters and numbers of words


class Placeholder(Expression):
    """Stands in a QuerySet for a value that is known when its SQL runs."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def as_sql(self, compiler, connection):
        return "%s", [self]


class PreparedQuery:
    """`build(**parameters)` gives a QuerySet, of named rows (`values_list(..., named=True)`) or of records.

    It gets a Parameter for each value, a list of them for a list, and None for None, once for each such
    shape; a `limit` is given as it is. Records may be joined with those of one foreign key
    (`select_related`).
    """

    def __init__(self, build):
        self.build = build
        self.statements = {}

    def __call__(self, **values):
        """The rows or records for these values."""
        return list(self.iterator(**values))

    def iterator(self, **values):
        """The same, one after another: who stops early has read no more than that."""
        shape = tuple(shape_of(name, value) for name, value in values.items())
        statement = self.statements.get(shape)
        if statement is None:
            if len(self.statements) >= MAX_SHAPES:
                self.statements.clear()
            queryset = self.build(**{name: stand_in(name, value) for name, value in values.items()})
            statement = self.statements[shape] = Statement(queryset)
        return statement.run(values)


def padded(values):
    """The values with the last one repeated up to a power of two: few lengths are few shapes."""
    return values + values[-1:] * (2 ** (len(values) - 1).bit_length() - len(values))


def shape_of(name, value):
    if value is None or name == "limit":
        return value
    return f"{len(value)} values" if isinstance(value, list) else "a value"


def stand_in(name, value):
    if value is None or name == "limit":
        return value
    if isinstance(value, list):
        return [Placeholder(f"{name}.{index}") for index in range(len(value))]
    return Placeholder(name)


class Statement:
    """The SQL of one QuerySet, how its values go in, and how its rows come out."""

    def __init__(self, queryset):
        compiler = queryset.query.get_compiler(connection=connection)
        self.sql, self.parameters = compiler.as_sql()
        if issubclass(queryset._iterable_class, ModelIterable):
            self.read = instances(compiler)
        else:
            self.read = row_class(compiler)

    def run(self, values):
        given = {}
        for name, value in values.items():
            if isinstance(value, list):
                given |= {f"{name}.{index}": item for index, item in enumerate(value)}
            else:
                given[name] = value
        parameters = [
            adapted(given[one.name]) if isinstance(one, Placeholder) else one for one in self.parameters
        ]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, parameters)
            for row in cursor:
                yield self.read(row)


def moment(value):
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    return value and value.replace(tzinfo=datetime.UTC)


# What SQLite has no type for; Django asks its settings and the connection again for each value.
QUICK = {DateTimeField: moment, UUIDField: lambda text: text and UUID(text)}


def converters_of(compiler):
    """{column: a function from what the database gives to what the field holds}, where they differ."""

    def converter(functions, expression):
        def convert(value):
            for function in functions:
                value = function(value, expression, connection)
            return value

        return convert

    found = compiler.get_converters([column for column, _, _ in compiler.select])
    return {
        column: QUICK.get(type(expression.output_field)) or converter(functions, expression)
        for column, (functions, expression) in found.items()
    }


def row_class(compiler):
    """A tuple with an attribute for each column. What needs converting is converted when it is read."""
    converters = converters_of(compiler)

    def attribute(index):
        value = itemgetter(index)
        convert = converters.get(index)
        return property(lambda row: convert(value(row))) if convert else property(value)

    names = [name for _, _, name in compiler.select]
    return type("Row", (tuple,), {name: attribute(index) for index, name in enumerate(names)})


def instances(compiler):
    """A function from a row to a record of the model, with the one that is joined to it."""
    converters = converters_of(compiler).items()
    (joined,) = compiler.klass_info.get("related_klass_infos") or (None,)

    def parts(info):
        columns = info["select_fields"]
        names = [compiler.select[column][0].target.attname for column in columns]
        return info["model"], names, slice(columns[0], columns[-1] + 1)

    model, names, own = parts(compiler.klass_info)
    if joined:
        foreign_key = joined["field"].name
        other_model, other_names, others = parts(joined)

    def read(row):
        row = list(row)
        for column, convert in converters:
            row[column] = convert(row[column])
        instance = model.from_db(connection.alias, names, row[own])
        if joined:
            setattr(instance, foreign_key, other_model.from_db(connection.alias, other_names, row[others]))
        return instance

    return read


def insert(instances):
    """Stores new records of one model by one statement. Ids that the database makes are not read back."""
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


def update(instance, names, **expected):
    """Stores the named fields of a record by one statement.

    Returns whether the record is still there, with the `expected` values of other fields.
    """
    fields, conditions, sql = update_sql(type(instance), tuple(names), tuple(expected))
    values = [field.get_db_prep_save(expected[field.name], connection) for field in conditions]
    with connection.cursor() as cursor:
        cursor.execute(sql, saved(instance, fields) + values)
        return cursor.rowcount == 1


def update_all(instances: Sequence[Model], names: Sequence[str]) -> None:
    """Stores the named fields of records of one model, in less than half the time of bulk_update."""
    if not instances:
        return
    fields, _, sql = update_sql(type(instances[0]), tuple(names), ())
    with connection.cursor() as cursor:
        cursor.executemany(sql, [saved(instance, fields) for instance in instances])


def saved(instance: Model, fields: "Iterable[Field[Any, Any]]") -> list[Any]:
    return [field.get_db_prep_save(getattr(instance, field.attname), connection) for field in fields]


@cache
def insert_sql(model, count):
    fields = [
        field for field in model._meta.concrete_fields if not (field.primary_key and field.db_returning)
    ]
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    row = f"({', '.join(['%s'] * len(fields))})"
    table = connection.ops.quote_name(model._meta.db_table)
    return fields, f"INSERT INTO {table} ({columns}) VALUES {', '.join([row] * count)}"


@cache
def update_sql(model, names, expected):
    key, quoted = model._meta.pk, connection.ops.quote_name
    fields, conditions = ([model._meta.get_field(name) for name in group] for group in (names, expected))
    columns = ", ".join(f"{quoted(field.column)} = %s" for field in fields)
    where = " AND ".join(f"{quoted(field.column)} = %s" for field in [key, *conditions])
    sql = f"UPDATE {quoted(model._meta.db_table)} SET {columns} WHERE {where}"
    return [*fields, key], conditions, sql


def adapted(value):
    """A value as the database wants it in a statement."""
    if isinstance(value, UUID):
        return value if connection.features.has_native_uuid_field else value.hex
    if isinstance(value, datetime.datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, datetime.date):
        return connection.ops.adapt_datefield_value(value)
    return value
