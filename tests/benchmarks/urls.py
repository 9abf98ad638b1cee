"""The URLs of the floor, followed by the service's."""

from django.urls import include, path

from fitness import urls
from tests.benchmarks.floor import views

urlpatterns = [path("lean/<uuid:account_id>/", include(views.urlpatterns)), *urls.urlpatterns]

handler400 = urls.handler400
handler403 = urls.handler403
handler404 = urls.handler404
handler500 = urls.handler500
