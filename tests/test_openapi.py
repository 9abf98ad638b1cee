"""The document: complete, true to the spec's names, and enforced as it stands."""

import json

import pytest
from django.core.management import call_command

from fitness.api.views import document


@pytest.fixture(scope="module")
def api_document():
    return json.loads(document())


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_document_is_valid_and_made_without_a_warning(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "openapi.yaml"))


def test_it_is_served_without_a_key(nobody, api_document):
    response = nobody.get("/openapi.json")
    assert response.json() == api_document
    assert response.json()["openapi"].startswith("3.1")


def test_every_operation_is_named_once_tagged_and_explained(api_document):
    ids = [operation["operationId"] for _, _, operation in operations(api_document)]
    assert len(ids) == len(set(ids))
    for path, method, operation in operations(api_document):
        assert len(operation["tags"]) == 1, path
        assert operation["summary"], (path, method)


def test_every_operation_lists_its_refusals(api_document):
    for path, method, operation in operations(api_document):
        expected = {"400", "429", "503"}
        if path != "/openapi.json":
            expected |= {"401"}
        if method != "get":
            expected |= {"403"}
        if "requestBody" in operation:
            expected |= {"413", "415"}
        if "{" in path and operation["operationId"] != "log_nutrition":
            expected |= {"404"}
        assert expected <= operation["responses"].keys(), (path, method)


def test_both_key_headers_are_described(api_document):
    schemes = api_document["components"]["securitySchemes"].values()
    assert {scheme["type"] for scheme in schemes} == {"http", "apiKey"}
    assert {scheme.get("name") for scheme in schemes} == {None, "api-key"}


def test_every_request_field_is_explained_or_plain(api_document):
    schema = api_document["components"]["schemas"]["SetRequest"]
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["reps", "weight_kg"]
    assert schema["properties"]["weight_kg"]["maximum"] == 2000
    assert schema["properties"]["rpe"]["type"] == ["number", "null"]
    assert schema["properties"]["type"]["default"] == "working"


def test_server_managed_fields_may_be_sent_and_hold_anything(api_document):
    workout = api_document["components"]["schemas"]["WorkoutRequest"]
    assert workout["properties"]["volume_kg"].keys() == {"description"}
    assert workout["required"] == ["duration_seconds", "exercises", "started_at"]


def test_lists_in_bodies_are_limited(api_document):
    schemas = api_document["components"]["schemas"]
    assert schemas["WorkoutRequest"]["properties"]["exercises"]["maxItems"] == 100
    assert schemas["WorkoutExerciseRequest"]["properties"]["sets"]["maxItems"] == 100
    days = schemas["PlanRequest"]["properties"]["days"]
    assert (days["minItems"], days["maxItems"]) == (7, 7)


def test_no_text_is_limited_in_two_ways_at_once(api_document):
    assert '"maxLength": 0' not in json.dumps(api_document)


def test_answers_name_all_their_fields_as_present(api_document):
    workout = api_document["components"]["schemas"]["Workout"]
    assert set(workout["required"]) == set(workout["properties"])


def test_request_bodies_carry_examples(api_document):
    for path, method, operation in operations(api_document):
        if "requestBody" in operation:
            (content,) = operation["requestBody"]["content"].values()
            assert content.get("examples"), (path, method)


def test_every_post_can_be_retried_safely(api_document):
    for path, method, operation in operations(api_document):
        named = [parameter["name"] for parameter in operation.get("parameters", [])]
        assert ("Idempotency-Key" in named) == (method == "post"), (method, path)


TEXT, NOTES, WEIGHT = {"maxLength": 200}, {"maxLength": 5000}, {"minimum": 0, "maximum": 2000}
REPS, LIST = {"minimum": 0, "maximum": 10_000}, {"maxItems": 100}
OVER_0, SITE = {"exclusiveMinimum": 0, "maximum": 1000}, {"exclusiveMinimum": 0, "maximum": 1000}
PERCENT, GRAMS = {"minimum": 0, "maximum": 100}, {"minimum": 0, "maximum": 10_000}
PLANNED = {"sets": {"minimum": 1, "maximum": 100}, "reps": REPS, "weight_kg": WEIGHT, "note": NOTES}
SITES = ("chest_cm", "waist_cm", "hips_cm", "arms_cm", "thighs_cm", "neck_cm")

LIMITS = {  # what the contract bounds, by operation and place in the body
    ("post", "/workouts"): {
        "title": TEXT,
        "notes": NOTES,
        "duration_seconds": {"minimum": 0, "maximum": 604_800},
        "plan_name": TEXT,
        "exercises": LIST,
        "exercises.notes": NOTES,
        "exercises.superset_id": TEXT,
        "exercises.sets": LIST,
        "exercises.sets.weight_kg": WEIGHT,
        "exercises.sets.reps": REPS,
        "exercises.sets.rpe": {"minimum": 0, "maximum": 10},
    },
    ("post", "/routines"): {
        "name": TEXT,
        "focus": TEXT,
        "exercises": LIST,
        **{f"exercises.{name}": limits for name, limits in PLANNED.items()},
    },
    ("post", "/plans"): {
        "name": TEXT,
        "summary": NOTES,
        "progression": NOTES,
        "days": {"minItems": 7, "maxItems": 7},
        "days.weekday": {"minimum": 1, "maximum": 7},
        "days.label": TEXT,
        "days.focus": TEXT,
        "days.exercises": LIST,
        **{f"days.exercises.{name}": limits for name, limits in PLANNED.items()},
    },
    ("post", "/body/weight"): {"weight_kg": OVER_0, "body_fat_percent": PERCENT, "notes": NOTES},
    ("patch", "/body/weight/{weight_id}"): {
        "weight_kg": OVER_0,
        "body_fat_percent": PERCENT,
        "notes": NOTES,
    },
    ("post", "/body/measurements"): dict.fromkeys(SITES, SITE),
    ("patch", "/body/measurements/{measurement_id}"): dict.fromkeys(SITES, SITE),
    ("post", "/goals"): {
        "target_weight_kg": OVER_0,
        "start_weight_kg": OVER_0,
        "target_body_fat_percent": PERCENT,
    },
    ("put", "/nutrition/{day}"): {
        "calories": {"minimum": 0, "maximum": 100_000},
        **dict.fromkeys(("protein_g", "carbs_g", "fat_g"), GRAMS),
    },
}
BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "maxLength", "minItems", "maxItems"}


@pytest.mark.parametrize(("operation", "limits"), LIMITS.items(), ids=map(" ".join, LIMITS))
def test_the_document_states_each_limit(api_document, operation, limits):
    method, path = operation
    (content,) = api_document["paths"][path][method]["requestBody"]["content"].values()
    found = {place: bounds for place, bounds in bounds_in(api_document, content["schema"]) if bounds}
    assert found == limits


def bounds_in(document, schema, place=""):
    """(place, its bounds) of everything that a body may hold."""
    if "$ref" in schema:
        schema = {**document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], **schema}
    if place:
        yield place, {name: schema[name] for name in BOUNDS & schema.keys()}
    for name, value in schema.get("properties", {}).items():
        yield from bounds_in(document, value, f"{place}.{name}".lstrip("."))
    for items in [schema["items"]] if "items" in schema else []:
        yield from ((inner, bounds) for inner, bounds in bounds_in(document, items, place) if inner != place)
