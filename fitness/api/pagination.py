"""Keyset pages: a cursor is the place where the last page ended, so no page is ever counted through."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

import orjson
from django.conf import settings
from django.db.models import F, Value
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import ValidationError

MAC_BYTES = 16


class Keyset:
    """The order of one list, and the pages cut along it.

    `fields` name a unique position, the last of them an id; all ascend or all descend. The rows
    of a queryset given to `page` carry these fields as attributes.
    """

    def __init__(self, name, *fields, descending=True):
        self.name = name
        self.fields = fields
        self.order = [f"-{field}" if descending else field for field in fields]
        self.beyond = TupleLessThan if descending else TupleGreaterThan

    def page(self, queryset, query, account):
        """Returns (rows, next_cursor) for the `limit` and `cursor` of a validated query.

        Raises ValidationError at query.cursor for a cursor that is not one of this account's list.
        """
        limit = query["limit"]
        if query["cursor"] is not None:
            position = self.decode(query["cursor"], account, queryset)
            queryset = queryset.filter(self.beyond(Tuple(*map(F, self.fields)), position))
        rows = list(queryset.order_by(*self.order)[: limit + 1])
        more = len(rows) > limit
        rows = rows[:limit]
        return rows, self.encode(rows[-1], account) if more else None

    def encode(self, row, account):
        position = orjson.dumps([getattr(row, field) for field in self.fields])
        return urlsafe_b64encode(self.mac(position, account) + position).decode().rstrip("=")

    def decode(self, cursor, account, queryset):
        try:
            sealed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidCursor() from None
        mac, position = sealed[:MAC_BYTES], sealed[MAC_BYTES:]
        canonical = urlsafe_b64encode(sealed).decode().rstrip("=") == cursor
        if not canonical or not hmac.compare_digest(mac, self.mac(position, account)):
            raise InvalidCursor()
        return [
            Value(self.column(queryset, field).to_python(text), self.column(queryset, field))
            for field, text in zip(self.fields, orjson.loads(position), strict=True)
        ]

    def column(self, queryset, field):
        annotation = queryset.query.annotations.get(field)
        return annotation.output_field if annotation else queryset.model._meta.get_field(field)

    def mac(self, position, account):
        """Binds a cursor to its list and account, so that no other is ever taken for it."""
        salt = f"cursor:{self.name}:{account.pk}"
        return salted_hmac(salt, position, secret=settings.SECRET_KEY, algorithm="sha256").digest()[
            :MAC_BYTES
        ]


class InvalidCursor(ValidationError):
    def __init__(self):
        super().__init__({"query": {"cursor": ["not a cursor of this list; start again without one."]}})
