from django.urls import path

from supplements import pages as screens
from supplements.views import SupplementLogViewSet, SupplementViewSet

api = [
    path("supplements", SupplementViewSet.as_view({"get": "list"})),
    path("supplements/logs", SupplementLogViewSet.as_view({"get": "list"})),
    path("supplements/<str:supplement_id>/logs", SupplementLogViewSet.as_view({"post": "create"})),
    path(
        "supplements/<str:supplement_id>/logs/<str:day>",
        SupplementLogViewSet.as_view({"delete": "destroy"}),
    ),
]

pages = [
    path("supplements", screens.supplements, name="supplements"),
    path("supplements/days/<day:day>", screens.supplements_day, name="supplements-day"),
    path("supplements/add", screens.add_supplement, name="add-supplement"),
    path("supplements/<uuid:pk>/edit", screens.edit_supplement, name="edit-supplement"),
    path("supplements/<uuid:pk>/remove", screens.remove_supplement, name="remove-supplement"),
    path("supplements/<uuid:pk>/tick/<day:day>", screens.tick_supplement, name="tick-supplement"),
    path("supplements/<uuid:pk>/untick/<day:day>", screens.untick_supplement, name="untick-supplement"),
]
