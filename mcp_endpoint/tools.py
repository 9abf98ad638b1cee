"""The 22 tools: one table, in the order of the specification's two.

A tool validates its arguments by a serializer of REST, then has the handler of REST answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

from django.core.exceptions import ObjectDoesNotExist
from rest_framework.exceptions import NotFound, ValidationError

from accounts.serializers import ProfileSerializer
from accounts.views import ProfileViewSet
from body.serializers import GoalSerializer, MeasurementSerializer, WeightLogSerializer
from body.views import GoalViewSet, MeasurementViewSet, WeightViewSet
from fitness.api.errors import refusal_of
from fitness.api.pagination import InvalidCursor
from fitness.api.renderers import Fragment, dumps
from fitness.api.serializers import DayWindowPageQuery, PageQuery, StrictSerializer
from mcp_endpoint.schemas import arguments_schema, result_schema
from mcp_endpoint.serializers import (
    BodyMetricsArguments,
    BodyMetricsSerializer,
    HistoryArguments,
    NoArguments,
    NutritionArguments,
    PlanArguments,
    RecordsArguments,
    RecordsSerializer,
    SearchArguments,
    SupplementArguments,
    WorkoutArguments,
)
from nutrition.serializers import NutritionDaySerializer, NutritionPageSerializer
from nutrition.views import NutritionViewSet
from supplements.serializers import SupplementLogSerializer, SupplementPageSerializer
from supplements.views import SupplementLogViewSet, SupplementViewSet
from training.models import Exercise
from training.serializers.exercise import ExercisePageSerializer, HistorySerializer
from training.serializers.plan import PlanPageSerializer, PlanSerializer
from training.serializers.references import unknown_exercise
from training.serializers.routine import RoutinePageSerializer, RoutineSerializer
from training.serializers.stats import TrainingStatsQuery, TrainingStatsSerializer
from training.serializers.workout import WorkoutPageSerializer, WorkoutQuery, WorkoutSerializer
from training.views.exercise import ExerciseViewSet, HistoryViewSet
from training.views.plan import PlanViewSet
from training.views.routine import RoutineViewSet
from training.views.stats import TrainingStatsViewSet
from training.views.workout import WorkoutViewSet

MESSAGE_LENGTH = 300  # of one problem, and
PROBLEMS_TOLD = 10  # so many of them, in the sentence of a failed call; the envelope has it all
