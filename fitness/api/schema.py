"""The OpenAPI document at /openapi.json, generated from the declarations that validate requests."""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias, cast

from django.conf import settings
from django.utils.module_loading import autodiscover_modules
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, safe_ref
from drf_spectacular.utils import Direction, OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from fitness.api import conditional, idempotency
from fitness.api.errors import MAX_DETAILS
from fitness.api.fields import AnyField, NumberField, StringField
from fitness.api.operations import Operation, operation
from fitness.api.serializers import QuerySerializer, StrictListSerializer
from fitness.api.viewsets import ApiViewSet
from fitness.json import Fragment, dumps

Schema: TypeAlias = dict[str, Any]  # a part of an OpenAPI document
Endpoint: TypeAlias = tuple[str, str, str, Callable[..., Any]]  # path, its regular expression, method, view
AnySerializer: TypeAlias = serializers.Serializer[Any]


def requests_a_minute(rate: str) -> str:
    """The number of a rate such as `1200/m`, as people read it: 1,200."""
    return f"{int(rate.removesuffix('/m')):,}"


DESCRIPTION = f"""\
Training and body data of one account: the account that owns the API key.

**Start.** Create a key in the app under Settings, Developer, and send it as
`Authorization: Bearer <key>` or as `api-key: <key>`.

**Units.** Weights are kilograms, lengths centimetres, energy kilocalories, macronutrients grams,
durations seconds. Timestamps are RFC 3339: any offset is read (but one is required, and a second 60
is refused), UTC with `Z` is written. Days are `YYYY-MM-DD`.

**Bodies** are JSON in UTF-8 of at most {settings.MAX_BODY_BYTES:,} bytes. Types are strict (`"10"` is not
a number) and unknown fields are refused, so that a typo cannot lose data. Fields that the server
manages are ignored when sent: what GET answers can be changed and PUT back. POST and PUT store the
default for a field that is left out; PATCH leaves the field as it is.

**Lists** answer one page and a `next_cursor`; send it as `cursor` for the next page. It is null on
the last page. Pages stay right while records come and go. A page of very large records ends after
2 MB, before `limit`: only `next_cursor` says whether more follow.

**Errors** share one envelope. Each item of `details` names its place, such as
`body.exercises[0].sets[1].reps`, `query.limit` or `path.day`. All problems are listed at once, up to
{MAX_DETAILS}; then a last item says that these are the first {MAX_DETAILS}. Besides the answers listed
below, an address that does not exist is 404 `not_found`, a method that an address does not have is 405
`method_not_allowed`, and a fault of the service is 500 `internal_error`.

**Retries.** GET, PUT, PATCH and DELETE may be repeated as they are; a repeated DELETE, also one of
several at the same time, is 404 when the record is gone. A POST may be repeated when it carries an
`Idempotency-Key`: the service carries it out once, and answers every repetition of the next 24 hours
with the record that the first one made, with `Idempotent-Replayed: true`.

**Versions.** GETs of workouts, their list, their changes and the count of all carry an `ETag`. One that
sends it back as `If-None-Match` gets 304 without a body while nothing has changed; the list is then neither
read nor sent. A PUT or DELETE of a workout that sends it back as `If-Match` takes place only if nobody has
changed it meanwhile; otherwise it is 412 `precondition_failed`, and nothing is stored.

**Limits.** {requests_a_minute(settings.RATE_LIMIT_KEY)} requests a minute for a key,
{requests_a_minute(settings.RATE_LIMIT_IP)} for an IP address. The `RateLimit-Policy` and `RateLimit`
headers of each answer say how many are left; 429 comes with `Retry-After: 60`. The workouts of an
account have a bound of storage: beyond it a POST or PUT of a workout is 400 at `body`, until some are
deleted. Every answer carries an `X-Request-Id`.
"""

NO_NUL = r"^[^\u0000]*$"


class ProblemSerializer(serializers.Serializer[Any]):
    path = serializers.CharField(help_text="The place of the problem in the request.")
    message = serializers.CharField(help_text="What is wrong there, and what would be right.")


class ErrorBodySerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable; made for programs.")
    message = serializers.CharField(help_text="A sentence for people.")
    details = ProblemSerializer(many=True, help_text="Every problem of an invalid request, else empty.")


class ApiErrorSerializer(serializers.Serializer[Any]):
    """What every refusal and every fault answers."""

    error = ErrorBodySerializer()


