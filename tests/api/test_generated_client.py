"""Clients that public generators make from the OpenAPI document, used with a real server."""

import datetime
import importlib
import json
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from fitness.api.schema import document
from tests import node
from tests.server import PATIENCE_SECONDS

pytestmark = pytest.mark.xdist_group("generated client")  # which is generated once


@pytest.fixture(scope="module")
def generated(server, tmp_path_factory):
    """Generates the package `fitness_client`. Yields a function that imports one of its modules."""
    folder = tmp_path_factory.mktemp("generated")
    config = folder / "config.yaml"
    config.write_text("post_hooks: []\n")
    read = folder / "openapi.json"  # by itself, the generator waits five seconds for a busy machine
    with urllib.request.urlopen(f"{server.url}/api/v1/openapi.json", timeout=PATIENCE_SECONDS) as response:
        read.write_bytes(response.read())
    command = [
        str(Path(sys.executable).parent / "openapi-python-client"),
        *("generate", "--path", str(read), "--meta", "none", "--fail-on-warning"),
        *("--config", str(config), "--output-path", str(folder / "fitness_client")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield lambda name: importlib.import_module(f"fitness_client.{name}")
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def client(server, generated):
    key = server.key("generated@example.org")
    return generated("client").AuthenticatedClient(base_url=f"{server.url}/api/v1", token=key)


def examples():
    """{operationId: first example of its request body}, from the document."""
    bodies = {
        operation["operationId"]: operation["requestBody"]["content"]["application/json"]["examples"]
        for methods in json.loads(document())["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    }
    return {name: next(iter(found.values()))["value"] for name, found in bodies.items()}


def test_it_logs_a_workout(generated, client):
    models = generated("models")
    a_set = models.WorkoutSetRequest(weight_kg=100, reps=5, rpe=8.5)
    entry = models.WorkoutExerciseRequest(exercise_id="barbell-bench-press", sets=[a_set, a_set])
    workout = models.WorkoutRequest(
        started_at=datetime.datetime(2026, 3, 2, 17, 30, tzinfo=datetime.UTC),
        duration_seconds=3600,
        exercises=[entry],
    )
    stored = generated("api.workouts.log_workout").sync(client=client, body=workout)
    assert (stored.volume_kg, stored.exercises[0].name) == (1000, "Barbell Bench Press")
    page = generated("api.workouts.list_workouts").sync(client=client)
    assert stored in page.workouts


def test_it_logs_the_example_of_the_document(generated, client):
    example = examples()["log_workout"]
    workout = generated("models").WorkoutRequest.from_dict(example)
    stored = generated("api.workouts.log_workout").sync(client=client, body=workout)
    assert (stored.title, stored.volume_kg) == (example["title"], 1000)
    warmup, working, _ = stored.exercises[0].sets
    types = generated("models").SetType
    assert (warmup.type_, working.type_) == (types.WARMUP, types.WORKING)


def test_it_reads_a_list_page_by_page(generated, client):
    models, log = generated("models"), generated("api.body.log_measurements").sync
    logged = [log(client=client, body=models.MeasurementRequest(waist_cm=cm)).id for cm in (85, 84.5, 84)]
    listed, pages, cursor = [], 0, generated("types").UNSET
    while cursor is not None:
        page = generated("api.body.list_measurements").sync(client=client, limit=2, cursor=cursor)
        listed += [one.id for one in page.measurements]
        pages, cursor = pages + 1, page.next_cursor
    assert (listed, pages) == (logged[::-1], 2)


def test_a_patch_of_one_field_does_not_change_the_others(generated, client):
    models = generated("models")
    first = models.WeightLogRequest(weight_kg=82.4, body_fat_percent=18.5, notes="Before breakfast.")
    log = generated("api.body.log_weight").sync(client=client, body=first)
    change = models.PatchedWeightLogRequest(weight_kg=81.5)
    changed = generated("api.body.update_weight").sync(log.id, client=client, body=change)
    assert changed.to_dict() == {**log.to_dict(), "weight_kg": 81.5}


def test_it_reads_the_details_of_a_validation_error(generated, client):
    models = generated("models")
    sets = [models.WorkoutSetRequest(weight_kg=100, reps=reps) for reps in (5, -1)]
    workout = models.WorkoutRequest(
        started_at=datetime.datetime(2026, 3, 2, 17, 30, tzinfo=datetime.UTC),
        duration_seconds=-1,
        exercises=[models.WorkoutExerciseRequest(exercise_id="barbell-bench-press", sets=sets)],
    )
    response = generated("api.workouts.log_workout").sync(client=client, body=workout)
    assert isinstance(response, models.ApiError)
    assert (response.error.code, [problem.path for problem in response.error.details]) == (
        "invalid_request",
        ["body.duration_seconds", "body.exercises[0].sets[1].reps"],
    )


def test_it_logs_a_weight(generated, client):
    weight = generated("models").WeightLogRequest(weight_kg=82.4)
    stored = generated("api.body.log_weight").sync(client=client, body=weight)
    assert (stored.weight_kg, stored.body_fat_percent) == (82.4, None)


def test_it_sets_a_nutrition_day(generated, client):
    totals = generated("models").NutritionDayRequest(calories=2600, protein_g=180, carbs_g=290, fat_g=75)
    log = generated("api.nutrition.log_nutrition").sync_detailed
    day = datetime.date(2026, 3, 2)
    first, second = (log(day=day, client=client, body=totals) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.parsed.protein_g == 180


def test_it_reads_an_error(generated, client):
    response = generated("api.goals.get_current_goal").sync(client=client)
    assert response.error.code == "not_found"


# --- TypeScript ---------------------------------------------------------------------------------

BODY = 'NonNullable<operations["{name}"]["requestBody"]>["content"]["application/json"]'


@pytest.fixture
def typescript(tmp_path):
    """A folder with tests/typescript, the types generated from the document, and its examples."""
    (tmp_path / "node_modules").symlink_to(node.packages())
    for name in ("package.json", "tsconfig.json", "client.test.ts"):
        shutil.copy(node.SOURCE / name, tmp_path)
    (tmp_path / "openapi.json").write_bytes(document())
    node.run("openapi-typescript", "openapi.json", "--output", "api.ts", cwd=tmp_path)
    lines = [
        f"export const {name}: {BODY.format(name=name)} = {json.dumps(example)};"
        for name, example in examples().items()
    ]
    (tmp_path / "examples.ts").write_text("\n".join(['import type { operations } from "./api.js";', *lines]))
    return tmp_path


def test_a_strict_typescript_client_compiles_and_works(server, typescript):
    node.run("tsc", cwd=typescript)
    key = server.key("typescript@example.org")
    node.run("node", "--test", "client.test.js", cwd=typescript, SERVER=server.url, KEY=key)
