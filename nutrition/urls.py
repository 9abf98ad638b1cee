from django.urls import path

from nutrition import pages as screens
from nutrition.views import NutritionViewSet

api = [
    path("nutrition", NutritionViewSet.as_view({"get": "list"})),
    path(
        "nutrition/<str:day>",
        NutritionViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
]

pages = [
    path("nutrition", screens.nutrition, name="nutrition"),
    path("nutrition/days/<day:day>", screens.nutrition_day, name="nutrition-day"),
    path("nutrition/days/<day:day>/totals", screens.set_totals, name="set-totals"),
    path("nutrition/days/<day:day>/clear", screens.delete_day, name="clear-nutrition-day"),
    path("nutrition/meals/add", screens.add_meal, name="add-meal"),
    path("nutrition/meals/<uuid:pk>/edit", screens.edit_meal, name="edit-meal"),
    path("nutrition/meals/<uuid:pk>/remove", screens.remove_meal, name="remove-meal"),
    path("nutrition/meals/<uuid:pk>/tick/<day:day>", screens.tick_meal, name="tick-meal"),
    path("nutrition/meals/<uuid:pk>/untick/<day:day>", screens.untick_meal, name="untick-meal"),
]