ERRORS = {
    "400": "`invalid_request`: something in the query, the path or the body is missing or malformed.",
    "401": "`invalid_key`: no valid key came with the request. `expired_key`: its expiry has passed.",
    "403": "`insufficient_scope`: a write with a key that may only read.",
    "404": "`not_found`: no such record in this account.",
    "412": "`precondition_failed`: the record has changed since the read whose tag `If-Match` holds.",
    "413": f"`payload_too_large`: the body is larger than {settings.MAX_BODY_BYTES:,} bytes.",
    "415": "`unsupported_media_type`: the body is not declared as `application/json` in UTF-8.",
    "429": "`rate_limited`: over a limit; go on after `Retry-After` seconds.",
    "503": "`unavailable`: temporary; retry after `Retry-After` seconds.",
}


RETRY_AFTER = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}


class ApiSchema(AutoSchema):
    """Adds what all operations share: their errors, their tag, strict request bodies."""

    method: str

    def get_operation(self, *args: Any) -> Schema:
        """Adds `security: []` where no key is needed: without it a reader could think it was forgotten."""
        return {"security": [], **(super().get_operation(*args) or {})}

    @property
    def viewset(self) -> ApiViewSet:
        return cast(ApiViewSet, self.view)  # `only_the_api` leaves no other view

    @property
    def handler(self) -> Callable[[], Any]:
        handler: Callable[[], Any] = getattr(self.viewset, self.viewset.action)
        return handler

    @property
    def operation(self) -> Operation:
        return self.viewset.operation_of(self.viewset.action)

    def _is_list_view(self, serializer: object = None) -> bool:
        return False  # a page is an object that holds its list

    def get_tags(self) -> list[str]:
        return [self.viewset.tag]

    def get_summary(self) -> str:
        return docstring(self.handler).split("\n\n", 1)[0].replace("\n", " ").rstrip(".")

    def get_description(self) -> str:  # type: ignore[override]  # as in drf-spectacular, without parameters
        return docstring(self.handler).partition("\n\n")[2].replace("\n", " ")

    def get_override_parameters(self) -> list[OpenApiParameter | AnySerializer | type[AnySerializer]]:
        parameters = super().get_override_parameters()
        if self.method == "POST":
            return [*parameters, idempotency.PARAMETER]
        if not self.operation.versioned:
            return parameters
        return [
            *parameters,
            conditional.READ_PARAMETER if self.method == "GET" else conditional.WRITE_PARAMETER,
        ]

    def _process_override_parameters(self, direction: Direction = "request") -> dict[tuple[str, str], Schema]:
        """Removes the `allOf` around references: a parameter's description is outside its schema."""
        parameters: dict[tuple[str, str], Schema] = super()._process_override_parameters(direction)
        for parameter in parameters.values():
            parameter["schema"] = safe_ref(parameter["schema"])
        return parameters

    def error_statuses(self) -> Iterator[str]:
        declared = self.operation
        yield "400"
        if self.view.authentication_classes:
            yield "401"
            if self.method not in ("GET", "HEAD"):
                yield "403"
        if declared.may_be_missing or ("{" in self.path and declared.may_be_missing is None):
            yield "404"
        if declared.versioned and self.method != "GET":
            yield "412"
        if declared.body:
            yield from ("413", "415")
        yield from ("429", "503")

    def _get_response_bodies(self, direction: Direction = "response") -> Schema:
        bodies = super()._get_response_bodies(direction)
        for status in self.error_statuses():
            response = OpenApiResponse(ApiErrorSerializer, ERRORS[status])
            bodies[status] = self._get_response_for_code(response, status)
            if status in ("429", "503"):
                bodies[status]["headers"] = RETRY_AFTER
        if self.method == "POST":
            for status in bodies.keys() & {"200", "201"}:
                bodies[status]["headers"] = {idempotency.REPLAYED: idempotency.REPLAYED_HEADER}
        if self.method == "GET" and self.operation.versioned:
            bodies["200"]["headers"] = {"ETag": conditional.ETAG_HEADER}
            bodies["304"] = {"description": "The answer is still the one with the tag of `If-None-Match`."}
        return bodies

    def _get_request_for_media_type(
        self, serializer: AnySerializer | None, direction: Direction = "request"
    ) -> tuple[Schema | None, bool]:
        schema, _ = super()._get_request_for_media_type(serializer, direction)
        return schema, self.operation.needs_body

    def _map_basic_serializer(self, serializer: AnySerializer, direction: Direction) -> Schema:
        schema: Schema = super()._map_basic_serializer(serializer, direction)
        if isinstance(serializer, QuerySerializer):
            return schema
        properties = schema["properties"]
        if direction == "response":
            schema["required"] = sorted(properties)
        else:
            schema["additionalProperties"] = False
            for name, field in serializer.fields.items():
                if isinstance(field, StrictListSerializer):
                    properties[name] |= list_limits(field)
        if serializer.partial:
            schema["description"] += " Fields that are left out stay as they are."
        default_applies = direction == "request" and not serializer.partial
        for name in properties:
            properties[name] = with_default_in_words(properties[name], default_applies)
        return schema

    def _map_serializer_field(
        self, field: AnyField, direction: Direction, bypass_extensions: bool = False
    ) -> Schema:
        if direction == "request" and field.read_only:
            return {"description": "Managed by the server; ignored when sent."}
        schema: Schema = super()._map_serializer_field(field, direction, bypass_extensions)
        return schema

    def _insert_field_validators(self, field: AnyField, schema: Schema) -> None:
        if not isinstance(field, (StringField, NumberField)):  # whose schemas are complete, see ExactText
            super()._insert_field_validators(field, schema)


