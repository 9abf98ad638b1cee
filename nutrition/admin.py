from django.contrib import admin

from fitness.web.admin import ReadOnlyAdmin
from nutrition.models import Meal, NutritionDay


@admin.register(NutritionDay)
class NutritionDayAdmin(ReadOnlyAdmin):
    list_display = ["account", "day", "calories", "protein_g", "carbs_g", "fat_g"]


@admin.register(Meal)
class MealAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # takes no parameters at runtime
    list_display = ["name", "account", "calories", "protein_g", "carbs_g", "fat_g"]
    list_select_related = ["account"]
    search_fields = ["name", "account__email"]
    autocomplete_fields = ["account"]
