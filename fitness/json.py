"""JSON text. orjson renders it, and stored JSON text is placed into it without parsing it."""

import datetime
from typing import Any, TypeAlias

import orjson

Fragment = orjson.Fragment  # JSON text that `dumps` copies unchanged into its output
JsonObject: TypeAlias = dict[str, Any]  # its values are JSON values and Fragments


def dumps(value: object) -> bytes:
    """The JSON of Python values and Fragments; datetimes are written in UTC with `Z`."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z)


def without_fragments(value: object) -> Any:
    """The value with its Fragments parsed, so that Python code can read what is in them."""
    return orjson.loads(dumps(value))


def timestamp(at: datetime.datetime) -> str:
    """A datetime as clients read it: RFC 3339 in UTC with `Z`, microseconds where there are any."""
    return at.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")