class ExactText(OpenApiSerializerFieldExtension):
    """The schema of exactly what a strict field accepts; drf-spectacular adds null afterwards."""

    target_class = "fitness.api.fields.StringField"
    match_subclasses = True
    bounds = {"maxLength": "max_length"}

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        schema: Schema = {"type": "string"}
        if direction == "request":
            schema |= {"pattern": NO_NUL} | ({} if self.target.allow_blank else {"minLength": 1})
        return schema | self.limits()

    def limits(self) -> Schema:
        found = {name: getattr(self.target, attribute) for name, attribute in self.bounds.items()}
        return {name: limit for name, limit in found.items() if limit is not None}


class ExactNumber(ExactText):
    target_class = "fitness.api.fields.NumberField"
    bounds = {"minimum": "min_value", "maximum": "max_value", "exclusiveMinimum": "above"}

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        return {"type": "number"} | self.limits()


class NamedOptions(OpenApiSerializerFieldExtension):
    """A reference to the component of the field's options, so that clients have one type for each."""

    target_class = "fitness.api.fields.ChoiceField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> Schema:
        options = self.target.options
        schema = {"type": "string", "enum": options.values}
        component = ResolvedComponent(options.__name__, ResolvedComponent.SCHEMA, schema, options)
        auto_schema.registry.register_on_missing(component)
        ref: Schema = component.ref
        return ref


def with_default_in_words(schema: Schema, applies: bool) -> Schema:
    """The schema of a field with its `default` in the description, or without it where none applies.

    Generated clients make a field with a `default` required, or send it in every request: a PATCH of another
    field would then clear it.
    """
    if "default" not in schema:
        return schema
    rest = {name: value for name, value in schema.items() if name != "default"}
    if applies:
        words = f"Default: `{json.dumps(schema['default'])}`."
        rest["description"] = f"{schema.get('description', '')} {words}".lstrip()
    return rest


def list_limits(field: StrictListSerializer) -> Schema:
    """The keywords of JSON Schema for a list serializer's min_length and max_length."""
    limits = {"minItems": field.min_length, "maxItems": field.max_length}
    return {name: limit for name, limit in limits.items() if limit is not None}


def only_the_api(endpoints: list[Endpoint]) -> list[Endpoint]:
    """The paths that the document describes: a hook of drf-spectacular (PREPROCESSING_HOOKS).

    It comes before the extensions of the apps are asked for, and loads them: most processes make no document.
    """
    autodiscover_modules("api.schema")
    return [endpoint for endpoint in endpoints if endpoint[0].startswith("/api/v1/")]


def docstring(described: object) -> str:
    return inspect.getdoc(described) or ""


METHOD_ORDER = ("get", "post", "put", "patch", "delete")


def describe(result: Schema, generator: SchemaGenerator, **kwargs: object) -> Schema:
    """Adds the text of the document, and one order for all processes: a hook (POSTPROCESSING_HOOKS)."""
    for path, methods in result["paths"].items():
        result["paths"][path] = {name: methods[name] for name in METHOD_ORDER if name in methods}
    result["info"]["description"] = DESCRIPTION
    views: Mapping[str, str] = {
        callback.cls.tag: docstring(callback.cls) for *_, callback in generator.endpoints or ()
    }
    result["tags"] = [{"name": tag, "description": text} for tag, text in views.items()]
    return result


@cache
def document() -> bytes:
    """The OpenAPI document as JSON; it is the same for everyone, so it is made once."""
    return dumps(SchemaGenerator().get_schema(public=True))


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
