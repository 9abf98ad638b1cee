"""A field of a record has a name, and each place where people meet the record names it.

For a field that is added, this names those that lack it: form, page, admin, Train, tools, exports, imports,
demo. It reads sources, so that a name which stands there for something else is taken for it.
"""

import re
from pathlib import Path

import pytest

from body.api.serializers import GoalSerializer, WeightLogSerializer
from nutrition.api.serializers import FoodSerializer, NutritionDaySerializer
from supplements.api.serializers import SupplementSerializer
from training.api.serializers.plan import PlanDaySerializer
from training.api.serializers.routine import PlannedExerciseSerializer, RoutineSerializer
from training.api.serializers.workout import WorkoutExerciseSerializer, WorkoutSerializer

ROOT = Path(__file__).parent.parent
LINES = "mcp_endpoint/lines.py"
DEMO = "fitness/site/demo.py"
BODY = ("body/web", "body/templates", "body/admin.py", LINES, DEMO)
FOOD = ("nutrition/web", "nutrition/templates", "nutrition/admin.py")
NUTRITION = (*FOOD, "nutrition/imports.py", DEMO)
TRAINING = ("training/web/forms", "training/templates", "training/imports", DEMO)
WORKOUTS = (
    *TRAINING,
    *("training/web/train", "training/static/training/train", "training/exports.py", "mcp_endpoint/brief.py"),
)
PLANNED = ("training/web/forms", "training/templates", "training/admin", "mcp_endpoint", DEMO)
# Measurements are read by the list of their sites everywhere (`SITES`).
PLACES = {
    WeightLogSerializer: (*BODY, "body/imports.py"),
    GoalSerializer: BODY,
    FoodSerializer: FOOD,
    NutritionDaySerializer: NUTRITION,
    SupplementSerializer: (
        *("supplements/web", "supplements/templates", "supplements/admin.py"),
        *(LINES, DEMO),
    ),
    WorkoutSerializer: (*WORKOUTS, "training/admin", "training/models/workout_document.py"),
    WorkoutExerciseSerializer: (*WORKOUTS, "training/models/workout_document.py"),
    RoutineSerializer: PLANNED,
    PlanDaySerializer: PLANNED,
    PlannedExerciseSerializer: PLANNED,
}
# What a place leaves out on purpose: texts of tools have figures, and a draft keeps its plan on the server.
LEFT_OUT = {
    WeightLogSerializer: {LINES: {"notes"}},
    GoalSerializer: {"body/admin.py": {"start_weight_kg"}},
    FoodSerializer: {"nutrition/templates": {"is_meal"}},
    WorkoutSerializer: {
        "mcp_endpoint/brief.py": {"duration_seconds", "plan_id", "plan_name"},
        "training/admin": {"plan_id"},
        "training/static/training/train": {"plan_id", "plan_name"},
        "training/web/train": {"plan_name"},
    },
    WorkoutExerciseSerializer: {"mcp_endpoint/brief.py": {"superset_id"}},
}


def words_of(place):
    """All words in the sources of a file or folder."""
    path = ROOT / place
    files = path.rglob("*") if path.is_dir() else [path]
    texts = [file.read_text() for file in files if file.suffix in (".py", ".html", ".js")]
    return set(re.findall(r"\w+", "\n".join(texts)))


@pytest.mark.parametrize("serializer", PLACES, ids=lambda serializer: serializer.__name__)
def test_each_place_of_a_record_knows_its_fields(serializer):
    written = {name for name, field in serializer().fields.items() if not field.read_only}
    missing = {place: lacking for place in PLACES[serializer] if (lacking := written - words_of(place))}
    assert missing == LEFT_OUT.get(serializer, {})
