from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction

from body.models import SITES


class AtLeastOneSite(OpenApiSerializerExtension):
    """Adds to the OpenAPI schema what MeasurementSerializer.validate checks: a new measurement has a site."""

    target_class = "body.api.serializers.MeasurementSerializer"

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        if direction == "request" and not self.target.partial:
            # Not every site is null or left out. An `anyOf` of six required sites would say the same, but
            # generators of clients make six types of it.
            schema["not"] = {"properties": {site: {"type": "null"} for site in SITES}}
        return schema
