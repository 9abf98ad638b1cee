from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from fitness.api import fields
from fitness.api.serializers import PageSerializer, StrictSerializer
from nutrition.models import MAX_MACROS

TOTALS = {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74}


def amount_field(name: str, meaning: str) -> fields.NumberField:
    limit = MAX_MACROS[name]
    return fields.NumberField(min_value=0, max_value=limit, help_text=f"{meaning}, 0 to {limit:,}.")


@extend_schema_serializer(examples=[OpenApiExample("A day's totals", value=TOTALS, request_only=True)])
class NutritionDaySerializer(StrictSerializer):
    """What was eaten on one day, in total."""

    day = fields.DayField(read_only=True, help_text="The day, YYYY-MM-DD.")
    calories = amount_field("calories", "Energy of the whole day in kcal")
    protein_g = amount_field("protein_g", "Protein of the whole day in grams")
    carbs_g = amount_field("carbs_g", "Carbohydrates of the whole day in grams")
    fat_g = amount_field("fat_g", "Fat of the whole day in grams")
    logged_at = fields.TimestampField(read_only=True, help_text="When the totals changed last.")


class WholeDaySerializer(NutritionDaySerializer):
    """A day of a file, with what the API takes from its address and its clock."""

    day = fields.DayField()
    logged_at = fields.TimestampField(default=timezone.now)


class NutritionPageSerializer(PageSerializer):
    nutrition = NutritionDaySerializer(many=True)


class MealSerializer(StrictSerializer):
    """A meal that is ticked in the app. The API has no meals; the export of an account's data has."""

    id = fields.StringField(read_only=True)
    name = fields.StringField(max_length=200)
    calories = amount_field("calories", "Energy in kcal")
    protein_g = amount_field("protein_g", "Protein in grams")
    carbs_g = amount_field("carbs_g", "Carbohydrates in grams")
    fat_g = amount_field("fat_g", "Fat in grams")


class MealTickSerializer(StrictSerializer):
    """A meal that was eaten on a day, with what it added to the day's totals then.

    The API has no ticks of meals; the export of an account's data has.
    """

    meal_id = fields.StringField()
    day = fields.DayField()
    calories = amount_field("calories", "Energy in kcal")
    protein_g = amount_field("protein_g", "Protein in grams")
    carbs_g = amount_field("carbs_g", "Carbohydrates in grams")
    fat_g = amount_field("fat_g", "Fat in grams")


def target_field(name: str) -> fields.NumberField:
    return fields.NumberField(default=None, allow_null=True, above=0, max_value=MAX_MACROS[name])


class NutritionTargetsSerializer(StrictSerializer):
    """What is to be eaten a day. The API has no targets; the export of an account's data has."""

    calories = target_field("calories")
    protein_g = target_field("protein_g")
    carbs_g = target_field("carbs_g")
    fat_g = target_field("fat_g")
