from typing import Any

import orjson
from django.http import HttpResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer

Fragment = orjson.Fragment  # stored JSON text that is placed into an answer as it stands


def dumps(value):
    """JSON bytes of plain values and Fragments; timestamps come out in UTC with `Z`."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z)


def without_fragments(value: object) -> Any:
    """A value without Fragments: what a client reads in its place."""
    return orjson.loads(dumps(value))


def json_response(value, status=200, headers=None):
    """An answer from outside the framework's views (middleware, health)."""
    return HttpResponse(dumps(value), status=status, headers=headers, content_type="application/json")


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data, accepted_media_type=None, renderer_context=None):
        # The framework puts the answer into its own context: with such a circle its text would stay until
        # the garbage collector comes by.
        (renderer_context or {}).pop("response", None)
        return b"" if data is None else dumps(data)


class AlwaysJSON(BaseContentNegotiation):
    """The API speaks JSON whatever `Accept` says: an error page would help nobody."""

    def select_parser(self, request, parsers):
        return parsers[0]

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type
