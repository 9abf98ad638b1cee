from drf_spectacular.extensions import OpenApiSerializerExtension

from body.models import SITES


class AtLeastOneSite(OpenApiSerializerExtension):
    """Says in the document what MeasurementSerializer.validate demands of a new measurement."""

    target_class = "body.api.serializers.MeasurementSerializer"

    def map_serializer(self, auto_schema, direction):
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        if direction == "request" and not self.target.partial:
            # "Not every site is null or left out". Generators of clients make six types of an anyOf.
            schema["not"] = {"properties": {site: {"type": "null"} for site in SITES}}
        return schema
