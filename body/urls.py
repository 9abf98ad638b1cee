from django.urls import path

from body.api.views import GoalViewSet, MeasurementViewSet, TrendViewSet, WeightViewSet
from body.web import views

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

web = [
    path("body", views.weight, name="body"),
    path("body/weight/log", views.LogWeightView.as_view(), name="log-weight"),
    path("body/weight/<uuid:pk>/edit", views.EditWeightView.as_view(), name="edit-weight"),
    path("body/weight/<uuid:pk>/delete", views.DeleteWeightView.as_view(), name="delete-weight"),
    path("body/measurements", views.measurements, name="measurements"),
    path("body/measurements/log", views.LogMeasurementView.as_view(), name="log-measurement"),
    path("body/measurements/<uuid:pk>/edit", views.EditMeasurementView.as_view(), name="edit-measurement"),
    path(
        "body/measurements/<uuid:pk>/delete", views.DeleteMeasurementView.as_view(), name="delete-measurement"
    ),
    path("goals", views.goals, name="goals"),
    path("goals/set", views.SetGoalView.as_view(), name="set-goal"),
]
