from django.urls import path

from nutrition.views import NutritionViewSet

api = [
    path("nutrition", NutritionViewSet.as_view({"get": "list"})),
    path(
        "nutrition/<str:day>",
        NutritionViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
]
