"""The OpenAPI document."""

from functools import cache

from drf_spectacular.generators import SchemaGenerator

from fitness.api.operations import operation
from fitness.api.viewsets import ApiViewSet
from fitness.json import Fragment, dumps


@cache
def document() -> bytes:
    """The OpenAPI document as JSON; it is the same for everyone, so it is made once."""
    schema = SchemaGenerator().get_schema(public=True)
    return dumps(schema)


class DescriptionViewSet(ApiViewSet):
    """This document."""

    tag = "Description"
    authentication_classes = []  # anybody may read it
    throttle_classes = []
    permission_classes = []

    @operation(
        "get_openapi", responses={200: dict}, headers={"Cache-Control": "public, max-age=300"}, auth=[]
    )
    def retrieve(self) -> Fragment:
        """Describe the API

        OpenAPI 3.1: every operation, field, limit and error. The one operation that needs no key.
        """
        return Fragment(document())
