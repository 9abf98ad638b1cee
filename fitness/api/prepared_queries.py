"""QuerySets whose SQL is made once, for the statements that hot requests run.

Django builds a QuerySet and its SQL anew for each request, which takes longer than most of these statements
run: reading one workout took 497 µs, and 47 µs prepared. A builder makes the QuerySet once, with a
Placeholder for each value:

    @PreparedQuery[DocumentRow]
    def documents(account, since):
        workouts = Workout.objects.filter(account=account)
        if since is not None:
            workouts = workouts.filter(started_at__gte=since)
        return workouts.values_list("document", "id", named=True)

    documents(account=account.pk, since=None)   # the builder runs, its SQL is kept
    documents(account=other.pk, since=None)     # the same SQL with another value

The rules for builders:

1. They may read nothing but their arguments. A setting, the date or another query that a builder reads is
   frozen at the first call. (Only what differs between two calls in a row is noticed, such as the time: a
   builder runs twice, and both times must give the same statement.)
2. They may ask whether an argument `is None`, and nothing else: to test a Placeholder for truth, to compare
   it or to put it into a text raises TypeError, because the outcome would be frozen as well.
3. Which arguments are given and which are None, the length of each list and the value of `limit` are the
   shape of a call. Each shape is built once, so a list should be `padded` to few lengths.

`insert`, `update` and `update_all` store instances by SQL that is made once as well, in half the time of
Model.save, bulk_create and bulk_update, and `insert_rows` stores rows that are no instances. They send no
signals and read nothing back that the database makes.

This module uses what Django does not document: `QuerySet._iterable_class`, `Query.get_compiler`, and of a
compiler `as_sql`, `select`, `klass_info` and `get_converters`; for writes `Field.db_returning`.
tests/test_prepared_queries.py compares the results with those of QuerySets for each of them.
"""

import datetime
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter, itemgetter
from typing import Any, Generic, NoReturn, TypeVar
from uuid import UUID

import orjson
from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.models import Expression, Field, ForeignKey, Model, QuerySet
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler

from fitness.owned import Owned, account_of

ROWS_AT_ONCE = 500  # of insert_rows and update_all
ROWS = "<rows>"  # their place in its statement
MAX_SHAPES = 500  # of one builder; callers choose limits, filters and numbers of words
LITERALS = frozenset({"limit"})  # arguments that are part of the SQL: a slice takes no Placeholder

Row = TypeVar("Row")
Builder = Callable[..., QuerySet[Any, Any]]
Shape = tuple[tuple[str, Any], ...]
Converter = Callable[[Any], Any]
Reader = Callable[[tuple[Any, ...]], Any]
Writer = Callable[[Mapping[str, Any]], list[Any]]

# Fields whose values are parameters as they are, and those whose values are `adapted`. A subclass with a
# preparation of its own is in neither.
PLAIN_FIELDS = {models.BooleanField, models.CharField, models.EmailField, models.FloatField, models.TextField}
PLAIN_FIELDS |= {models.BigAutoField, models.BigIntegerField, models.IntegerField}
PLAIN_FIELDS |= {models.PositiveIntegerField, models.PositiveSmallIntegerField, models.SlugField}
ADAPTED_FIELDS = {models.DateField, models.DateTimeField, models.UUIDField}


class Placeholder(Expression):
    """Takes the place of a value that is known when the SQL runs: an argument, or an item of a list."""

    def __init__(self, name: str, index: int | None = None) -> None:
        super().__init__()
        self.name = name
        self.index = index

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Any:
        return "%s", [self]

    def __repr__(self) -> str:
        return f"Placeholder({self.name!r}, {self.index})"

    # Django's own code tests expressions for truth and compares them; that of a builder must not.

    def __bool__(self) -> bool:
        self.refuse_builders()
        return True

    def __eq__(self, other: object) -> bool:
        self.refuse_builders()
        return super().__eq__(other)

    def __format__(self, specification: str) -> str:
        self.refuse_builders()
        return super().__format__(specification)

    def __str__(self) -> str:
        self.refuse_builders()
        return repr(self)

    __hash__ = Expression.__hash__

    def refuse_builders(self) -> None:
        caller = sys._getframe(2).f_globals.get("__name__", "")
        if not caller.startswith("django.db."):
            raise TypeError(f"{caller} looks at the placeholder {self.name!r}, whose value is not known yet")


class PreparedQuery(Generic[Row]):
    """Runs the QuerySet of a builder by SQL that is made once for each shape of its arguments.

    The QuerySet is one of named rows (`values_list(..., named=True)`, `values(...)`), which come as objects
    with an attribute for each column, or of model instances, perhaps joined with those of one foreign key
    (`select_related`), perhaps with deferred fields.
    """

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.statements: dict[Shape, Statement] = {}

    def __call__(self, **values: Any) -> list[Row]:
        return list(self.iterator(**values))

    def iterator(self, **values: Any) -> Iterator[Row]:
        """The rows one after another: a caller that stops early has read no more than that."""
        shape = shape_of(values)
        statement = self.statements.get(shape)
        if statement is None:
            statement = self.prepare(values)
            if len(self.statements) >= MAX_SHAPES:
                self.statements.clear()
            self.statements[shape] = statement
        return statement.run(values)

    def prepare(self, values: dict[str, Any]) -> "Statement":
        arguments = {name: argument(name, value) for name, value in values.items()}
        statement, again = Statement(self.build(**arguments)), Statement(self.build(**arguments))
        if statement.text != again.text:
            raise ValueError("the builder of a PreparedQuery reads more than its arguments, such as the time")
        return statement


