from django.contrib import admin

from fitness.web.admin import ReadOnlyAdmin
from supplements.models import Supplement, SupplementLog


@admin.register(Supplement)
class SupplementAdmin(ReadOnlyAdmin):
    list_display = ["name", "dosage", "time", "account"]
    search_fields = ["name", "account__email"]


@admin.register(SupplementLog)
class SupplementLogAdmin(ReadOnlyAdmin):
    search_fields = ["account__email", "supplement__name"]
    list_display = ["account", "supplement", "day", "taken_at"]
    list_select_related = ["account", "supplement"]
