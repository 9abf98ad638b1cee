"""The OpenAPI document: complete, with the specified names, and what it states is enforced."""

import json
import os
import subprocess
import sys

import pytest
from django.core.management import call_command

from fitness.api.schema import document
from tests import node
from tests.server import ROOT


@pytest.fixture(scope="module")
def api_document():
    return json.loads(document())


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def parameters(document):
    return [operation.get("parameters", []) for _, _, operation in operations(document)]


def schemas_of_objects(document):
    schemas = document["components"]["schemas"].items()
    return [(name, schema) for name, schema in schemas if "properties" in schema]


def refers(schema):
    """The name of the component that a schema refers to, alone or beside a description."""
    (reference,) = schema.get("allOf", [schema])
    return reference["$ref"].rpartition("/")[2]


def test_the_document_is_valid_and_made_without_a_warning(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "openapi.yaml"))


@pytest.mark.e2e
def test_redocly_finds_no_mistake(tmp_path):
    (tmp_path / "openapi.json").write_bytes(document())
    node.run("redocly", "lint", "--extends", "recommended", "openapi.json", cwd=tmp_path)


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


def test_what_is_said_of_an_operation_is_short(api_document):
    """Hosts that make a tool of each operation cut or refuse long texts; fields say what else there is."""
    for path, method, operation in operations(api_document):
        assert len(operation.get("description", "")) <= 300, (path, method)


def test_every_operation_lists_its_errors(api_document):
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
    schema = api_document["components"]["schemas"]["WorkoutSetRequest"]
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["reps", "weight_kg"]
    assert schema["properties"]["weight_kg"]["maximum"] == 2000
    assert schema["properties"]["rpe"]["type"] == ["number", "null"]


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


def test_responses_have_all_their_fields_required(api_document):
    workout = api_document["components"]["schemas"]["Workout"]
    assert set(workout["required"]) == set(workout["properties"])


def test_no_field_has_a_default_that_clients_would_send(api_document):
    """Generators send defaults: a PATCH of the weight would clear the notes."""
    for name, schema in schemas_of_objects(api_document):
        for field, what in schema["properties"].items():
            assert "default" not in what, (name, field)


def test_defaults_are_in_the_descriptions_except_in_a_patch(api_document):
    schemas = api_document["components"]["schemas"]
    for name, field, value in [
        ("WorkoutSetRequest", "type", '"working"'),
        ("WorkoutSetRequest", "completed", "true"),
        ("WeightLogRequest", "notes", '""'),
    ]:
        assert schemas[name]["properties"][field]["description"].endswith(f"Default: `{value}`.")
    assert "Default" not in str(schemas["PatchedWeightLogRequest"])
    assert "Default" not in str(schemas["WorkoutSet"])


def test_values_to_choose_from_are_one_named_type_each(api_document):
    schemas = api_document["components"]["schemas"]
    named = {name for name, schema in schemas.items() if "enum" in schema}
    assert named == {
        *("MuscleGroup", "Equipment", "Level", "Mechanic", "Force", "Category", "SetType"),
        *("WorkoutEventKind", "PlanSource", "PlanChangeKind", "Gender", "TrainingGoal"),
        *("RuleKind", "StepKind"),
    }
    assert all(schemas[name].keys() == {"type", "enum"} for name in named)
    assert schemas["MuscleGroup"]["enum"][:2] == ["Chest", "Back"]
    nowhere_else = {key: value for key, value in schemas.items() if key not in named}
    assert '"enum"' not in json.dumps([nowhere_else, parameters(api_document)])


def test_an_exercise_is_of_the_same_types_wherever_it_occurs(api_document):
    schemas = api_document["components"]["schemas"]
    for name in ("Exercise", "WorkoutExercise", "PlannedExercise", "MuscleGroupTotals"):
        assert refers(schemas[name]["properties"]["muscle_group"]) == "MuscleGroup", name
    assert refers(schemas["Exercise"]["properties"]["secondary_muscles"]["items"]) == "MuscleGroup"
    assert refers(schemas["PlannedExercise"]["properties"]["equipment"]) == "Equipment"
    (search,) = [one for one in operations(api_document) if one[2]["operationId"] == "search_exercises"]
    types = {one["name"]: one["schema"] for one in search[2]["parameters"]}
    assert (refers(types["muscle_group"]), refers(types["equipment"])) == ("MuscleGroup", "Equipment")


