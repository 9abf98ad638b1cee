from django.urls import path

from nutrition.api.views import NutritionViewSet
from nutrition.web import views

api = [
    path("nutrition", NutritionViewSet.as_view({"get": "list"})),
    path(
        "nutrition/<str:day>",
        NutritionViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
]

web = [
    path("nutrition", views.nutrition, name="nutrition"),
    path("nutrition/days/<day:day>", views.nutrition, name="nutrition-day"),
    path("nutrition/days/<day:day>/totals", views.set_totals, name="set-totals"),
    path("nutrition/days/<day:day>/clear", views.delete_day, name="clear-nutrition-day"),
    path("nutrition/targets", views.set_targets, name="set-nutrition-targets"),
    path("nutrition/meals/add", views.AddMealView.as_view(), name="add-meal"),
    path("nutrition/meals/<uuid:pk>/edit", views.EditMealView.as_view(), name="edit-meal"),
    path("nutrition/meals/<uuid:pk>/remove", views.RemoveMealView.as_view(), name="remove-meal"),
    path("nutrition/meals/<uuid:pk>/tick/<day:day>", views.tick_meal, name="tick-meal"),
    path("nutrition/meals/<uuid:pk>/untick/<day:day>", views.untick_meal, name="untick-meal"),
]
