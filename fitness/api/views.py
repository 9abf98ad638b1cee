"""The OpenAPI document, and the response for every address under /api that does not exist."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.generators import SchemaGenerator

from fitness.api.errors import ApiError
from fitness.api.operations import operation
from fitness.api.renderers import json_response
from fitness.api.viewsets import ApiViewSet
from fitness.json import Fragment, dumps


@cache
def document() -> bytes:
    """The OpenAPI document as JSON; it is the same for everyone, so it is made once."""
    schema = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]  # untyped there
    return dumps(schema)


class DescriptionViewSet(ApiViewSet):
    """This document."""

    tag = "Description"
    authentication_classes = []

    def authenticate(self) -> None:
        """Anybody may read it."""

    @operation(
        "get_openapi", responses={200: dict}, headers={"Cache-Control": "public, max-age=300"}, auth=[]
    )
    def retrieve(self) -> Fragment:
        """Describe the API

        OpenAPI 3.1: every operation, field, limit and error. The one operation that needs no key.
        """
        return Fragment(document())


@csrf_exempt  # it stores nothing, and a POST to a wrong address is a 404, not a 403
def unrouted(request: HttpRequest, *args: str) -> HttpResponse:
    """The 404 for an address that does not exist."""
    error = ApiError(404, f"There is no {request.path[:200]} here.")
    error.note()
    return json_response(error.envelope, 404)
