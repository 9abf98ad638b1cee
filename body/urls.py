from django.urls import path

from body import pages as screens
from body.views import GoalViewSet, MeasurementViewSet, TrendViewSet, WeightViewSet

api = [
    path("body/weight", WeightViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "body/weight/<str:weight_id>",
        WeightViewSet.as_view({"patch": "partial_update", "delete": "destroy"}),
    ),
    path("body/measurements", MeasurementViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "body/measurements/<str:measurement_id>",
        MeasurementViewSet.as_view({"patch": "partial_update", "delete": "destroy"}),
    ),
    path("goals", GoalViewSet.as_view({"get": "list", "post": "create"})),
    path("goals/current", GoalViewSet.as_view({"get": "current"})),
    path("stats/body", TrendViewSet.as_view({"get": "retrieve"})),
]

pages = [
    path("body", screens.weight, name="body"),
    path("body/weight/log", screens.log_weight, name="log-weight"),
    path("body/weight/<uuid:pk>/edit", screens.edit_weight, name="edit-weight"),
    path("body/weight/<uuid:pk>/delete", screens.delete_weight, name="delete-weight"),
    path("body/measurements", screens.measurements, name="measurements"),
    path("body/measurements/log", screens.log_measurement, name="log-measurement"),
    path("body/measurements/<uuid:pk>/edit", screens.edit_measurement, name="edit-measurement"),
    path("body/measurements/<uuid:pk>/delete", screens.delete_measurement, name="delete-measurement"),
    path("goals", screens.goals, name="goals"),
    path("goals/set", screens.set_goal, name="set-goal"),
]
