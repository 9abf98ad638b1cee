"""Views of the API: an operation is declared once, and both the server and its document follow it."""

from dataclasses import dataclass
from urllib.parse import unquote_to_bytes
from uuid import UUID

from django.core.exceptions import ImproperlyConfigured, TooManyFieldsSent
from django.db import IntegrityError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import MethodNotAllowed, NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from fitness.api import idempotency, rate_limits
from fitness.api.fields import DayField
from fitness.api.parsers import check_media_type, has_body, read_json
from fitness.api.serializers import QuerySerializer, StrictSerializer

DAY_IN_PATH = OpenApiParameter("day", OpenApiTypes.DATE, "path", description="A day, YYYY-MM-DD.")


@dataclass(frozen=True)
class Operation:
    """What one operation takes and returns, beside its handler.

    `query` and `body` are the serializers of the request, `status` that of the response where the handler
    returns data alone, `headers` those that every response carries.
    """

    method: str
    query: type[QuerySerializer]
    body: type[StrictSerializer] | None
    status: int
    headers: dict[str, str]
    may_be_missing: bool | None
    needs_body: bool


def operation(
    operation_id,
    *,
    method="GET",
    path=(),
    query=QuerySerializer,
    body=None,
    responses=None,
    headers=None,
    may_be_missing=None,
    needs_body=True,
    **schema,
):
    """Declares a handler: its name, its method, what it takes, and its responses ({status: serializer}).

    A handler takes nothing but self and returns the data of the response, or (data, status) where it
    declares several. `path` describes those parameters of the path that are more than an id.
    `may_be_missing` says whether the response can be 404 where the path does not show it: by default, when
    it has a parameter. `needs_body` is for operations with a `body`: False takes a request without one as
    `{}`.
    """

    def declare(handler):
        handler.operation = Operation(
            method, query, body, min(responses), headers or {}, may_be_missing, needs_body
        )
        return extend_schema(
            operation_id=operation_id,
            parameters=[*path, query] if query is not QuerySerializer else [*path],
            request=body,
            responses=responses,
            **schema,
        )(handler)

    return declare


class ApiViewSet(ViewSet):
    """Refuses in the contract's order, then calls the handler with everything validated.

    Handlers find `self.account`, `self.instance` (where the path names one), and the values of
    `self.query` and `self.body` (dicts). They return data: `serve` makes the response of it, and tools
    use it as it is.
    """

    @classmethod
    def as_view(cls, actions=None, **initkwargs):
        for method, action in (actions or {}).items():
            declared = getattr(cls, action).operation.method
            if declared.lower() != method:
                raise ImproperlyConfigured(f"{cls.__name__}.{action} is a {declared}, not a {method}.")
        return super().as_view(actions, **initkwargs)

    def dispatch(self, request, *args, **kwargs):
        response = super().dispatch(request, *args, **kwargs)
        self.response = None  # it holds the view in turn; see JSONRenderer.render
        return response

    def initial(self, request, *args, **kwargs):
        self.perform_authentication(request)
        self.account = request.user
        if request.auth:
            rate_limits.count(request._request, "key", str(request.auth.pk))
        if request.method.lower() not in self.action_map:
            raise MethodNotAllowed(request.method)
        self.check_permissions(request)
        self.operation = getattr(self, self.action).operation
        if self.operation.body and has_body(request):
            check_media_type(request)
        setattr(self, request.method.lower(), self.serve)  # which the framework calls next

    def serve(self, request, **path):
        """The response of the action's handler."""

        def act():
            self.read()
            return with_status(getattr(self, self.action)(), self.operation.status)

        if request.method == "POST" and idempotency.HEADER in request.headers:
            return retry_if_deleted(self.account, lambda: idempotency.run_once(request, act, self.get_stored))
        data, status = retry_if_deleted(self.account, act)
        return Response(data, status, headers=self.operation.headers)

    def read(self):
        """Finds the instance, validates query and body; reports the problems of all three at once."""
        readers = {"path": self.read_path, "query": self.read_query}
        if self.operation.body:
            readers["body"] = self.read_body
        errors = {}
        for place, reader in readers.items():
            try:
                reader()
            except ValidationError as error:
                errors[place] = error.detail
        if errors:
            raise ValidationError(errors)

    def read_path(self):
        self.instance = self.get_object(**self.kwargs) if self.kwargs else None

    def read_query(self):
        try:
            unquote_to_bytes(self.request.META.get("QUERY_STRING", "")).decode()
            self.query = self.operation.query.validated(self.request.query_params)
        except UnicodeDecodeError:
            raise ValidationError(["is not valid UTF-8."]) from None
        except TooManyFieldsSent:
            raise ValidationError(["has too many parameters."]) from None

    def read_body(self):
        request = self.request
        context = {"account": self.account, "instance": getattr(self, "instance", None)}
        partial = request.method == "PATCH"
        body = read_json(request) if self.operation.needs_body or has_body(request) else {}
        self.body = self.operation.body.validated(body, context, partial=partial)

    def get_object(self, **kwargs):
        """The instance that the path names. Viewsets with such paths override this.

        Raises NotFound or DoesNotExist when there is none, ValidationError when the path is malformed.
        """
        raise NotFound()

    def get_stored(self, instance_id):
        """The data of the instance that an earlier POST has made. Viewsets with a POST override this.

        Raises NotFound or DoesNotExist when it is gone.
        """
        raise NotFound()

    @property
    def allowed_methods(self):
        return [method.upper() for method in self.action_map]

    @classmethod
    def perform(cls, action, account, values, **path):
        """The data of an operation whose query or body is valid already: for tools.

        Raises what handlers raise for an instance that is not there, and for a cursor that is none.
        """
        view = cls(action=action, account=account, query=values, body=values, kwargs=path)
        view.read_path()
        data, _ = with_status(getattr(view, action)())
        return data


def with_status(result, status=200):
    """What a handler has returned, as (data, status)."""
    return result if isinstance(result, tuple) else (result, status)


def retry_if_deleted(account, act):
    """The result of `act()`, called again where a record that it refers to was deleted meanwhile.

    The database then refuses the write (IntegrityError). The second call finds that the record is gone, and
    refuses at its place. Raises DoesNotExist where it is the account that is gone.
    """
    try:
        return act()
    except IntegrityError:
        account.refresh_from_db(fields=["id"])
        return act()


def delete_instance(instance):
    """Deletes a record. Raises NotFound where another request has deleted it already."""
    deleted, _ = instance.delete()
    if not deleted:
        raise NotFound()


def parse_uuid(text):
    """Raises NotFound for a text that is no id of ours: such a record does not exist."""
    try:
        if str(UUID(text)) == text:
            return UUID(text)
    except ValueError:
        pass
    raise NotFound()


def get_one(rows):
    """The one row that a record's id finds. Raises NotFound when there is none."""
    if not rows:
        raise NotFound()
    return rows[0]


def parse_day(text):
    """Raises ValidationError at path.day for a text that is not a day."""
    try:
        return DayField().run_validation(text)
    except ValidationError as error:
        raise ValidationError({"day": error.detail}) from None
