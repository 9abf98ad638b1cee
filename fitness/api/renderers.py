"""JSON responses."""

from collections.abc import Iterable, Mapping

from django.http import HttpRequest, HttpResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from fitness.json import dumps


class OrjsonRenderer(BaseRenderer):
    """Renders JSON values and Fragments."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: object, accepted_media_type: str | None = None, renderer_context: object = None
    ) -> bytes:
        return b"" if data is None else dumps(data)


class IgnoreClientContentNegotiation(BaseContentNegotiation):
    """The one parser and the one renderer, whatever Accept says; `ApiViewSet.initial` checks Content-Type."""

    def select_parser(self, request: HttpRequest, parsers: Iterable[BaseParser]) -> BaseParser:
        (parser,) = parsers
        return parser

    def select_renderer(
        self, request: HttpRequest, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        (renderer,) = renderers
        return renderer, renderer.media_type


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    return HttpResponse(dumps(value), status=status, headers=headers, content_type="application/json")
