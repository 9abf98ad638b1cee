from django.urls import path

from training.views.exercise import ExerciseViewSet, HistoryViewSet
from training.views.plan import PlanViewSet
from training.views.routine import RoutineViewSet
from training.views.stats import TrainingStatsViewSet
from training.views.workout import WorkoutViewSet

api = [
    path("exercises", ExerciseViewSet.as_view({"get": "list"})),
    path("exercises/<str:exercise_id>", ExerciseViewSet.as_view({"get": "retrieve"})),
    path("exercises/<str:exercise_id>/history", HistoryViewSet.as_view({"get": "list"})),
    path("workouts", WorkoutViewSet.as_view({"get": "list", "post": "create"})),
    path("workouts/count", WorkoutViewSet.as_view({"get": "count"})),
    path("workouts/events", WorkoutViewSet.as_view({"get": "events"})),
    path(
        "workouts/<str:workout_id>",
        WorkoutViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
    path("routines", RoutineViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "routines/<str:routine_id>",
        RoutineViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
    path("plans", PlanViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "plans/<str:plan_id>",
        PlanViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
    path("plans/<str:plan_id>/activate", PlanViewSet.as_view({"post": "activate"})),
    path("stats/training", TrainingStatsViewSet.as_view({"get": "totals"})),
    path("stats/records", TrainingStatsViewSet.as_view({"get": "records"})),
]
