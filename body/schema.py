from drf_spectacular.extensions import OpenApiSerializerExtension

from body.models import SITES


class AtLeastOneSite(OpenApiSerializerExtension):
    """Says in the document what MeasurementSerializer.validate demands of a new measurement."""

    target_class = "body.serializers.MeasurementSerializer"

    def map_serializer(self, auto_schema, direction):
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        if direction == "request" and not self.target.partial:
            schema["anyOf"] = [
                {"required": [site], "properties": {site: {"type": "number"}}} for site in SITES
            ]
        return schema
