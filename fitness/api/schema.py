"""The document at /openapi.json: generated from the declarations that validate requests."""

import inspect

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from fitness.api import retries
from fitness.api.fields import NumberField, StringField
from fitness.api.serializers import QuerySerializer

DESCRIPTION = """\
Training and body data of one account: the account that owns the API key.

**Start.** Create a key in the app under Settings, Developer, and send it as
`Authorization: Bearer <key>` or as `api-key: <key>`.

**Units.** Weights are kilograms, lengths centimetres, energy kilocalories, macronutrients grams,
durations seconds. Timestamps are RFC 3339: any offset is read, UTC with `Z` is written. Days are
`YYYY-MM-DD`.

**Bodies** are JSON in UTF-8 of at most 262,144 bytes. Types are strict (`"10"` is not a number) and
unknown fields are refused, so that a typo cannot lose data. Fields that the server manages are
ignored when sent: what GET answers can be changed and PUT back.

**Lists** answer one page and a `next_cursor`; send it as `cursor` for the next page. It is null on
the last page. Pages stay right while records come and go.

**Errors** share one envelope. Each item of `details` names its place, such as
`body.exercises[0].sets[1].reps`, `query.limit` or `path.day`, and all problems are listed at once.
Besides the answers listed below, an address that does not exist is 404 `not_found`, a method that
an address does not have is 405 `method_not_allowed`, and a fault of the service is 500
`internal_error`.

**Retries.** GET, PUT, PATCH and DELETE may be repeated as they are. A POST may be repeated when it
carries an `Idempotency-Key`: the service carries it out once, and answers every repetition of the
next 24 hours with the record that the first one made, with `Idempotent-Replayed: true`.

**Limits.** 120 requests a minute for a key, 300 for an IP address. `RateLimit-Policy` and
`RateLimit` headers tell where you stand; 429 comes with `Retry-After: 60`. Every answer carries an
`X-Request-Id`.
"""

NO_NUL = r"^[^\u0000]*$"


class ProblemSerializer(serializers.Serializer):
    path = serializers.CharField(help_text="The place of the problem in the request.")
    message = serializers.CharField(help_text="What is wrong there, and what would be right.")


class ErrorBodySerializer(serializers.Serializer):
    code = serializers.CharField(help_text="Stable; made for programs.")
    message = serializers.CharField(help_text="A sentence for people.")
    details = ProblemSerializer(many=True, help_text="Every problem of an invalid request, else empty.")


class ErrorSerializer(serializers.Serializer):
    """What every refusal and every fault answers."""

    error = ErrorBodySerializer()


REFUSALS = {
    "400": "`invalid_request`: something in the query, the path or the body is missing or malformed.",
    "401": "`invalid_key`: no valid key came with the request. `expired_key`: its expiry has passed.",
    "403": "`insufficient_scope`: a write with a key that may only read.",
    "404": "`not_found`: no such record in this account.",
    "413": "`payload_too_large`: the body is larger than 262,144 bytes.",
    "415": "`unsupported_media_type`: the body is not declared as `application/json` in UTF-8.",
    "429": "`rate_limited`: over a limit; go on after `Retry-After` seconds.",
    "503": "`unavailable`: temporary; retry after `Retry-After` seconds.",
}


RETRY_AFTER = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}


class ApiSchema(AutoSchema):
    """Adds what all operations share: their refusals, their tag, strict request bodies."""

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
        return [*parameters, retries.PARAMETER] if self.method == "POST" else parameters

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
            answer = OpenApiResponse(ErrorSerializer, REFUSALS[status])
            bodies[status] = self._get_response_for_code(answer, status)
            if status in ("429", "503"):
                bodies[status]["headers"] = RETRY_AFTER
        if self.method == "POST":
            for status in bodies.keys() & {"200", "201"}:
                bodies[status]["headers"] = {retries.REPLAYED: retries.REPLAYED_HEADER}
        return bodies

    def _map_basic_serializer(self, serializer, direction):
        schema = super()._map_basic_serializer(serializer, direction)
        if direction == "response":
            schema["required"] = sorted(schema.get("properties", {}))
        elif not isinstance(serializer, QuerySerializer):
            schema["additionalProperties"] = False
            managed = [name for name, field in serializer.fields.items() if field.read_only]
            for name in managed:
                schema["properties"][name] = {"description": "Managed by the server; ignored when sent."}
            schema["required"] = sorted(set(schema.get("required", ())) - set(managed))
            for name, field in serializer.fields.items():
                if isinstance(field, serializers.ListSerializer):
                    schema["properties"][name] |= list_limits(field)
        return schema

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


class ExactOption(Exact):
    target_class = "fitness.api.fields.OptionField"

    def map_serializer_field(self, auto_schema, direction):
        options = list(self.target.choices)
        return {"type": "string", "enum": [*options, None] if self.target.allow_null else options}


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
