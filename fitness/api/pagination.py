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

    def page(self, queryset, query, account, scope=""):
        """Returns (rows, next_cursor) for the `limit` and `cursor` of a validated query.

        `scope` tells apart lists of one name, such as the histories of two exercises. Raises
        ValidationError at query.cursor for a cursor that is not one of this list of this account.
        """
        limit = query["limit"]
        if query["cursor"] is not None:
            position = self.decode(query["cursor"], self.salt(account, scope), queryset)
            queryset = queryset.filter(self.beyond(Tuple(*map(F, self.fields)), position))
        rows = list(queryset.order_by(*self.order)[: limit + 1])
        more = len(rows) > limit
        rows = rows[:limit]
        return rows, self.encode(rows[-1], self.salt(account, scope)) if more else None

    def encode(self, row, salt):
        position = orjson.dumps([getattr(row, field) for field in self.fields])
        return urlsafe_b64encode(mac_of(position, salt) + position).decode().rstrip("=")

    def decode(self, cursor, salt, queryset):
        try:
            sealed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidCursor() from None
        mac, position = sealed[:MAC_BYTES], sealed[MAC_BYTES:]
        canonical = urlsafe_b64encode(sealed).decode().rstrip("=") == cursor
        if not canonical or not hmac.compare_digest(mac, mac_of(position, salt)):
            raise InvalidCursor()
        return [
            Value(self.column(queryset, field).to_python(text), self.column(queryset, field))
            for field, text in zip(self.fields, orjson.loads(position), strict=True)
        ]

    def column(self, queryset, field):
        annotation = queryset.query.annotations.get(field)
        return annotation.output_field if annotation else queryset.model._meta.get_field(field)

    def salt(self, account, scope):
        """Binds a cursor to its list and account, so that no other is ever taken for it."""
        return f"cursor:{self.name}:{account.pk}:{scope}"


def mac_of(position, salt):
    return salted_hmac(salt, position, secret=settings.SECRET_KEY, algorithm="sha256").digest()[:MAC_BYTES]


class InvalidCursor(ValidationError):
    def __init__(self):
        super().__init__({"query": {"cursor": ["not a cursor of this list; start again without one."]}})
