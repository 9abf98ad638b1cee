"""Viewsets of Django REST framework, whose requests are checked in the contract's order.

1. ApiGuard (middleware): the limit of the address, then the size of the body. Example: 300 KB -> 413.
2. DRF's `dispatch` calls `initial`, which applies the classes that settings.REST_FRAMEWORK names:
   the key (authentication_classes). Example: none -> 401 invalid_key.
   Its limit (throttle_classes). Example: the 121st request of a minute -> 429 rate_limited.
   The method. Example: PATCH of a workout -> 405 method_not_allowed.
   The key's scope (permission_classes). Example: a POST with a key that may only read -> 403
   insufficient_scope, whatever the body holds.
   The media type of the body. Example: text/plain -> 415 unsupported_media_type.
3. `dispatch` calls the action, that is `respond`. `read` reads the instance that the path names, the query,
   the body. Example: `?limit=0` beside a body without `started_at` -> 400 with both problems, at query.limit
   and body.started_at.
4. The handler returns data, and `respond` the response with it. A POST with an Idempotency-Key does 3 and 4
   inside the transaction of fitness.api.idempotency.run_once. Example: the key of another request -> 400. A
   GET with an If-None-Match may end between both, with 304, and a write with an If-Match, with 412
   (fitness/api/conditional.py).

A check that fails raises, and EXCEPTION_HANDLER (fitness/api/errors.py) makes the response of the exception.
"""

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes
from uuid import UUID

from django.core.exceptions import ImproperlyConfigured, TooManyFieldsSent
from django.db import transaction
from django.db.models import Model
from django.http import HttpResponse
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from fitness.api import conditional, idempotency
from fitness.api.exceptions import PreconditionFailed
from fitness.api.fields import DayField
from fitness.api.operations import Operation, Result
from fitness.api.parsers import check_media_type, has_body, header, is_uuid
from fitness.api.serializers import StrictSerializer, Values
from fitness.db.faults import DATABASE_FAULTS, is_worth_a_second_try

Outcome = TypeVar("Outcome")


