"""The document at /openapi.json: generated from the declarations that validate requests."""

import inspect
import json
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, safe_ref
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from fitness.api import idempotency
from fitness.api.errors import MAX_DETAILS
from fitness.api.fields import NumberField, StringField
from fitness.api.serializers import QuerySerializer


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

**Limits.** {requests_a_minute(settings.RATE_LIMIT_KEY)} requests a minute for a key,
{requests_a_minute(settings.RATE_LIMIT_IP)} for an IP address. The `RateLimit-Policy` and `RateLimit`
headers of each answer say how many are left; 429 comes with `Retry-After: 60`. The workouts of an
account have a bound of storage: beyond it a POST or PUT of a workout is 400 at `body`, until some are
deleted. Every answer carries an `X-Request-Id`.
"""

NO_NUL = r"^[^\u0000]*$"


class ProblemSerializer(serializers.Serializer):
    path = serializers.CharField(help_text="The place of the problem in the request.")
    message = serializers.CharField(help_text="What is wrong there, and what would be right.")


class ErrorBodySerializer(serializers.Serializer):
    code = serializers.CharField(help_text="Stable; made for programs.")
    message = serializers.CharField(help_text="A sentence for people.")
    details = ProblemSerializer(many=True, help_text="Every problem of an invalid request, else empty.")


class ApiErrorSerializer(serializers.Serializer):
    """What every refusal and every fault answers."""

    error = ErrorBodySerializer()


REFUSALS = {
    "400": "`invalid_request`: something in the query, the path or the body is missing or malformed.",
    "401": "`invalid_key`: no valid key came with the request. `expired_key`: its expiry has passed.",
    "403": "`insufficient_scope`: a write with a key that may only read.",
    "404": "`not_found`: no such record in this account.",
    "413": f"`payload_too_large`: the body is larger than {settings.MAX_BODY_BYTES:,} bytes.",
    "415": "`unsupported_media_type`: the body is not declared as `application/json` in UTF-8.",
    "429": "`rate_limited`: over a limit; go on after `Retry-After` seconds.",
    "503": "`unavailable`: temporary; retry after `Retry-After` seconds.",
}


RETRY_AFTER = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}


class ApiSchema(AutoSchema):
    """Adds what all operations share: their refusals, their tag, strict request bodies."""

    def get_operation(self, *args: Any) -> dict[str, Any]:
        """Adds `security: []` where no key is needed: left out, it might have been forgotten."""
        return {"security": [], **super().get_operation(*args)}

    @property
    def handler(self):
        return getattr(self.view, self.view.action)

    def _is_list_view(self, serializer=None):
        return False  # a page is an object that holds its list

    def get_tags(self):
        return [self.view.tag]

    def get_summary(self):
        return inspect.getdoc(self.handler).split("\n\n", 1)[0].replace("\n", " ").rstrip(".")

    def get_description(self):
        return inspect.getdoc(self.handler).partition("\n\n")[2].replace("\n", " ")

    def get_override_parameters(self):
        parameters = super().get_override_parameters()
        return [*parameters, idempotency.PARAMETER] if self.method == "POST" else parameters

    def _process_override_parameters(
        self, direction: str = "request"
    ) -> dict[tuple[str, str], dict[str, Any]]:
        """A parameter has its description outside its schema, so a reference needs no `allOf` around it."""
        parameters = super()._process_override_parameters(direction)
        for parameter in parameters.values():
            parameter["schema"] = safe_ref(parameter["schema"])
        return parameters

    def refusals(self):
        operation = self.handler.operation
        yield "400"
        if self.view.authentication_classes:
            yield "401"
            if self.method not in ("GET", "HEAD"):
                yield "403"
        if operation.may_be_missing or ("{" in self.path and operation.may_be_missing is None):
            yield "404"
        if operation.body:
            yield from ("413", "415")
        yield from ("429", "503")

    def _get_response_bodies(self, direction="response"):
        bodies = super()._get_response_bodies(direction)
        for status in self.refusals():
            answer = OpenApiResponse(ApiErrorSerializer, REFUSALS[status])
            bodies[status] = self._get_response_for_code(answer, status)
            if status in ("429", "503"):
                bodies[status]["headers"] = RETRY_AFTER
        if self.method == "POST":
            for status in bodies.keys() & {"200", "201"}:
                bodies[status]["headers"] = {idempotency.REPLAYED: idempotency.REPLAYED_HEADER}
        return bodies

    def _get_request_for_media_type(
        self, serializer: serializers.Serializer | None, direction: str = "request"
    ) -> tuple[dict[str, Any] | None, bool]:
        schema, _ = super()._get_request_for_media_type(serializer, direction)
        return schema, self.handler.operation.needs_body

    def _map_basic_serializer(self, serializer, direction):
        schema = super()._map_basic_serializer(serializer, direction)
        if isinstance(serializer, QuerySerializer):
            return schema
        properties = schema["properties"]
        if direction == "response":
            schema["required"] = sorted(properties)
        else:
            schema["additionalProperties"] = False
            for name, field in serializer.fields.items():
                if isinstance(field, serializers.ListSerializer):
                    properties[name] |= list_limits(field)
        if serializer.partial:
            schema["description"] += " Fields that are left out stay as they are."
        default_applies = direction == "request" and not serializer.partial
        for name in properties:
            properties[name] = with_default_in_words(properties[name], default_applies)
        return schema

    def _map_serializer_field(
        self, field: serializers.Field, direction: str, bypass_extensions: bool = False
    ) -> dict[str, Any]:
        if direction == "request" and field.read_only:
            return {"description": "Managed by the server; ignored when sent."}
        return super()._map_serializer_field(field, direction, bypass_extensions)

    def _insert_field_validators(self, field, schema):
        if not isinstance(field, (StringField, NumberField)):  # whose schemas are complete, see Exact
            super()._insert_field_validators(field, schema)


class Exact(OpenApiSerializerFieldExtension):
    """The schema of a strict field: precisely what it accepts, but for null, which is added later."""

    target_class = "fitness.api.fields.StringField"
    match_subclasses = True
    bounds = {"maxLength": "max_length"}

    def map_serializer_field(self, auto_schema, direction):
        schema = {"type": "string"}
        if direction == "request":
            schema |= {"pattern": NO_NUL} | ({} if self.target.allow_blank else {"minLength": 1})
        return schema | self.limits()

    def limits(self):
        found = {name: getattr(self.target, attribute) for name, attribute in self.bounds.items()}
        return {name: limit for name, limit in found.items() if limit is not None}


class ExactNumber(Exact):
    target_class = "fitness.api.fields.NumberField"
    bounds = {"minimum": "min_value", "maximum": "max_value", "exclusiveMinimum": "above"}

    def map_serializer_field(self, auto_schema, direction):
        return {"type": "number"} | self.limits()


class NamedOptions(OpenApiSerializerFieldExtension):
    """A reference to the component of the field's options, so that clients have one type for each."""

    target_class = "fitness.api.fields.ChoiceField"

    def map_serializer_field(self, auto_schema: ApiSchema, direction: str) -> dict[str, Any]:
        options = self.target.options
        schema = {"type": "string", "enum": options.values}
        component = ResolvedComponent(options.__name__, ResolvedComponent.SCHEMA, schema, options)
        auto_schema.registry.register_on_missing(component)
        return component.ref


