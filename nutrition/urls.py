from django.urls import path

from nutrition.api.views import NutritionViewSet
from nutrition.web import expenditure_card, foods, views

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
    path("nutrition/targets/of-rate", expenditure_card.set_target, name="set-target-of-rate"),
    path("nutrition/days/<day:day>/complete", views.set_complete, name="set-complete"),
    path("nutrition/days/<day:day>/add", foods.add_entry, name="add-entry"),
    path("nutrition/days/<day:day>/copy", foods.copy_day, name="copy-day"),
    path("nutrition/entries/<int:pk>/edit", foods.edit_entry, name="edit-entry"),
    path("nutrition/entries/<int:pk>/remove", foods.remove_entry, name="remove-entry"),
    path("nutrition/foods", foods.foods, name="foods"),
    path("nutrition/days/<day:day>/foods", foods.foods, name="foods-for-day"),
    path("nutrition/foods/add", foods.AddFoodView.as_view(), name="add-food"),
    path("nutrition/foods/<uuid:pk>/edit", foods.EditFoodView.as_view(), name="edit-food"),
    path("nutrition/foods/<uuid:pk>/remove", foods.RemoveFoodView.as_view(), name="remove-food"),
    path("nutrition/foods/<uuid:pk>/eat/<day:day>", foods.eat_food, name="eat-food"),
    path("nutrition/foods/<uuid:pk>/tick/<day:day>", foods.tick_meal, name="tick-meal"),
    path("nutrition/foods/<uuid:pk>/untick/<day:day>", foods.untick_meal, name="untick-meal"),
]
