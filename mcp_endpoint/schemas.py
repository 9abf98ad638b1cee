"""JSON Schemas of tools, made from the serializers that validate and render.

Nested shapes are inline and few keywords are used: hosts differ in the keywords that they support, and the
whole list has to fit into a model's context. Limits without a keyword are in the help text.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from rest_framework import serializers

from fitness.api.fields import AnyField
from fitness.api.parsers import loads
from fitness.api.serializers import PageSerializer, StrictListSerializer
from fitness.web.units import KG_PER_POUND
from mcp_endpoint.serializers import OrText

JsonSchema: TypeAlias = dict[str, Any]
AnySerializer: TypeAlias = serializers.Serializer[Any]

# The parts of help texts and messages that are for readers of the OpenAPI document alone: a REST path in
# brackets after the name of the operation, and the meaning of null in a response.
OF_REST = re.compile(r" \((?:GET|POST|PUT|PATCH|DELETE) /[^)]*\)|; null [^.;]*")


def for_tools(text: str) -> str:
    """A help text or a message without the parts for readers of the OpenAPI document."""
    return OF_REST.sub("", text)


def arguments_schema(serializer: AnySerializer) -> JsonSchema:
    """The inputSchema of a serializer: its writable fields with their help texts, required ones first."""
    writable = [field for field in serializer.fields.values() if not field.read_only]
    writable.sort(key=lambda field: not field.required)
    properties = {str(field.field_name): argument(field) for field in writable}
    return schema_of_object(properties, [str(field.field_name) for field in writable if field.required])


def schema_of_object(properties: dict[str, JsonSchema], required: Sequence[str] = ()) -> JsonSchema:
    """Always with `properties`, without which hosts fail, and without `additionalProperties`."""
    schema: JsonSchema = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def argument(field: AnyField) -> JsonSchema:
    """The schema of one argument. It does not allow null for an optional one; as_meant accepts it."""
    schema = {**shape(field, arguments_schema), **limits(field)}
    if isinstance(field.default, (bool, int, float)) or (isinstance(field.default, str) and field.default):
        schema["default"] = field.default
    if field.help_text:
        schema["description"] = for_tools(str(field.help_text))
    return schema


def as_meant(value: Any, field: AnyField) -> Any:
    """Arguments as models mean them, at every level.

    Without the optional ones that are null, or empty where that is no value of theirs: strict hosts oblige
    models to send all of them. Text that is the JSON of an array or object, where one is due, is read as
    that: `"exercises": "[{...}]"`.
    """
    match field:
        case StrictListSerializer() | serializers.ListField():
            items, child = read_as(list, value), field.child
            return [as_meant(item, child) for item in items] if isinstance(items, list) else items
        case serializers.Serializer():
            members, fields = read_as(dict, value), field.fields
            if isinstance(members, dict):
                return {
                    name: as_meant(one, fields[name]) if name in fields else one
                    for name, one in members.items()
                    if name not in fields or fields[name].required or not is_left_out(one, fields[name])
                }
            return members
    return value


def is_left_out(value: Any, field: AnyField) -> bool:
    has_blank = isinstance(field, serializers.CharField) and field.allow_blank
    return value is None or (value == "" and not has_blank and not field.read_only)


def read_as(due: type, value: Any) -> Any:
    """The array or object that a text is the JSON of, where that is due; else the value."""
    if not isinstance(value, str):
        return value
    try:
        read = loads(value.encode())
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, due) else value


def result_schema(serializer: AnySerializer) -> JsonSchema:
    """The outputSchema of a serializer: names and types. The OpenAPI document has the rest."""
    properties, required = {}, []
    for name, field in serializer.fields.items():
        schema = shape(field, result_schema)
        properties[name] = {**schema, "type": [schema["type"], "null"]} if field.allow_null else schema
        if field.required and isinstance(serializer, PageSerializer):
            required.append(name)
    return schema_of_object(properties, required)


def tool_result_schema(serializer: AnySerializer) -> JsonSchema:
    """The outputSchema of a tool, with the notices that may be in front of its result.

    All fields of a record are required, of a page what is always in it.
    """
    schema = result_schema(serializer)
    schema["properties"]["notices"] = {"type": "array", "items": {"type": "string"}}
    if not isinstance(serializer, PageSerializer):
        schema["required"] = list(serializer.fields)
    return schema


def shape(field: AnyField, schema_of: Callable[[AnySerializer], JsonSchema]) -> JsonSchema:
    """The type of a field, with its items or properties."""
    match field:
        case OrText():
            full = shape(field.full, schema_of)
            return {**full, "type": [full["type"], "string"]}
        case serializers.DictField():
            return schema_of_object({})
        case StrictListSerializer() | serializers.ListField():
            return {"type": "array", "items": shape(field.child, schema_of)}
        case serializers.Serializer():
            return schema_of(field)
        case serializers.BooleanField():
            return {"type": "boolean"}
        case serializers.IntegerField():
            return {"type": "integer"}
        case serializers.FloatField():
            return {"type": "number"}
    return {"type": "string"}


def limits(field: AnyField) -> JsonSchema:
    """The limits of an argument that have a keyword; its help text has the others."""
    found: JsonSchema
    match field:
        case StrictListSerializer():
            found = {"minItems": field.min_length, "maxItems": field.max_length}
        case serializers.IntegerField() | serializers.FloatField():
            found = {"minimum": field.min_value, "maximum": field.max_value}
        case serializers.ChoiceField():
            found = {"enum": list(field.choices)}
        case serializers.DateTimeField():
            found = {"format": "date-time"}
        case serializers.DateField():
            found = {"format": "date"}
        case _:
            found = {}
    return {keyword: limit for keyword, limit in found.items() if limit is not None}


def steps_of(path: str) -> list[str]:
    """`["sets", "0", "reps"]` of `arguments.sets[0].reps`."""
    return re.findall(r"[^.\[\]]+", path)[1:]


class Unit(NamedTuple):
    symbol: str
    factor: float  # how many of the other unit one is
    other: str


UNITS = {  # by their names
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), Unit("lb", KG_PER_POUND, "kg")),
    **dict.fromkeys(("in", "inch", "inches"), Unit("in", 2.54, "cm")),
}
NAMES_OF_UNITS = ("unit", "units", "weight_unit")
MAX_SUMMAND = 10**15  # a greater integer has no float


def in_the_unit_of_the_field(arguments: Any, schema: JsonSchema, path: str) -> str:
    """`180 lb is 81.65 kg: weight_kg 81.65` of pounds or inches at a path; empty where nothing takes them.

    The unit is in the name (`weight_lb`) or beside (`{"weight": 180, "unit": "lb"}`).
    """
    *way, name = steps_of(path) or [""]
    try:
        for step in way:
            arguments = arguments[int(step)] if isinstance(arguments, list) else arguments[step]
            schema = schema["items"] if "items" in schema else schema["properties"][step]
    except (LookupError, TypeError, ValueError):  # a name with a dot in it, or one that is shortened
        return ""
    known = schema.get("properties", {})
    if name in known or not isinstance(arguments, dict) or name not in arguments:
        return ""
    stem, _, suffix = name.rpartition("_")
    beside = next((str(arguments[each]).lower() for each in NAMES_OF_UNITS if each in arguments), "")
    unit = UNITS.get(suffix) or UNITS.get(beside)
    if unit is None:
        return ""
    meant = arguments if name in NAMES_OF_UNITS else {stem if suffix in UNITS else name: arguments[name]}
    fields = {f"{each.removesuffix(f'_{unit.other}')}_{unit.other}": meant[each] for each in meant}
    if suffix in UNITS and unit.other == "kg":  # pounds in a name are of some weight
        fields |= {each: arguments[name] for each in known if each.endswith("_kg")}
    return next((sum_in_words(fields[each], unit, each) for each in fields if each in known), "")


def sum_in_words(value: Any, unit: Unit, field: str) -> str:
    """Empty for what is no number."""
    if type(value) not in (int, float) or abs(value) >= MAX_SUMMAND:
        return ""
    converted = f"{round(value * unit.factor, 2):.10g}"
    return f"{value:.10g} {unit.symbol} is {converted} {unit.other}: {field} {converted}."


def expected_at(schema: JsonSchema, path: str) -> str:
    """What belongs at a path such as `arguments.sets[0].reps`, in a few words, after an inputSchema.

    For a path that the schema does not have: what belongs at the nearest place around it.
    """
    optional = False
    for step in steps_of(path):
        if "items" in schema:
            schema, optional = schema["items"], False
        elif step in schema.get("properties", ()):
            optional = step not in schema.get("required", ())
            schema = schema["properties"][step]
        else:
            break
    words = [in_short(schema), schema.get("description", ""), "May be left out." if optional else ""]
    return " ".join(filter(None, words))


def in_short(schema: JsonSchema) -> str:
    """`{name, notes?}`, `array of …`, `integer, 1 to 7` and the like."""
    if "properties" in schema:
        required = schema.get("required", ())
        names = [name if name in required else f"{name}?" for name in schema.get("properties", ())]
        return "{" + ", ".join(names) + "}"
    if "items" in schema:
        return f"array of {in_short(schema['items'])}."
    if "enum" in schema:
        return f"One of {', '.join(schema['enum'])}."
    between = f", {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else ""
    return f"{schema.get('format') or schema['type']}{between}."