def with_default_in_words(schema: dict[str, Any], applies: bool) -> dict[str, Any]:
    """The schema of a field with its `default` in the description, or without it where none applies.

    Generated clients demand a field that has a `default`, or send it in every request: a PATCH of another
    field would then clear it.
    """
    if "default" not in schema:
        return schema
    rest = {name: value for name, value in schema.items() if name != "default"}
    if applies:
        words = f"Default: `{json.dumps(schema['default'])}`."
        rest["description"] = f"{schema.get('description', '')} {words}".lstrip()
    return rest


def list_limits(field):
    """What JSON Schema says of a list serializer's min_length and max_length."""
    limits = {"minItems": field.min_length, "maxItems": field.max_length}
    return {name: limit for name, limit in limits.items() if limit is not None}


def only_the_api(endpoints):
    return [row for row in endpoints if row[0].startswith("/api/v1/")]


METHOD_ORDER = ("get", "post", "put", "patch", "delete")


def describe(result, generator, **kwargs):
    """Adds the text of the document, and an order in which every process writes it."""
    for path, methods in result["paths"].items():
        result["paths"][path] = {name: methods[name] for name in METHOD_ORDER if name in methods}
    result["info"]["description"] = DESCRIPTION
    views = {callback.cls.tag: inspect.getdoc(callback.cls) for *_, callback in generator.endpoints}
    result["tags"] = [{"name": tag, "description": text} for tag, text in views.items()]
    return result
