from django.contrib import admin

from fitness.web.admin import ReadOnlyAdmin
from nutrition.models import Food, NutritionDay, NutritionTargets


@admin.register(NutritionDay)
class NutritionDayAdmin(ReadOnlyAdmin):
    list_display = ["account", "day", "calories", "protein_g", "carbs_g", "fat_g", "is_complete"]


@admin.register(Food)
class FoodAdmin(ReadOnlyAdmin):
    list_display = ["name", "account", "portion", "unit", "calories", "protein_g", "carbs_g", "fat_g"]
    list_filter = ["is_meal", "is_favorite"]
    search_fields = ["name", "account__email"]


@admin.register(NutritionTargets)
class NutritionTargetsAdmin(ReadOnlyAdmin):
    list_display = ["account", "calories", "protein_g", "carbs_g", "fat_g", "kg_per_week"]