class ApiViewSet(ViewSet):
    """Checks a request in the contract's order, then calls the handler with everything validated.

    Handlers find `self.account`, `self.instance` (where the path names one), and the values of
    `self.query` and `self.body` (dicts). They return data: `respond` makes the response of it, and tools
    use the data itself.
    """

    http_method_names = ["get", "post", "put", "patch", "delete", "head"]  # OPTIONS is a 405
    tag: str  # under which the document lists the operations
    operation: Operation
    account: Any = None  # accounts.api.viewsets.AccountViewSet declares its type
    instance: Any  # viewsets whose paths name one declare its model
    query: Values
    body: Any  # Values; viewsets may declare the TypedDict of their body
    version: str | None = None  # of what a `versioned` GET answers, where its handler has read one

    @classmethod
    def as_view(cls, actions: dict[str, Any] | None = None, **initkwargs: Any) -> Any:
        """Checks {method: action} against the declarations. Raises ImproperlyConfigured at the start."""
        for method, action in (actions or {}).items():
            declared = cls.operation_of(action).method
            if declared.lower() != method:
                raise ImproperlyConfigured(f"{cls.__name__}.{action} is a {declared}, not a {method}.")
        return super().as_view(actions, **initkwargs)

    @classmethod
    def operation_of(cls, action: str) -> Operation:
        """What the `operation` decorator has declared of a handler."""
        declared: Operation = getattr(cls, action).operation
        return declared

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """The checks of DRF's own `initial` and two more, in the contract's order."""
        negotiated = self.get_content_negotiator().select_renderer(request, self.get_renderers())
        request.accepted_renderer, request.accepted_media_type = negotiated
        self.perform_authentication(request)
        self.check_throttles(request)
        if request.method not in self.allowed_methods:
            self.http_method_not_allowed(request)
        self.check_permissions(request)
        self.operation = self.operation_of(self.action)
        if self.operation.body and has_body(request):
            check_media_type(request)
        self.account = request.user

    def respond(self) -> HttpResponse:
        """The response of the action's handler."""
        act = self.act
        if self.operation.versioned:
            act = self.act_if_new if self.operation.method in SAFE_METHODS else self.act_if_unchanged
        elif self.operation.method == "POST" and header(self.request, idempotency.HEADER) is not None:
            api_key: Any = self.request.auth  # DRF's stubs expect a key of its own
            act = partial(idempotency.run_once, api_key, self.request, self.act, self.get_stored)
        result = with_second_try(self.account, act)
        renderer = self.request.accepted_renderer
        headers = {**self.operation.headers, **result.headers}
        # DRF's Response, a template that is rendered behind the view, would take 35 μs more of 800.
        response = HttpResponse(
            renderer.render(result.data), renderer.media_type, result.status, headers=headers
        )
        if result.data is None:
            del response.headers["Content-Type"]
        return response

    def act(self) -> Result:
        """Validates the request and calls the handler."""
        self.read()
        return self.handle()

    def handle(self) -> Result:
        """What the handler returns, after `read`."""
        return with_status(self.operation.handler(self), self.operation.status)

    def act_if_new(self) -> Result:
        """Like `act`, but a 304 without the handler where the client has what it would answer.

        For `*`, any answer, after the handler, which may refuse the cursor.
        """
        self.read()
        known = header(self.request, conditional.IF_NONE_MATCH)
        is_any = known is not None and conditional.is_any(known)
        if known is not None and not is_any:
            headers = conditional.headers(self.tag_of(self.read_version()))
            if conditional.has_tag(known, headers["ETag"]):
                return Result(None, 304, headers)
        result = self.handle()
        if self.version is None:
            return result
        headers = conditional.headers(self.tag_of(self.version))
        return Result(None, 304, headers) if is_any else result._replace(headers=headers)

    def act_if_unchanged(self) -> Result:
        """Like `act`; with an If-Match in a transaction, and only while the instance has that version.

        Raises PreconditionFailed where it has changed. The account is locked before the instance is read, so
        that nobody changes it in between.
        """
        expected = header(self.request, conditional.IF_MATCH)
        if expected is None:
            return self.act()
        _ = self.request.body  # now: a slow client would keep whoever waits for the lock waiting
        with transaction.atomic():
            self.account.lock()
            self.read()
            if not conditional.has_tag(expected, self.tag_of(self.read_version())):
                raise PreconditionFailed()
            return self.handle()

    def read_version(self) -> str:
        """The version of the instance, new whenever that reads differently, or else of all instances.

        Viewsets with `versioned` operations override this.
        """
        raise NotImplementedError

    def tag_of(self, version: str) -> str:
        made_by = conditional.STORED if self.instance else conditional.RELEASE
        return conditional.entity_tag(self.request.get_full_path(), self.account.pk, version, made_by)

    def read(self) -> None:
        """Finds the instance, validates query and body; reports what is malformed in all three at once.

        A path that names nothing raises NotFound (or DoesNotExist) before query and body are read.
        """
        readers: dict[str, Callable[[], None]] = {"path": self.read_path, "query": self.read_query}
        if body := self.operation.body:
            readers["body"] = partial(self.read_body, body)
        errors = {}
        for place, reader in readers.items():
            try:
                reader()
            except ValidationError as error:
                errors[place] = error.detail
        if errors:
            raise ValidationError(errors)

    def read_path(self) -> None:
        self.instance = self.get_object(**self.kwargs) if self.kwargs else None

    def read_query(self) -> None:
        try:
            unquote_to_bytes(self.request.META.get("QUERY_STRING", "")).decode()
            self.query = self.operation.query.validated(self.request.query_params)
        except UnicodeDecodeError:
            raise ValidationError(["is not valid UTF-8."]) from None
        except TooManyFieldsSent:
            raise ValidationError(["has too many parameters."]) from None

    def read_body(self, serializer: type[StrictSerializer]) -> None:
        if self.operation.needs_body and not self.request.body:
            raise ValidationError(["is missing; send a JSON object."])
        context = {"account": self.account, "instance": getattr(self, "instance", None)}
        self.body = serializer.validated(self.request.data, context, partial=self.operation.method == "PATCH")

    def get_object(self, *args: Any, **kwargs: Any) -> Any:
        """The instance that the path names. Viewsets with such paths override this, by its parameters' names.

        Raises NotFound or DoesNotExist when there is none, ValidationError when the path is malformed.
        """
        raise NotFound()

    def get_stored(self, instance_id: str) -> object:
        """The data of the instance that an earlier POST has made. Viewsets with a POST override this.

        Raises NotFound or DoesNotExist when it is gone.
        """
        raise NotFound()

    @classmethod
    def perform(cls, action: str, account: Any, values: Values, **path: str) -> Any:
        """The data of an operation whose query or body is valid already: for tools.

        Raises what handlers raise for an instance that does not exist, and for a malformed cursor.
        """
        operation = cls.operation_of(action)
        view = cls(
            action=action, operation=operation, account=account, query=values, body=values, kwargs=path
        )
        view.read_path()
        return view.handle().data


def with_status(returned: Any, status: int) -> Result:
    """What a handler has returned: data, which have the declared status, or (data, status)."""
    return Result(*returned) if isinstance(returned, tuple) else Result(returned, status)


def with_second_try(account: Model, act: Callable[[], Outcome]) -> Outcome:
    """The result of `act()`, called again where the database rejected it for what others did at that moment.

    A row that it refers to was deleted meanwhile: the second call finds that the row is gone, and raises the
    error of its place. Or the database ended the transaction because of a deadlock.
    Raises DoesNotExist where the account itself is gone.
    """
    try:
        return act()
    except DATABASE_FAULTS as fault:
        if not is_worth_a_second_try(fault):
            raise
        account.refresh_from_db(fields=["id"])
        return act()


def delete_instance(instance: Model) -> None:
    """Raises NotFound where another request has deleted the instance already."""
    deleted, _ = instance.delete()
    if not deleted:
        raise NotFound()


def parse_uuid(text: str) -> UUID:
    """Raises NotFound for a text that is no canonical UUID: an instance with such an id does not exist."""
    if not is_uuid(text):
        raise NotFound()
    return UUID(text)


def parse_day(text: str) -> datetime.date:
    """Raises ValidationError at path.day for a text that is not a day."""
    try:
        day: datetime.date = DayField().run_validation(text)
        return day
    except ValidationError as error:
        raise ValidationError({"day": error.detail}) from None
