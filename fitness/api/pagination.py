"""Keyset pages: a cursor is the place where the last page ended, so no page is ever counted through."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

import orjson
from django.conf import settings
from django.db.models import F, Q, Value
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleLessThan,
    TupleLookupMixin,
)
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import ValidationError

from fitness.api.prepared_queries import PreparedQuery

MAC_BYTES = 16
MAX_PAGE_BYTES = 2_000_000


class RowValues:
    """Compares by row value, which an index can follow. Django spells it out with OR on SQLite."""

    def as_sql(self, compiler, connection):
        return super(TupleLookupMixin, self).as_sql(compiler, connection)


class Before(RowValues, TupleLessThan):
    pass


class After(RowValues, TupleGreaterThan):
    pass


class Keyset:
    """The order of one list, and the pages cut along it.

    `fields` name a unique position, the last of them an id; all ascend or all descend. The rows
    of a queryset given to `page` carry these fields as attributes.
    """

    def __init__(self, name, *fields, descending=True):
        self.name = name
        self.fields = fields
        self.order = [f"-{field}" if descending else field for field in fields]
        self.beyond = Before if descending else After

    def page(self, queryset, query, account, scope="", size_of=None):
        """Returns (rows, next_cursor) for the `limit` and `cursor` of a validated query.

        `scope` tells apart lists of one name, such as the histories of two exercises. `size_of(row)`
        gives the bytes of a row's answer, for rows of which a page could hold too many. Raises
        ValidationError at query.cursor for a cursor that is not one of this list of this account.
        """
        columns = [column(queryset, field) for field in self.fields]

        def read(position, limit):
            return self.cut(queryset, position and list(map(Value, position, columns)), limit)

        return self.read_page(read, columns, query, account, scope, size_of)

    def cut(self, queryset, position, limit):
        """The first `limit` rows behind a position, or of all."""
        if position is not None:
            queryset = queryset.filter(self.beyond(Tuple(*map(F, self.fields)), position))
        return queryset.order_by(*self.order)[:limit]

    def read_page(self, read, columns, query, account, scope, size_of=None):
        """See `page`; `read(position, limit)` gives the rows."""
        salt = self.salt(account, scope)
        position = None if query["cursor"] is None else self.decode(query["cursor"], salt, columns)
        rows, size = [], 0
        for row in read(position, query["limit"] + 1):
            if len(rows) == query["limit"] or size > MAX_PAGE_BYTES:
                return rows, self.encode(rows[-1], salt)
            rows.append(row)
            size += size_of(row) if size_of else 0
        return rows, None

    def encode(self, row, salt):
        position = orjson.dumps([getattr(row, field) for field in self.fields])
        return urlsafe_b64encode(mac_of(position, salt) + position).decode().rstrip("=")

    def decode(self, cursor, salt, columns):
        try:
            sealed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidCursor() from None
        mac, position = sealed[:MAC_BYTES], sealed[MAC_BYTES:]
        canonical = urlsafe_b64encode(sealed).decode().rstrip("=") == cursor
        if not canonical or not hmac.compare_digest(mac, mac_of(position, salt)):
            raise InvalidCursor()
        return [column.to_python(text) for column, text in zip(columns, orjson.loads(position), strict=True)]

    def salt(self, account, scope):
        """Binds a cursor to its list and account, so that no other is ever taken for it."""
        return f"cursor:{self.name}:{account.pk}:{scope}"


class MixedKeyset(Keyset):
    """A keyset of which some fields ascend and others ("-trained") descend.

    No row value compares those, so no index is followed: for lists that are computed and sorted anyway.
    """

    def __init__(self, name: str, *order: str) -> None:
        super().__init__(name, *(field.removeprefix("-") for field in order))
        self.order = list(order)

    def cut(self, queryset, position, limit):
        if position is not None:
            queryset = queryset.filter(self.behind(position))
        return queryset.order_by(*self.order)[:limit]

    def behind(self, position) -> Q:
        """rank > 2 OR (rank = 2 AND (trained < 2026 OR (trained = 2026 AND id > 7)))"""
        condition = Q()
        for field, ordered, value in reversed(list(zip(self.fields, self.order, position, strict=True))):
            further = Q(**{f"{field}__{'lt' if ordered.startswith('-') else 'gt'}": value})
            condition = further | (Q(**{field: value}) & condition) if condition else further
        return condition


class PreparedPages:
    """The pages of a hot list along a keyset, whose SQL is made once; see fitness/api/compiled.py.

    `build(**values)` gives the queryset of the list, with named rows. `size_of` is that of Keyset.page: one
    workout may have 700 KB. `computed` are the fields of those parts of a position that are no columns of
    the model.
    """

    def __init__(self, keyset, model, build, size_of=None, **computed):
        self.keyset = keyset
        self.size_of = size_of
        self.columns = [computed.get(field) or model._meta.get_field(field) for field in keyset.fields]
        self.rows = PreparedQuery(
            lambda position, limit, **values: keyset.cut(build(**values), position, limit)
        )

    def page(self, query, account, scope="", **values):
        """See Keyset.page. `values` are those of `build`, besides the account's id."""

        def read(position, limit):
            return self.rows.iterator(position=position, limit=limit, account=account.pk, **values)

        return self.keyset.read_page(read, self.columns, query, account, scope, self.size_of)


def column(queryset, field):
    annotation = queryset.query.annotations.get(field)
    return annotation.output_field if annotation else queryset.model._meta.get_field(field)


def mac_of(position, salt):
    return salted_hmac(salt, position, secret=settings.SECRET_KEY, algorithm="sha256").digest()[:MAC_BYTES]


class InvalidCursor(ValidationError):
    def __init__(self):
        super().__init__({"query": {"cursor": ["not a cursor of this list; start again without one."]}})
