from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from fitness.web.admin import ReadOnlyAdmin
from supplements.models import Supplement, SupplementLog


@admin.register(Supplement)
class SupplementAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # takes no parameters at runtime
    list_display = ["name", "dosage", "time", "account"]
    list_select_related = ["account"]
    search_fields = ["name", "account__email"]
    autocomplete_fields = ["account"]


@admin.register(SupplementLog)
class SupplementLogAdmin(ReadOnlyAdmin):
    search_fields = ["account__email", "supplement__name"]
    list_display = ["account", "supplement", "day", "taken_at"]
    list_select_related = ["account", "supplement"]

    def has_delete_permission(self, request: HttpRequest, obj: SupplementLog | None = None) -> bool:
        """Checked for the logs of a supplement that staff delete; the list of logs has no delete action."""
        return request.user.has_perm("supplements.delete_supplementlog")

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {}
