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

fitness/db/writes.py keeps the SQL of INSERT and UPDATE in the same way.

This module uses what Django does not document: `QuerySet._iterable_class`, `Query.get_compiler`, and of a
compiler `as_sql`, `select`, `klass_info` and `get_converters`; `ModelState`; for writes `Field.db_returning`.
tests/db/test_prepared_queries.py compares the results with those of QuerySets for each of them.
"""

import datetime
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Generic, NoReturn, TypeVar
from uuid import UUID

import orjson
from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.models import Expression, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler

MAX_SHAPES = 500  # of one builder; callers choose limits, filters and numbers of words
LITERALS = frozenset({"limit"})  # arguments that are part of the SQL: a slice takes no Placeholder

Row = TypeVar("Row")
Builder = Callable[..., QuerySet[Any, Any]]
Shape = tuple[tuple[str, Any], ...]
Converter = Callable[[Any], Any]
Reader = Callable[[tuple[Any, ...]], Any]


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
    (`select_related`), perhaps with deferred fields and annotations.
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


def to_float(value: Any) -> float | None:
    return None if value is None else float(value)


def to_integer(value: Any) -> int | None:
    return None if value is None else int(value)


# For what SQLite has no type, JSON, and what databases compute. Django's own converters ask its settings and
# the connection for each value, and read JSON in Python.
CONVERTERS: dict[type, Converter] = {
    models.FloatField: to_float,
    models.IntegerField: to_integer,
    models.PositiveIntegerField: to_integer,
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
    """A function from a row to an instance of the model, with its annotations, and the one that is joined to
    it, or None.
    """
    converters = converters_of(compiler).items()
    annotations = list(compiler.annotation_col_map.items())
    (joined,) = compiler.klass_info.get("related_klass_infos") or (None,)

    def parts(info: dict[str, Any]) -> tuple[type[Model], list[str], slice]:
        columns = info["select_fields"]
        names = [compiler.select[column][0].target.attname for column in columns]
        return info["model"], names, slice(columns[0], columns[-1] + 1)

    def instance(model: type[Model], names: list[str], values: list[Any]) -> Model:
        """As `Model.from_db` makes it, without looking at each field; no model here has a signal of it."""
        made = model.__new__(model)
        made._state = ModelState()
        made._state.db, made._state.adding = connection.alias, False
        made.__dict__.update(zip(names, values, strict=True))
        return made

    model, names, own = parts(compiler.klass_info)
    if joined:
        foreign_key = joined["field"].name
        other_model, other_names, others = parts(joined)
        other_pk = other_names.index(other_model._meta.pk.attname)

    def read(columns: tuple[Any, ...]) -> Model:
        row = list(columns)
        for column, convert in converters:
            row[column] = convert(row[column])
        made = instance(model, names, row[own])
        for name, column in annotations:
            setattr(made, name, row[column])
        if joined:
            values = row[others]
            is_there = values[other_pk] is not None
            other = instance(other_model, other_names, values) if is_there else None
            setattr(made, foreign_key, other)
        return made

    return read