def padded(values: list[Any]) -> list[Any]:
    """The values with the last one repeated up to a power of two: few lengths are few shapes."""
    return values + values[-1:] * (2 ** (len(values) - 1).bit_length() - len(values)) if values else values


def shape_of(values: dict[str, Any]) -> Shape:
    shape: list[tuple[str, Any]] = []
    for name, value in values.items():
        if value is None or name in LITERALS:
            shape.append((name, value))
        else:
            shape.append((name, len(value) if isinstance(value, list) else "value"))
    return tuple(shape)


def argument(name: str, value: Any) -> Any:
    """What the builder gets for a value."""
    if value is None or name in LITERALS:
        return value
    if isinstance(value, list):
        return [Placeholder(name, index) for index in range(len(value))]
    return Placeholder(name)


class Statement:
    """The SQL of one QuerySet, the parameters among which Placeholders are, and how its rows are read."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        compiler = queryset.query.get_compiler(connection=connection)
        self.sql: str | None
        self.parameters: Sequence[Any]
        try:
            self.sql, self.parameters = compiler.as_sql()
        except EmptyResultSet:  # no row can match, as with an empty list
            self.sql, self.parameters = None, ()
            return
        is_of_instances = issubclass(queryset._iterable_class, ModelIterable)
        self.read = instance_reader(compiler) if is_of_instances else row_reader(compiler)

    @property
    def text(self) -> str:
        return f"{self.sql} {self.parameters!r}"

    def run(self, values: dict[str, Any]) -> Iterator[Any]:
        if self.sql is None:
            return
        parameters = []
        for parameter in self.parameters:
            if isinstance(parameter, Placeholder):
                value = values[parameter.name]
                parameter = adapted(value if parameter.index is None else value[parameter.index])
            parameters.append(parameter)
        with connection.cursor() as cursor:
            cursor.execute(self.sql, parameters)
            for row in cursor:
                yield self.read(row)


def to_text(value: datetime.datetime) -> str:
    return str(value.astimezone(datetime.UTC).replace(tzinfo=None))


# For what SQLite has no type. Django's own adapters ask its settings and the connection for each value.
ADAPTERS: dict[type, Converter] = {}
if settings.SQLITE:
    ADAPTERS = {UUID: attrgetter("hex"), datetime.datetime: to_text, datetime.date: str}


def adapted(value: Any) -> Any:
    """A value as the database takes it in a statement."""
    adapt = ADAPTERS.get(type(value))
    return adapt(value) if adapt else value


# --- Reading rows ---------------------------------------------------------------------------------


def to_datetime(value: str | datetime.datetime | None) -> datetime.datetime | None:
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    return value and value.replace(tzinfo=datetime.UTC)


def to_uuid(value: str | None) -> UUID | None:
    return UUID(value) if value else None


def to_json(value: str | None) -> Any:
    return None if value is None else orjson.loads(value)


# For what SQLite has no type, and JSON. Django's own converters ask its settings and the connection for each
# value, and read JSON in Python.
CONVERTERS: dict[type, Converter] = {
    models.DateTimeField: to_datetime,
    models.UUIDField: to_uuid,
    models.JSONField: to_json,
}


def converters_of(compiler: SQLCompiler) -> dict[int, Converter]:
    """{column: a function from what the database returns to the field's value}, where the two differ."""

    def converter(functions: Sequence[Callable[..., Any]], expression: Expression) -> Converter:
        def convert(value: Any) -> Any:
            for function in functions:
                value = function(value, expression, connection)
            return value

        return convert

    found = compiler.get_converters([column for column, _, _ in compiler.select])
    return {
        column: CONVERTERS.get(type(expression.output_field)) or converter(functions, expression)
        for column, (functions, expression) in found.items()
    }


def row_reader(compiler: SQLCompiler) -> Reader:
    """A function from a row to an object with an attribute for each column, converted when it is read.

    Attributes are the only way to a value: an index would give it unconverted on SQLite.
    """

    def converted(index: int, convert: Converter) -> property:
        return property(lambda row: convert(tuple.__getitem__(row, index)))

    def refuse(row: object, index: object = None) -> NoReturn:
        raise TypeError("read the columns of a prepared row by their names")

    names = [name for _, _, name in compiler.select]
    columns = {names[index]: converted(index, convert) for index, convert in converters_of(compiler).items()}
    members = {"__slots__": (), "__getitem__": refuse, "__iter__": refuse, **columns}
    # A named tuple, because reading its attributes takes no Python call.
    row_class = type("PreparedRow", (namedtuple("PreparedRow", names),), members)
    return partial(tuple.__new__, row_class)


def instance_reader(compiler: SQLCompiler) -> Reader:
    """A function from a row to an instance of the model, with the one that is joined to it, or None."""
    converters = converters_of(compiler).items()
    (joined,) = compiler.klass_info.get("related_klass_infos") or (None,)

    def parts(info: dict[str, Any]) -> tuple[type[Model], list[str], slice]:
        columns = info["select_fields"]
        names = [compiler.select[column][0].target.attname for column in columns]
        return info["model"], names, slice(columns[0], columns[-1] + 1)

    model, names, own = parts(compiler.klass_info)
    if joined:
        foreign_key = joined["field"].name
        other_model, other_names, others = parts(joined)
        other_pk = other_names.index(other_model._meta.pk.attname)

    def read(columns: tuple[Any, ...]) -> Model:
        row = list(columns)
        for column, convert in converters:
            row[column] = convert(row[column])
        instance = model.from_db(connection.alias, names, row[own])
        if joined:
            values = row[others]
            is_there = values[other_pk] is not None
            other = other_model.from_db(connection.alias, other_names, values) if is_there else None
            setattr(instance, foreign_key, other)
        return instance

    return read


# --- Writes ----------------------------------------------------------------------------------------


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
