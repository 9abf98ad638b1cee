"""What belongs to an account, as documents that clients and archives read.

An export holds no secrets (keys, the address of a calendar, second factors, sessions), nor what the API does
not have and nobody would miss: browsers that take alerts, and workouts under way.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Account
from body.api.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from body.models import Goal, Measurement, WeightLog
from fitness.api.serializers import StrictSerializer
from fitness.db.batches import in_batches
from fitness.json import Fragment
from nutrition.api.serializers import (
    MealSerializer,
    MealTickSerializer,
    NutritionDaySerializer,
    NutritionTargetsSerializer,
)
from nutrition.models import Meal, MealTick, NutritionDay, NutritionTargets
from supplements.api.serializers import SupplementLogSerializer, SupplementSerializer
from supplements.models import Supplement, SupplementLog
from training.imports.chosen_names import ExerciseNameSerializer
from training.imports.habits import ExerciseHabitSerializer
from training.imports.own_exercises import own_exercise_document
from training.imports.pins import ExercisePinSerializer
from training.imports.progression import plan_document, routine_document, step_document
from training.models import (
    CatalogueChange,
    Exercise,
    ExerciseHabit,
    ExerciseName,
    ExercisePin,
    Plan,
    ProgressionStep,
    Routine,
    Workout,
)


class Resource(NamedTuple):
    """A list of an archive."""

    name: str
    rows: QuerySet[Any]  # of all accounts
    order: tuple[str, ...]
    # Of a row, as the API returns it; a Fragment where it is stored as text.
    document: Callable[[Any], object]

    def documents(self, account: Account) -> Iterator[object]:
        """The documents, read from the database while they are iterated."""
        return map(self.document, in_batches(self.rows, account, self.order))

    def count(self, account: Account) -> int:
        return self.rows.filter(account=account).count()


class OwnExercises(Resource):
    """The exercises of an account's own, which are rows of the catalogue's table with an owner.

    With them come merged ones that workouts, routines and plans may still have, as those that are kept.
    """

    def documents(self, account: Account) -> Iterator[object]:
        return map(self.document, self.of(account).order_by(*self.order))

    def count(self, account: Account) -> int:
        return self.of(account).count()

    def of(self, account: Account) -> QuerySet[Any]:
        is_followed = ~Exists(CatalogueChange.objects.filter(exercise=OuterRef("pk")))
        own = self.rows.filter(owner=account).select_related("merged_into")
        return own.exclude(is_followed, merged_into__isnull=False)


class Table(NamedTuple):
    """A resource whose documents are flat, so that it is a CSV file, too."""

    resource: Resource
    header: tuple[str, ...]


def workout_document(workout: Workout) -> Fragment:
    return Fragment(workout.document)


def planning_document(planning: Routine | Plan) -> object:
    return planning.document


def rendered(name: str, serializer_class: type[StrictSerializer], rows: QuerySet[Any], *order: str) -> Table:
    """A resource whose documents a serializer makes."""
    resource = Resource(name, rows, order, serializer_class.rendered)
    return Table(resource, tuple(serializer_class.shared().fields))


WORKOUTS = Resource(
    "workouts", Workout.objects.only("account", "document"), ("started_at", "id"), workout_document
)
ROUTINES = Resource("routines", Routine.objects.all(), ("created_at", "id"), planning_document)
PLANS = Resource("plans", Plan.objects.all(), ("created_at", "id"), planning_document)
TICKS = MealTick.objects.select_related("nutrition_day")
TABLES = (
    rendered("weight", WeightLogSerializer, WeightLog.objects.all(), "logged_at", "id"),
    rendered("measurements", MeasurementSerializer, Measurement.objects.all(), "logged_at", "id"),
    rendered("goals", GoalSerializer, Goal.objects.all(), "created_at", "id"),
    rendered("nutrition", NutritionDaySerializer, NutritionDay.objects.all(), "day"),
    rendered("meals", MealSerializer, Meal.objects.all(), "name", "id"),
    rendered("meal_ticks", MealTickSerializer, TICKS, "nutrition_day__day", "id"),
    rendered("supplements", SupplementSerializer, Supplement.objects.all(), "time", "name", "id"),
    rendered("supplement_logs", SupplementLogSerializer, SupplementLog.objects.all(), "day", "id"),
)
EXERCISE_NAMES = Resource(
    "exercise_names", ExerciseName.objects.all(), ("source", "name"), ExerciseNameSerializer.rendered
)
EXERCISE_HABITS = Resource(
    "exercise_habits", ExerciseHabit.objects.all(), ("exercise",), ExerciseHabitSerializer.rendered
)
EXERCISE_PINS = Resource(
    "exercise_pins", ExercisePin.objects.all(), ("exercise_id",), ExercisePinSerializer.rendered
)
OWN_EXERCISES = OwnExercises(
    "own_exercises", Exercise.objects.of_everyone(), ("name", "id"), own_exercise_document
)
NUTRITION_TARGETS = Resource(
    "nutrition_targets", NutritionTargets.objects.all(), ("id",), NutritionTargetsSerializer.rendered
)
PROGRESSIONS = (
    Resource("plan_progressions", Plan.objects.ruled(), ("created_at", "id"), plan_document),
    Resource("routine_progressions", Routine.objects.ruled(), ("created_at", "id"), routine_document),
)
STEPS = ProgressionStep.objects.filter(plan__deleted_at=None)  # a deleted plan may have some for a while
PROGRESSION_STEPS = Resource("progression_steps", STEPS, ("at", "id"), step_document)
RESOURCES = (
    *(WORKOUTS, ROUTINES, PLANS),
    *(table.resource for table in TABLES),
    *(EXERCISE_NAMES, EXERCISE_HABITS, EXERCISE_PINS, OWN_EXERCISES),
    *(NUTRITION_TARGETS, *PROGRESSIONS, PROGRESSION_STEPS),
)
