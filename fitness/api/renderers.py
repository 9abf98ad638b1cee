"""JSON responses."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from fitness.json import dumps


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """A response from outside DRF's views (middleware, health)."""
    return HttpResponse(dumps(value), status=status, headers=headers, content_type="application/json")


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: object,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        # Breaks a reference cycle: DRF puts the response into the context that the response refers to, and
        # its text would stay in memory until the garbage collector runs.
        if isinstance(renderer_context, dict):
            renderer_context.pop("response", None)
        return b"" if data is None else dumps(data)


class AlwaysJSON(BaseContentNegotiation):
    """Responses are JSON whatever `Accept` is: a program that gets a 406 can do nothing with it."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type