def test_a_gender_may_be_null(api_document):
    gender = api_document["components"]["schemas"]["Profile"]["properties"]["gender"]
    assert gender["oneOf"] == [{"$ref": "#/components/schemas/Gender"}, {"type": "null"}]


def test_no_component_is_called_like_a_class_that_every_language_has(api_document):
    schemas = api_document["components"]["schemas"].keys()
    assert {"WorkoutSet", "WorkoutSetRequest", "ApiError", "WorkoutEvent"} <= schemas
    assert not {"Set", "SetRequest", "Error", "Event"} & schemas


def test_every_component_is_used(api_document):
    text = json.dumps(api_document)
    for name in api_document["components"]["schemas"]:
        assert f'"#/components/schemas/{name}"' in text, name


def test_bodies_are_required_but_for_a_tick(api_document):
    for path, method, operation in operations(api_document):
        if "requestBody" in operation:
            required = operation["requestBody"].get("required", False)
            assert required == (operation["operationId"] != "log_supplement_taken"), (method, path)


def test_the_document_alone_needs_no_key(api_document):
    for path, _, operation in operations(api_document):
        assert bool(operation["security"]) == (path != "/openapi.json"), path


def test_the_licence_is_named(api_document):
    assert api_document["info"]["license"] == {"name": "MIT", "identifier": "MIT"}


def test_descriptions_are_written_for_clients(api_document):
    for word in ("subclass", "serializer", "viewset", "queryset"):
        assert word not in json.dumps(api_document).lower()


def test_the_limits_are_those_of_the_settings():
    environment = {**os.environ, "RATE_LIMIT_KEY": "7000/m", "RATE_LIMIT_IP": "9/m"}
    show = "from fitness.api.schema import document; print(document().decode())"
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", show]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True, timeout=60)
    described = json.loads(run.stdout)["info"]["description"]
    assert "7,000 requests a minute for a key, 9 for an IP address" in " ".join(described.split())


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
SETS, RULE_REPS = {"minimum": 1, "maximum": 100}, {"minimum": 1, "maximum": 10_000}
LESS, RPE = {"minimum": 30, "maximum": 100}, {"minimum": 0, "maximum": 10}
PLANNED = {"sets": SETS, "reps": REPS, "weight_kg": WEIGHT, "note": NOTES}
SITES = ("chest_cm", "waist_cm", "hips_cm", "arms_cm", "thighs_cm", "neck_cm")

OF_RULES = {
    "rules.position": {"minimum": 0, "maximum": 99},
    "rules.increment_kg": WEIGHT,
    "rules.misses": {"minimum": 1, "maximum": 10},
    **dict.fromkeys(("rules.deload_percent", "rules.reset_percent"), LESS),
    **dict.fromkeys(("rules.reps_from", "rules.reps_to"), RULE_REPS),
    **dict.fromkeys(("rules.rpe_up", "rules.rpe_down"), RPE),
    "rules.stages": {"maxItems": 10},
    "rules.stages.sets": SETS,
    "rules.stages.reps": RULE_REPS,
    "rules.weeks": {"maxItems": 6},
    "rules.weeks.sets": SETS,
    "rules.weeks.reps": RULE_REPS,
    "rules.weeks.percent": {"minimum": 30, "maximum": 120},
    "rules.training_max_kg": WEIGHT,
}

LIMITS = {  # the limits of the contract, by operation and place in the body
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
    ("put", "/plans/{plan_id}/progression"): {
        "deload_every": {"minimum": 4, "maximum": 12},
        "deload_percent": LESS,
        "rules": {"maxItems": 100},
        "rules.weekday": {"minimum": 1, "maximum": 7},
        **OF_RULES,
    },
    ("put", "/routines/{routine_id}/progression"): {"rules": {"maxItems": 30}, **OF_RULES},
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
