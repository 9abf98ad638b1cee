"""The description of the API, and the answer for everything that it does not have."""

from functools import cache

from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.generators import SchemaGenerator

from fitness.api.errors import ApiError, api_error
from fitness.api.renderers import Fragment, dumps, json_response
from fitness.api.viewsets import ApiViewSet, operation


@cache
def document():
    """The OpenAPI document as JSON bytes; it is the same for everyone, so it is made once."""
    return dumps(SchemaGenerator().get_schema(public=True))


class DescriptionViewSet(ApiViewSet):
    """This document."""

    tag = "Description"
    authentication_classes = []
    permission_classes = []

    @operation(
        "get_openapi", responses={200: dict}, headers={"Cache-Control": "public, max-age=300"}, auth=[]
    )
    def retrieve(self):
        """Describe the API

        OpenAPI 3.1: every operation, field, limit and error. The one operation that needs no key.
        """
        return Fragment(document())


@csrf_exempt  # it stores nothing, and a client that writes to a wrong address must hear 404
def unrouted(request, *args):
    return json_response(ApiError(404, f"There is no {request.path[:200]} here.").envelope, 404)


def json_error_response(exc):
    """An answer in the envelope for an exception from outside the framework's views."""
    refusal = api_error(exc)
    return json_response(refusal.envelope, refusal.status, refusal.headers)
