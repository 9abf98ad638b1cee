"""Views of the API: an operation is declared once, and both the server and its document follow it."""

from dataclasses import dataclass
from functools import wraps
from urllib.parse import unquote_to_bytes
from uuid import UUID

from django.core.exceptions import TooManyFieldsSent
from django.db import IntegrityError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import MethodNotAllowed, NotFound, ValidationError
from rest_framework.viewsets import ViewSet

from fitness.api import ratelimit, retries
from fitness.api.fields import DayField
from fitness.api.parsers import body_of, check_media_type, has_body
from fitness.api.serializers import QuerySerializer, StrictSerializer

DAY_IN_PATH = OpenApiParameter("day", OpenApiTypes.DATE, "path", description="A day, YYYY-MM-DD.")


@dataclass(frozen=True)
class Operation:
    """What one operation takes: the serializers of its query and its body."""

    query: type[QuerySerializer]
    body: type[StrictSerializer] | None
    may_be_missing: bool | None
    needs_body: bool


def operation(
    operation_id,
    *,
    path=(),
    query=QuerySerializer,
    body=None,
    answers=None,
    may_be_missing=None,
    needs_body=True,
    **schema,
):
    """Declares a handler: its name, what it takes, and what it answers ({status: serializer}).

    `path` describes those parameters of the path that are more than an id. `may_be_missing` says
    whether the answer can be 404 where the path does not tell: by default, when it names a record.
    `needs_body` is for operations with a `body`: False takes a request without one as `{}`.
    """

    def declare(handler):
        @wraps(handler)
        def served(self, request, **kwargs):
            return self.serve(request, lambda: handler(self, request, **kwargs))

        served.operation = Operation(query, body, may_be_missing, needs_body)
        return extend_schema(
            operation_id=operation_id,
            parameters=[*path, query] if query is not QuerySerializer else [*path],
            request=body,
            responses=answers,
            **schema,
        )(served)

    return declare


class ApiViewSet(ViewSet):
    """Refuses in the contract's order, then calls the handler with everything validated, and POSTs once.

    Handlers find `self.account`, `self.record` (where the path names one), and the values of
    `self.query` and `self.body` (dicts).
    """

    def dispatch(self, request, *args, **kwargs):
        response = super().dispatch(request, *args, **kwargs)
        self.response = None  # it holds the view in turn; see JSONRenderer.render
        return response

    def initial(self, request, *args, **kwargs):
        self.perform_authentication(request)
        self.account = request.user
        if request.auth:
            ratelimit.count(request._request, "key", str(request.auth.pk))
        if request.method.lower() not in self.action_map:
            raise MethodNotAllowed(request.method)
        self.check_permissions(request)
        if self.operation.body and has_body(request):
            check_media_type(request)

    @property
    def operation(self):
        return getattr(self, self.action).operation

    def serve(self, request, handle):
        """The answer of `handle()`, which wants everything validated; see retries.once for POST."""

        def act():
            self.read(request)
            return handle()

        if request.method == "POST" and retries.HEADER in request.headers:
            return settled(self.account, lambda: retries.once(request, act, self.stored))
        return settled(self.account, act)

    def read(self, request):
        """Finds the record, validates query and body; tells the problems of all three at once."""
        readers = {"path": self.read_path, "query": self.read_query}
        if self.operation.body:
            readers["body"] = self.read_body
        errors = {}
        for place, reader in readers.items():
            try:
                reader(request)
            except ValidationError as error:
                errors[place] = error.detail
        if errors:
            raise ValidationError(errors)

    def read_path(self, request):
        self.record = self.find(**self.kwargs) if self.kwargs else None

    def read_query(self, request):
        try:
            unquote_to_bytes(request.META.get("QUERY_STRING", "")).decode()
            self.query = self.operation.query.validated(request.query_params)
        except UnicodeDecodeError:
            raise ValidationError(["is not valid UTF-8."]) from None
        except TooManyFieldsSent:
            raise ValidationError(["has too many parameters."]) from None

    def read_body(self, request):
        context = {"account": self.account, "record": getattr(self, "record", None)}
        partial = request.method == "PATCH"
        body = body_of(request) if self.operation.needs_body or has_body(request) else {}
        self.body = self.operation.body.validated(body, context, partial=partial)

    def find(self, **kwargs):
        """The record that the path names. Viewsets with such paths override this.

        Raises NotFound or DoesNotExist when there is none, ValidationError when the path is malformed.
        """
        raise NotFound()

    def stored(self, instance_id):
        """The data of the record that an earlier POST has made. Viewsets with a POST override this.

        Raises NotFound or DoesNotExist when it is gone.
        """
        raise NotFound()

    @property
    def allowed_methods(self):
        return [method.upper() for method in self.action_map]

    @classmethod
    def answer(cls, action, account, values, **path):
        """What an operation answers when its query or body is valid already: how tools share it.

        Raises what handlers raise for a record that is not there, and for a cursor that is none.
        """
        view = cls(action=action, account=account, query=values, body=values)
        view.record = view.find(**path) if path else None
        return getattr(cls, action).__wrapped__(view, None, **path).data


def settled(account, act):
    """The result of `act()`, called again where a record that it refers to was deleted meanwhile.

    The database then refuses the write (IntegrityError). The second call finds that the record is gone, and
    refuses at its place. Raises DoesNotExist where it is the account that is gone.
    """
    try:
        return act()
    except IntegrityError:
        account.refresh_from_db(fields=["id"])
        return act()


def delete(record):
    """Deletes a record. Raises NotFound where another request has deleted it already."""
    deleted, _ = record.delete()
    if not deleted:
        raise NotFound()


def known_uuid(text):
    """Raises NotFound for a text that is no id of ours: such a record does not exist."""
    try:
        if str(UUID(text)) == text:
            return UUID(text)
    except ValueError:
        pass
    raise NotFound()


def only(rows):
    """The one row that a record's id finds. Raises NotFound when there is none."""
    if not rows:
        raise NotFound()
    return rows[0]


def known_day(text):
    """Raises ValidationError at path.day for a text that is not a day."""
    try:
        return DayField().run_validation(text)
    except ValidationError as error:
        raise ValidationError({"day": error.detail}) from None
