from django.contrib import admin

from fitness.admin import ReadOnlyAdmin
from supplements.models import Supplement, SupplementLog


@admin.register(Supplement)
class SupplementAdmin(admin.ModelAdmin):
    list_display = ["name", "dosage", "time", "account"]
    list_select_related = ["account"]
    search_fields = ["name", "account__email"]
    autocomplete_fields = ["account"]


@admin.register(SupplementLog)
class SupplementLogAdmin(ReadOnlyAdmin):
    list_display = ["account", "supplement", "day", "taken_at"]
    list_select_related = ["account", "supplement"]
