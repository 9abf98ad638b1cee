from django.contrib import admin
from django.urls import include, path, re_path
from django.views.decorators.gzip import gzip_page
from django.views.generic import RedirectView

from accounts import urls as accounts
from body import urls as body
from fitness.api.errors import unrouted
from fitness.api.schema import DescriptionViewSet
from fitness.site import installed, views
from fitness.site.calendar import feed
from fitness.site.data import export_views, import_views
from mcp_endpoint import urls as mcp_endpoint
from nutrition import urls as nutrition
from supplements import urls as supplements
from training import urls as training

admin.autodiscover()

api = [
    *accounts.api,
    *training.api,
    *body.api,
    *nutrition.api,
    *supplements.api,
    path("openapi.json", gzip_page(DescriptionViewSet.as_view({"get": "retrieve"})), name="openapi"),
]

web = [
    path("", views.home, name="home"),
    path("more", views.more, name="more"),
    path("docs", views.docs, name="docs"),
    path("manifest.webmanifest", installed.manifest, name="manifest"),
    path("service-worker.js", installed.service_worker, name="service-worker"),
    path("offline", installed.offline, name="offline"),
    path("calendar/<str:token>.ics", feed, name="calendar-feed"),
    *accounts.web,
    path("settings/data", import_views.data, name="data"),
    path("settings/data/imports", import_views.upload, name="upload"),
    path("settings/data/imports/large", import_views.upload_large, name="upload-large"),
    path("settings/data/imports/<uuid:pk>", import_views.import_run, name="import"),
    path("settings/data/imports/<uuid:pk>/go-on", import_views.go_on, name="go-on-with-import"),
    path("settings/data/imports/<uuid:pk>/undo", import_views.undo, name="undo-import"),
    path("settings/data/imports/<uuid:pk>/refused.csv", import_views.refused_rows, name="refused-rows"),
    path("settings/data/export", export_views.export, name="export"),
    path("settings/data/export/everything", export_views.export_everything, name="export-everything"),
    path("settings/data/export/strong", export_views.export_strong, name="export-strong"),
    path("settings/data/export/hevy", export_views.export_hevy, name="export-hevy"),
    path("settings/data/exports/<uuid:pk>", export_views.prepared_export, name="prepared-export"),
    path("settings/data/exports/<uuid:pk>/file", export_views.download, name="download-export"),
    path("settings/data/exports/<uuid:pk>/delete", export_views.delete, name="delete-export"),
    path("settings/data/delete", views.delete_account, name="delete-account"),
    *training.web,
    *body.web,
    *nutrition.web,
    *supplements.web,
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
]

urlpatterns = [
    path("api/v1/", include(api)),
    re_path(r"^api(/.*)?$", unrouted),
    *mcp_endpoint.tools,
    *accounts.oauth,
    *web,
]

handler400 = "fitness.web.errors.bad_request"
handler403 = "fitness.web.errors.forbidden"
handler404 = "fitness.web.errors.not_found"
handler500 = "fitness.web.errors.server_error"
