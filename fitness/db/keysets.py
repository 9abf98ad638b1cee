"""Keyset pages: a cursor is the position at which the last page ended, so no page is ever counted through."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Expression, F, Field, Func, Model, Q, QuerySet, Value
from django.db.models.sql.compiler import SQLCompiler
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import ValidationError

from fitness.db.owned import Owner

MAC_BYTES = 16
MAX_PAGE_BYTES = 2_000_000

Position = Sequence[Any]  # a value for each field of a keyset
Query = dict[str, Any]  # validated; holds `limit` and `cursor`
Size = Callable[[Any], int]


class Page(NamedTuple):
    """A page of a list, and the cursor of the page that follows it; None behind the last one."""

    rows: list[Any]
    next_cursor: str | None


class RowComparison(Func):
    """Compares by row value, `(started_at, id) < (%s, %s)`, which an index can follow."""

    output_field = BooleanField()

    def as_sql(  # type: ignore[override]  # without the options of Func
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> Any:
        compiled = [compiler.compile(expression) for expression in self.get_source_expressions()]
        texts = [sql for sql, _ in compiled]
        half = len(texts) // 2
        sql = f"({', '.join(texts[:half])}) {self.function} ({', '.join(texts[half:])})"
        return sql, [value for _, values in compiled for value in values]


class Before(RowComparison):
    function = "<"


class After(RowComparison):
    function = ">"


class Keyset:
    """The order of one list, and the pages cut along it.

    `fields` name a unique position, the last of them an id; all ascend or all descend. The rows of a queryset
    given to `page` have these fields as attributes.
    """

    def __init__(self, name: str, *fields: str, descending: bool = True) -> None:
        self.name = name
        self.fields = fields
        self.order = [f"-{field}" if descending else field for field in fields]
        self.beyond = Before if descending else After

    def page(
        self,
        queryset: QuerySet[Any, Any],
        query: Query,
        account: Owner,
        scope: str = "",
        size_of: Size | None = None,
    ) -> Page:
        """The page for the `limit` and `cursor` of a validated query.

        `scope` separates lists of one name, such as the histories of two exercises. `size_of(row)` is how
        many bytes are shown of a row, for lists of which a page could be too large. Raises ValidationError at
        query.cursor for a cursor that is not one of this list of this account.
        """
        position = self.position(queryset, query, account, scope)
        return self.page_of(self.cut(queryset, position, query["limit"] + 1), query, account, scope, size_of)

    def position(
        self, queryset: QuerySet[Any, Any], query: Query, account: Owner, scope: str
    ) -> Position | None:
        """Where the page of a query begins: values as parameters of the columns; None without a cursor."""
        if query["cursor"] is None:
            return None
        columns = [column(queryset, field) for field in self.fields]
        values = self.decode(query["cursor"], self.salt(account, scope), columns)
        return list(map(Value, values, columns))

    def rows_behind(self, queryset: QuerySet[Any, Any], row: Any, limit: int) -> QuerySet[Any, Any]:
        """The first `limit` rows behind a row of the list."""
        position = [Value(getattr(row, field), column(queryset, field)) for field in self.fields]
        return self.cut(queryset, position, limit)

    def cut(self, queryset: QuerySet[Any, Any], position: Position | None, limit: int) -> QuerySet[Any, Any]:
        """The first `limit` rows behind a position, or of all."""
        if position is not None:
            queryset = queryset.filter(self.beyond(*map(F, self.fields), *position))
        return queryset.order_by(*self.order)[:limit]

    def page_of(
        self, found: Iterable[Any], query: Query, account: Owner, scope: str = "", size_of: Size | None = None
    ) -> Page:
        """See `page`; `found` are the rows behind the cursor in their order, one more than the limit."""
        rows: list[Any] = []
        size = 0
        for row in found:
            if len(rows) == query["limit"] or size > MAX_PAGE_BYTES:
                return Page(rows, self.encode(rows[-1], self.salt(account, scope)))
            rows.append(row)
            size += size_of(row) if size_of else 0
        return Page(rows, None)

    def encode(self, row: Any, salt: str) -> str:
        position = orjson.dumps([getattr(row, field) for field in self.fields])
        return urlsafe_b64encode(mac_of(position, salt) + position).decode().rstrip("=")

    def decode(self, cursor: str, salt: str, columns: "Sequence[Field[Any, Any]]") -> Position:
        try:
            sealed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidCursor() from None
        mac, position = sealed[:MAC_BYTES], sealed[MAC_BYTES:]
        canonical = urlsafe_b64encode(sealed).decode().rstrip("=") == cursor
        if not canonical or not hmac.compare_digest(mac, mac_of(position, salt)):
            raise InvalidCursor()
        return [column.to_python(text) for column, text in zip(columns, orjson.loads(position), strict=True)]

    def salt(self, account: Owner, scope: str) -> str:
        """Binds a cursor to its list and account: it is valid for no other."""
        return f"cursor:{self.name}:{account.pk}:{scope}"


class MixedKeyset(Keyset):
    """A keyset of which some fields ascend and others ("-trained") descend.

    No row value compares those, so no index is followed: for lists that are computed and sorted anyway.
    """

    def __init__(self, name: str, *order: str) -> None:
        super().__init__(name, *(field.removeprefix("-") for field in order))
        self.order = list(order)

    def cut(self, queryset: QuerySet[Any, Any], position: Position | None, limit: int) -> QuerySet[Any, Any]:
        if position is not None:
            queryset = queryset.filter(self.behind(position))
        return queryset.order_by(*self.order)[:limit]

    def behind(self, position: Position) -> Q:
        """rank > 2 OR (rank = 2 AND (trained < 2026 OR (trained = 2026 AND id > 7)))"""
        condition = Q()
        for field, ordered, value in reversed(list(zip(self.fields, self.order, position, strict=True))):
            further = Q(**{f"{field}__{'lt' if ordered.startswith('-') else 'gt'}": value})
            condition = further | (Q(**{field: value}) & condition) if condition else further
        return condition


def column(queryset: QuerySet[Any, Any], name: str) -> "Field[Any, Any]":
    """The field of a column of the queryset: an annotation's or the model's."""
    annotation: Expression | None = queryset.query.annotations.get(name)
    return model_field(queryset.model, name) if annotation is None else annotation.output_field


def model_field(model: type[Model], name: str) -> "Field[Any, Any]":
    return next(field for field in model._meta.concrete_fields if name in (field.name, field.attname))


def mac_of(position: bytes, salt: str) -> bytes:
    mac = salted_hmac(salt, position, secret=settings.SECRET_KEY, algorithm="sha256")
    return mac.digest()[:MAC_BYTES]


class InvalidCursor(ValidationError):
    def __init__(self) -> None:
        super().__init__({"query": {"cursor": ["not a cursor of this list; start again without one."]}})
