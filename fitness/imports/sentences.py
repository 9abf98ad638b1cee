"""Sentences that were stored in English, in the language of who reads them.

A worker, which reads files, has no reader: what it says is stored as it would stand in English, for programs
too. A page translates that. A text without values is a message itself, marked by `gettext_noop` where it is
written. Of one with values, `sentence` keeps the message, which finds the values in the text again.
"""

import re

from django.utils.translation import gettext

from fitness.web.language import is_english
from fitness.web.units import in_local_form

VALUE = re.compile(r"%\((\w+)\)s")
NUMBER = re.compile(r"-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?", re.ASCII)
PROBLEM = "problem"  # the value that is a text of its own, and translated as well

messages: list[tuple[re.Pattern[str], str]] = []


def sentence(message: str) -> str:
    """The message, from now on known to `translated`. Of several that fit a text, the longest is meant."""
    parts = VALUE.split(message)  # texts and names of values in turn
    pattern = "".join(
        f"(?P<{part}>.+)" if is_name else re.escape(part.replace("%%", "%"))
        for part, is_name in zip(parts, [False, True] * len(parts), strict=False)
    )
    messages.append((re.compile(pattern, re.DOTALL), message))
    messages.sort(key=lambda known: -len(known[1]))
    return message


def translated(text: str) -> str:
    """A text in the current language; in English where it is of no message."""
    if is_english():
        return text
    said = gettext(text)
    if said != text:
        return said
    for pattern, message in messages:
        if found := pattern.fullmatch(text):
            values = found.groupdict()
            return gettext(message) % {name: shown(name, value) for name, value in values.items()}
    return text


def shown(name: str, value: str) -> str:
    if name == PROBLEM:
        return translated(value)
    return in_local_form(value) if NUMBER.fullmatch(value) else value
