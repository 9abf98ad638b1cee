"""What is said of a file: a message with values, worded where it is read.

A worker, which reads files, has no reader. So it stores which message it is, and with which values; a page
words it in the language of its reader, a command in English. A text without values is a message itself,
marked by `gettext_noop` where it is written.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import gettext

from fitness.json import dumps
from fitness.web.units import in_local_form

NUMBER = re.compile(r"-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?", re.ASCII)
AS_JSON = '{"text":'  # what a column with values begins with


@dataclass(frozen=True)
class Message:
    text: str  # as translations have it: "is cut after %(length)s characters"
    values: Mapping[str, object]  # of them some may be messages

    def __str__(self) -> str:
        values = {name: shown(value) for name, value in self.values.items()}
        return gettext(self.text) % values if values else gettext(self.text)


Said = str | Message


def as_message(said: Said) -> Message:
    """A text of ours as a value of another message, which is translated, too."""
    return said if isinstance(said, Message) else Message(said, {})


def shown(value: object) -> str:
    text = str(value)
    return in_local_form(text) if NUMBER.fullmatch(text) else text


def as_stored(said: Said, most: int) -> str:
    """A message for a column of so many characters. One that is too long is stored in English, and cut."""
    text = dumps(as_json(said)).decode() if isinstance(said, Message) else said
    return text if len(text) <= most else str(said)[:most]


def as_json(value: object) -> object:
    if isinstance(value, Message):
        values = {name: as_json(one) for name, one in value.values.items()}
        return {"text": value.text, "values": values}
    return str(value)


def worded(text: str) -> str:
    """A stored message in the current language."""
    if text.startswith(AS_JSON):
        return str(of_json(orjson.loads(text)))
    return gettext(text) if text else ""


def of_json(value: Any) -> Said:
    if isinstance(value, str):
        return value
    return Message(value["text"], {name: of_json(one) for name, one in value["values"].items()})


class Unreadable(Exception):
    """A file that cannot be imported; what is `said` is a sentence for the person who chose it."""

    @property
    def said(self) -> Said:
        said: Said = self.args[0]
        return said

    def __str__(self) -> str:
        return str(as_message(self.said))
