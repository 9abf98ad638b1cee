from django.urls import path

from training.views.exercise import ExerciseViewSet, HistoryViewSet
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
]
