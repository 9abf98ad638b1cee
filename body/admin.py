from django.contrib import admin

from body.models import Goal, Measurement, WeightLog
from fitness.web.admin import ReadOnlyAdmin


@admin.register(WeightLog)
class WeightLogAdmin(ReadOnlyAdmin):
    list_display = ["account", "logged_at", "weight_kg", "body_fat_percent"]
    list_filter = ["logged_at"]
    search_fields = ["account__email", "notes"]


@admin.register(Measurement)
class MeasurementAdmin(ReadOnlyAdmin):
    list_display = ["account", "logged_at", "__str__"]


@admin.register(Goal)
class GoalAdmin(ReadOnlyAdmin):
    list_display = ["account", "created_at", "target_weight_kg", "target_body_fat_percent", "deadline"]
