"""Request bodies: how they must be declared, and JSON without its ambiguities.

1. `check_media_type`: application/json in UTF-8, without a Content-Encoding.
   Example: `text/plain` -> 415 unsupported_media_type.
2. `StrictJSONParser`: it is JSON. Example: `{"a": 1, "a": 2}` -> 400 at body: duplicate key.
3. `reject_unstorable`: no NUL character, no infinite number, at most 32 levels.
   Example: `{"weight_kg": 1e999}` -> 400 at body: a number is too large.
"""

import math
from collections.abc import Iterator
from email.message import Message
from itertools import chain
from typing import IO, Any
from uuid import UUID

import jiter
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType, ValidationError
from rest_framework.parsers import JSONParser

from fitness.api.errors import shortened

MAX_DEPTH = 32


def header(request: HttpRequest, name: str) -> str | None:
    """A header of the request. `request.headers` would read all of them for it, a twentieth of its time."""
    value: str | None = request.META.get(f"HTTP_{name.upper().replace('-', '_')}")
    return value


def has_body(request: HttpRequest) -> bool:
    return request.META.get("CONTENT_LENGTH") not in (None, "", "0")


def check_media_type(request: HttpRequest) -> None:
    """Raises UnsupportedMediaType unless the body is declared as JSON in UTF-8, not compressed."""
    content_type = request.META.get("CONTENT_TYPE", "")
    declared = Message()
    declared["content-type"] = content_type
    charset = declared.get_param("charset", "utf-8")
    if declared.get_content_type() != "application/json" or not content_type:
        raise UnsupportedMediaType(content_type, f"Send application/json, not '{content_type}'.")
    if not isinstance(charset, str) or charset.lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(content_type, "Send JSON in UTF-8; no other charset is read.")
    if request.META.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedMediaType(content_type, "Send the body without a Content-Encoding.")
    if request.META.get("HTTP_TRANSFER_ENCODING", "chunked").lower() != "chunked":
        raise UnsupportedMediaType(content_type, "Send the body in no other Transfer-Encoding than chunked.")


def loads(text: bytes, levels: int = MAX_DEPTH) -> Any:
    """Parses JSON bytes strictly.

    Raises ValueError, with a sentence for the client, for malformed text, invalid UTF-8, lone
    surrogates, duplicate keys, NaN, numbers that overflow, NUL characters and too many levels.
    """
    value: object = jiter.from_json(text, allow_inf_nan=False, catch_duplicate_keys=True)
    reject_unstorable(value, levels)
    return value


class StrictJSONParser(JSONParser):
    """Makes `request.data`, by `loads`. Raises ValidationError for a malformed body."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: object = None) -> Any:
        try:
            return loads(stream.read())
        except ValueError as error:
            raise ValidationError([f"not valid JSON: {shortened(error)}."]) from None


def reject_unstorable(value: object, levels: int) -> None:
    """Raises ValueError. PostgreSQL stores no NUL, and no JSON number is infinite."""
    for depth, items in enumerate(by_level(value)):
        texts = [item for item in items if type(item) is str]
        objects = [item for item in items if type(item) is dict]
        if "\0" in "".join(chain(texts, *objects)):  # a dict is iterated by its names
            raise ValueError("a string holds a NUL character")
        if not all(map(math.isfinite, [item for item in items if type(item) is float])):
            raise ValueError("a number is too large")
        if depth >= levels and any(isinstance(item, (dict, list)) for item in items):
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels")


def by_level(value: object) -> Iterator[list[Any]]:
    """Yields the JSON values of each level: the value itself, its members or items, then those of these.

    A call for each value would take longer than what is done with it.
    """
    items = [value]
    while items:
        yield items
        items = [
            part
            for item in items
            if isinstance(item, (dict, list))
            for part in (item.values() if isinstance(item, dict) else item)
        ]


def is_uuid(text: object) -> bool:
    """Whether a text is an id in the canonical form that the service writes."""
    try:
        return isinstance(text, str) and str(UUID(text)) == text
    except ValueError:
        return False
