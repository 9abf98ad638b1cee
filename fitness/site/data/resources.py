"""What belongs to an account, as documents that clients and archives read.

An export holds no secrets (keys, second factors, sessions), nor what the API does not have and nobody would
miss: workouts under way, and rests between sets.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.db.models import QuerySet

from accounts.models import Account
from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from fitness.api.serializers import StrictSerializer
from fitness.json import Fragment
from nutrition.api.serializers import (
    MealSerializer,
    MealTickSerializer,
    NutritionDaySerializer,
    NutritionTargetsSerializer,
)
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from training.imports.chosen_names import ExerciseNameSerializer
from training.models import Plan, Routine, Workout

ROWS_AT_ONCE = 500


class Resource(NamedTuple):
    """A list of an archive."""

    name: str
    rows: Callable[[Account], QuerySet[Any]]  # in their order
    document: Callable[
        [Any], object
    ]  # of a row, as the API returns it; a Fragment where it is stored as text

    def documents(self, account: Account) -> Iterator[object]:
        """The documents, read from the database while they are iterated."""
        return map(self.document, self.rows(account).iterator(chunk_size=ROWS_AT_ONCE))


class Table(NamedTuple):
    """A resource whose documents are flat, so that it is a CSV file, too."""

    resource: Resource
    header: tuple[str, ...]


def workout_document(workout: Workout) -> Fragment:
    return Fragment(workout.document)


def planning_document(planning: Routine | Plan) -> object:
    return planning.document


def rendered(
    name: str, serializer_class: type[StrictSerializer], rows: Callable[[Account], QuerySet[Any]]
) -> Table:
    """A resource whose documents a serializer makes."""
    return Table(Resource(name, rows, serializer_class.rendered), tuple(serializer_class.shared().fields))


WORKOUTS = Resource(
    "workouts",
    lambda account: account.workouts.only("account", "document").order_by("started_at", "id"),
    workout_document,
)
ROUTINES = Resource(
    "routines", lambda account: account.routines.order_by("created_at", "id"), planning_document
)
PLANS = Resource("plans", lambda account: account.plans.order_by("created_at", "id"), planning_document)
TABLES = (
    rendered("weight", WeightLogSerializer, lambda account: account.weight_logs.order_by("logged_at", "id")),
    rendered(
        "measurements",
        MeasurementSerializer,
        lambda account: account.measurements.order_by("logged_at", "id"),
    ),
    rendered("goals", GoalSerializer, lambda account: account.goals.order_by("created_at", "id")),
    rendered("nutrition", NutritionDaySerializer, lambda account: account.nutrition_days.order_by("day")),
    rendered("meals", MealSerializer, lambda account: account.meals.order_by("name", "id")),
    rendered(
        "meal_ticks",
        MealTickSerializer,
        lambda account: account.meal_ticks.select_related("nutrition_day").order_by(
            "nutrition_day__day", "id"
        ),
    ),
    rendered(
        "supplements",
        SupplementSerializer,
        lambda account: account.supplements.order_by("time", "name", "id"),
    ),
    rendered(
        "supplement_logs",
        SupplementLogSerializer,
        lambda account: account.supplement_logs.order_by("day", "id"),
    ),
)
EXERCISE_NAMES = Resource(
    "exercise_names",
    lambda account: account.exercise_names.order_by("source", "name"),
    ExerciseNameSerializer.rendered,
)
NUTRITION_TARGETS = Resource(
    "nutrition_targets",
    lambda account: account.nutrition_targets.all(),
    NutritionTargetsSerializer.rendered,
)
RESOURCES = (
    *(WORKOUTS, ROUTINES, PLANS),
    *(table.resource for table in TABLES),
    *(EXERCISE_NAMES, NUTRITION_TARGETS),
)
