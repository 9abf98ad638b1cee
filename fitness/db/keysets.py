"""Keyset pages: a cursor is the position at which the last page ended, so no page is ever counted through."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import orjson
from django.conf import settings
from django.db.models import Expression, F, Field, Model, Q, QuerySet, Value
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleLessThan,
    TupleLookupMixin,
)
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import ValidationError

from fitness.db.prepared_queries import Builder, PreparedQuery

MAC_BYTES = 16
MAX_PAGE_BYTES = 2_000_000

Position = Sequence[Any]  # a value for each field of a keyset
Query = dict[str, Any]  # validated; holds `limit` and `cursor`
Size = Callable[[Any], int]
Read = Callable[[Position | None, int], Iterable[Any]]


class Owner(Protocol):
    """Whose list it is: an account."""

    @property
    def pk(self) -> Any: ...


class Page(NamedTuple):
    """A page of a list, and the cursor of the page that follows it; None behind the last one."""

    rows: list[Any]
    next_cursor: str | None


class RowValues:
    """Compares by row value, which an index can follow: Django spells it out with OR on SQLite.

    Skips the `as_sql` of TupleLookupMixin, which Django does not document;
    tests/training/test_query_plans.py fails where the comparison no longer follows the index.
    """

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return super(TupleLookupMixin, self).as_sql(compiler, connection)  # type: ignore[misc]  # a mixin


# The stubs lack the module of both.
class Before(RowValues, TupleLessThan):  # type: ignore[misc]
    pass


class After(RowValues, TupleGreaterThan):  # type: ignore[misc]
    pass


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
        columns = [column(queryset, field) for field in self.fields]

        def read(position: Position | None, limit: int) -> Iterable[Any]:
            return self.cut(queryset, position and list(map(Value, position, columns)), limit)

        return self.read_page(read, columns, query, account, scope, size_of)

    def rows_behind(self, queryset: QuerySet[Any, Any], row: Any, limit: int) -> QuerySet[Any, Any]:
        """The first `limit` rows behind a row of the list."""
        position = [Value(getattr(row, field), column(queryset, field)) for field in self.fields]
        return self.cut(queryset, position, limit)

    def cut(self, queryset: QuerySet[Any, Any], position: Position | None, limit: int) -> QuerySet[Any, Any]:
        """The first `limit` rows behind a position, or of all."""
        if position is not None:
            queryset = queryset.filter(self.beyond(Tuple(*map(F, self.fields)), position))
        return queryset.order_by(*self.order)[:limit]

    def read_page(
        self,
        read: Read,
        columns: "Sequence[Field[Any, Any]]",
        query: Query,
        account: Owner,
        scope: str,
        size_of: Size | None = None,
    ) -> Page:
        """See `page`; `read(position, limit)` returns the rows."""
        salt = self.salt(account, scope)
        position = None if query["cursor"] is None else self.decode(query["cursor"], salt, columns)
        rows: list[Any] = []
        size = 0
        for row in read(position, query["limit"] + 1):
            if len(rows) == query["limit"] or size > MAX_PAGE_BYTES:
                return Page(rows, self.encode(rows[-1], salt))
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


class PreparedPages:
    """The pages of a hot list along a keyset, whose SQL is made once; see fitness/db/prepared_queries.py.

    `build(**values)` returns the queryset of the list, with named rows. `size_of` is that of Keyset.page: one
    workout may have 700 KB. `computed` are the fields of those parts of a position that are no columns of
    the model.
    """

    def __init__(
        self,
        keyset: Keyset,
        model: type[Model],
        build: Builder,
        size_of: Size | None = None,
        **computed: "Field[Any, Any]",
    ) -> None:
        def page_of_rows(position: Position | None, limit: int, **values: Any) -> QuerySet[Any, Any]:
            return keyset.cut(build(**values), position, limit)

        self.keyset = keyset
        self.size_of = size_of
        self.columns = [computed.get(field) or model_field(model, field) for field in keyset.fields]
        self.rows: PreparedQuery[Any] = PreparedQuery(page_of_rows)

    def page(self, query: Query, account: Owner, scope: str = "", **values: Any) -> Page:
        """See Keyset.page. `values` are those of `build`, besides the account's id."""

        def read(position: Position | None, limit: int) -> Iterable[Any]:
            return self.rows.iterator(position=position, limit=limit, account=account.pk, **values)

        return self.keyset.read_page(read, self.columns, query, account, scope, self.size_of)


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
