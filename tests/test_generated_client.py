"""A client generated from the document by a public generator, used against the real server."""

import datetime
import importlib
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def generated(server, tmp_path_factory):
    """Generates the package `fitness_client` and imports it."""
    folder = tmp_path_factory.mktemp("generated")
    config = folder / "config.yaml"
    config.write_text("post_hooks: []\n")
    command = [
        str(Path(sys.executable).parent / "openapi-python-client"),
        *("generate", "--url", f"{server.url}/api/v1/openapi.json", "--meta", "none", "--fail-on-warning"),
        *("--config", str(config), "--output-path", str(folder / "fitness_client")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield lambda name: importlib.import_module(f"fitness_client.{name}")
    sys.path.remove(str(folder))


@pytest.fixture
def client(server, generated):
    key = server.key("generated@example.org")
    return generated("client").AuthenticatedClient(base_url=f"{server.url}/api/v1", token=key)


def test_it_logs_a_workout(generated, client):
    models = generated("models")
    a_set = models.SetRequest(weight_kg=100, reps=5, rpe=8.5)
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


def test_it_reads_a_refusal(generated, client):
    answer = generated("api.goals.get_current_goal").sync(client=client)
    assert answer.error.code == "not_found"
