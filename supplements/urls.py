from django.urls import path

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
