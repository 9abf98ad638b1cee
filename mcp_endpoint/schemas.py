"""JSON Schemas of tools, made from the serializers that validate and render.

Nested shapes stand inline and few keywords are used: hosts differ in what they understand, and the
whole list has to fit into a model's context. What a keyword does not say, the help text does.
"""

from rest_framework import serializers


def arguments_schema(serializer):
    """The inputSchema of a serializer: what may be sent, with the help texts; required fields first."""
    writable = [field for field in serializer.fields.values() if not field.read_only]
    schema = {"type": "object"}
    if writable:
        writable.sort(key=lambda field: not field.required)
        schema["properties"] = {field.field_name: argument(field) for field in writable}
    if required := [field.field_name for field in writable if field.required]:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def argument(field):
    schema = nullable(field, {**shape(field, arguments_schema), **bounds(field)})
    if isinstance(field.default, (bool, int, float)) or (isinstance(field.default, str) and field.default):
        schema["default"] = field.default
    if field.help_text:
        schema["description"] = field.help_text
    return schema


def result_schema(serializer):
    """The outputSchema of a serializer: every field is always there."""
    fields = serializer.fields
    return {
        "type": "object",
        "properties": {
            name: nullable(field, shape(field, result_schema)) for name, field in fields.items()
        },
        "required": list(fields),
    }


def shape(field, schema_of_object):
    """The type of a field, and what its items or properties are."""
    match field:
        case serializers.ListSerializer() | serializers.ListField():
            return {"type": "array", "items": shape(field.child, schema_of_object)}
        case serializers.Serializer():
            return schema_of_object(field)
        case serializers.BooleanField():
            return {"type": "boolean"}
        case serializers.IntegerField():
            return {"type": "integer"}
        case serializers.FloatField():
            return {"type": "number"}
        case serializers.ChoiceField():
            return {"type": "string", "enum": list(field.choices)}
        case serializers.DateTimeField():
            return {"type": "string", "format": "date-time"}
        case serializers.DateField():
            return {"type": "string", "format": "date"}
        case serializers.CharField():
            return {"type": "string"}
    raise TypeError(f"no schema for {field!r}")


def bounds(field):
    """The inclusive limits; exclusive ones are left to the help text."""
    if isinstance(field, serializers.ListSerializer):
        limits = {"minItems": field.min_length, "maxItems": field.max_length}
    else:
        limits = {
            "minimum": getattr(field, "min_value", None),
            "maximum": getattr(field, "max_value", None),
        }
    return {keyword: limit for keyword, limit in limits.items() if limit is not None}


def nullable(field, schema):
    if not field.allow_null:
        return schema
    schema = {**schema, "type": [schema["type"], "null"]}
    return {**schema, "enum": [*schema["enum"], None]} if "enum" in schema else schema
