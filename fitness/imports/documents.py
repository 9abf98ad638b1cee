"""Values of a file by the API's rules: what a serializer refuses is a refused row."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_noop
from rest_framework.exceptions import ValidationError

from fitness.api.errors import problems
from fitness.api.serializers import StrictSerializer, Values
from fitness.imports.findings import Code, Findings
from fitness.imports.messages import Message

CUT = gettext_noop("is cut after %(length)s characters")


def validated(
    serializer: type[StrictSerializer],
    document: Mapping[str, Any],
    findings: Findings,
    line: int,
    columns: Mapping[str, str] | None = None,
    rows: int = 1,
) -> Values | None:
    """The values of a document of the API, or None if it is refused: then its `rows` are counted as refused.

    `columns` has the name of the file's column by that of a field.
    """
    try:
        return serializer.validated(document)
    except ValidationError as error:
        path, message = next(problems(error.detail))
        column = (columns or {}).get(path, path)
        findings.refuse(line, column, str(document.get(path, "")), Code.NUMBER, message, rows=rows)
        return None


def bound(serializer: type[StrictSerializer], name: str, which: str) -> Any:
    """What a field of the API is bounded by: `which` is "max_value", "max_length", ..."""
    return getattr(serializer.shared().fields[name], which)


def cut(text: str, length: int, findings: Findings, line: int, column: str) -> str:
    """The text, cut where it is longer than the API allows; `findings` then has a change."""
    if len(text) <= length:
        return text
    findings.change(line, column, Message(CUT, {"length": f"{length:,}"}))
    return text[:length]
