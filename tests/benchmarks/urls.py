"""The URLs of both floors, followed by the service's."""

from django.urls import include, path

from fitness import urls
from tests.benchmarks.floor import views

# The floor is below an address of programs, so that it has the middleware of the API.
urlpatterns = [
    path("mcp/floor/<uuid:account_id>/", include(views.urlpatterns)),
    path("lean/<uuid:account_id>/", include(views.urlpatterns)),
    *urls.urlpatterns,
]

handler400 = urls.handler400
handler403 = urls.handler403
handler404 = urls.handler404
handler500 = urls.handler500
