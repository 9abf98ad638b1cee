from django.urls import path

from supplements.api.views import SupplementLogViewSet, SupplementViewSet
from supplements.web import views

api = [
    path("supplements", SupplementViewSet.as_view({"get": "list"})),
    path("supplements/logs", SupplementLogViewSet.as_view({"get": "list"})),
    path("supplements/<str:supplement_id>/logs", SupplementLogViewSet.as_view({"post": "create"})),
    path(
        "supplements/<str:supplement_id>/logs/<str:day>",
        SupplementLogViewSet.as_view({"delete": "destroy"}),
    ),
]

web = [
    path("supplements", views.supplements, name="supplements"),
    path("supplements/days/<day:day>", views.supplements, name="supplements-day"),
    path("supplements/add", views.AddSupplementView.as_view(), name="add-supplement"),
    path("supplements/<uuid:pk>/edit", views.EditSupplementView.as_view(), name="edit-supplement"),
    path("supplements/<uuid:pk>/remove", views.RemoveSupplementView.as_view(), name="remove-supplement"),
    path("supplements/<uuid:pk>/tick/<day:day>", views.tick_supplement, name="tick-supplement"),
    path("supplements/<uuid:pk>/untick/<day:day>", views.untick_supplement, name="untick-supplement"),
]
