"""Operations: what a handler of the API takes and returns, declared once.

The server validates requests by the declaration, and `/openapi.json` is generated from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple, Protocol, TypeAlias

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from fitness.api.serializers import QuerySerializer, StrictSerializer

DAY_IN_PATH = OpenApiParameter("day", OpenApiTypes.DATE, "path", description="A day, YYYY-MM-DD.")

NO_HEADERS: Mapping[str, str] = {}

Handler: TypeAlias = Callable[[Any], Any]  # from a viewset to data, or (data, status)
Action: TypeAlias = Callable[..., HttpResponse]  # what DRF's dispatch calls


@dataclass(frozen=True)
class Operation:
    """What one operation takes and returns, and its handler.

    `query` and `body` are the serializers of the request, `status` that of the response where the handler
    returns data alone, `response` its serializer (None: it has no content), `headers` those that every
    response carries.
    """

    name: str
    handler: Handler
    method: str
    query: type[QuerySerializer]
    body: type[StrictSerializer] | None
    status: int
    response: type[StrictSerializer] | None
    headers: Mapping[str, str]
    may_be_missing: bool | None
    needs_body: bool
    versioned: bool


class Result(NamedTuple):
    """What a handler has returned: JSON values and Fragments, with the status and headers of the response."""

    data: Any
    status: int
    headers: Mapping[str, str] = NO_HEADERS


class Responding(Protocol):
    """A viewset: fitness.api.viewsets.ApiViewSet, which imports this module."""

    def respond(self) -> HttpResponse: ...


def operation(
    operation_id: str,
    *,
    method: str = "GET",
    path: Sequence[OpenApiParameter] = (),
    query: type[QuerySerializer] = QuerySerializer,
    body: type[StrictSerializer] | None = None,
    responses: Mapping[int, Any],
    headers: Mapping[str, str] | None = None,
    may_be_missing: bool | None = None,
    needs_body: bool = True,
    versioned: bool = False,
    **schema: Any,
) -> Callable[[Handler], Action]:
    """Declares a handler: its name, its method, what it takes, and its responses ({status: serializer}).

    The method of the viewset is then the action that DRF's dispatch calls with a request: it returns the
    response that `ApiViewSet.respond` makes of the handler's data. The handler itself is `operation.handler`.

    A handler takes nothing but self and returns the data of the response, or (data, status) where it
    declares several. `path` describes those parameters of the path that are more than an id.
    `may_be_missing`: whether the response can be 404 where the path does not show it; by default, when
    it has a parameter. `needs_body` is for operations with a `body`: False takes a request without one as
    `{}`. `versioned`: whether its viewset has a `read_version`, which makes conditional requests possible
    (fitness/api/conditional.py).
    """

    def declare(handler: Handler) -> Action:
        @wraps(handler)
        def action(view: Responding, request: Request, **path: str) -> HttpResponse:
            return view.respond()

        action.operation = Operation(  # type: ignore[attr-defined]  # read by ApiViewSet.operation_of
            name=operation_id,
            handler=handler,
            method=method,
            query=query,
            body=body,
            status=min(responses),
            response=responses[min(responses)],
            headers=headers or NO_HEADERS,
            may_be_missing=may_be_missing,
            needs_body=needs_body,
            versioned=versioned,
        )
        documented: Action = extend_schema(
            operation_id=operation_id,
            parameters=[*path, query] if query is not QuerySerializer else [*path],
            request=body,
            responses=responses,
            **schema,
        )(action)
        return documented

    return declare
