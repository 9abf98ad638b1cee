from django.urls import path

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
