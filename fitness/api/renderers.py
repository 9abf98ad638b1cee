"""JSON responses."""

from collections.abc import Mapping

from django.http import HttpResponse

from fitness.json import dumps


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    return HttpResponse(dumps(value), status=status, headers=headers, content_type="application/json")
