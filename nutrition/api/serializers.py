from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer

from fitness.api import fields
from fitness.api.serializers import PageSerializer, StrictSerializer
from nutrition.models import MAX_AMOUNT, MAX_MACROS, MAX_PORTION, MAX_RATE, Food, FoodEntry

TOTALS = {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74}


def amount_field(name: str, meaning: str, **options: Any) -> fields.NumberField:
    limit, text = MAX_MACROS[name], f"{meaning}, 0 to {MAX_MACROS[name]:,}."
    return fields.NumberField(min_value=0, max_value=limit, help_text=text, **options)


def known_field(name: str, meaning: str) -> fields.NumberField:
    """An amount that may be unknown, which is not zero."""
    return amount_field(name, meaning, default=None, allow_null=True)


@extend_schema_serializer(examples=[OpenApiExample("A day's totals", value=TOTALS, request_only=True)])
class NutritionDaySerializer(StrictSerializer):
    """What was eaten on one day, in total.

    The totals hold what is known of the day's entries: what is logged in the app after totals were set adds
    to them, and what nobody knows of it adds nothing.
    """

    day = fields.DayField(read_only=True, help_text="The day, YYYY-MM-DD.")
    calories = amount_field("calories", "Energy of the whole day in kcal")
    protein_g = amount_field("protein_g", "Protein of the whole day in grams")
    carbs_g = amount_field("carbs_g", "Carbohydrates of the whole day in grams")
    fat_g = amount_field("fat_g", "Fat of the whole day in grams")
    logged_at = fields.TimestampField(read_only=True, help_text="When the totals changed last.")


class WholeDaySerializer(NutritionDaySerializer):
    """A day of a file, with what the API takes from its address and its clock.

    Whether it is complete is known where the file is an archive; the totals of others were set as a whole.
    """

    day = fields.DayField()
    logged_at = fields.TimestampField(default=timezone.now)
    is_complete = fields.BooleanField(default=True)


class NutritionPageSerializer(PageSerializer):
    nutrition = NutritionDaySerializer(many=True)


class KnownMacrosSerializer(StrictSerializer):
    calories = amount_field("calories", "Energy in kcal")
    protein_g = known_field("protein_g", "Protein in grams")
    carbs_g = known_field("carbs_g", "Carbohydrates in grams")
    fat_g = known_field("fat_g", "Fat in grams")


class FoodSerializer(KnownMacrosSerializer):
    """A food of an account's own. The API has no foods; the export of an account's data has."""

    id = fields.StringField(read_only=True)
    name = fields.StringField(max_length=200)
    portion = fields.NumberField(default=1, above=0, max_value=MAX_PORTION)
    unit = fields.ChoiceField(Food.Unit, default=Food.Unit.PIECE)
    is_meal = fields.BooleanField(default=False)
    is_favorite = fields.BooleanField(default=False)
    used_at = fields.TimestampField(read_only=True)


class EatenSerializer(KnownMacrosSerializer):
    name = fields.StringField(default="", allow_blank=True, max_length=200)
    meal = fields.ChoiceField(FoodEntry.Meal, default=FoodEntry.Meal.OTHER)


class FoodEntrySerializer(EatenSerializer):
    """Something that was eaten on a day, with what it holds.

    The API has no entries; the export of an account's data has.
    """

    id = fields.StringField(read_only=True)
    day = fields.DayField()
    food_id = fields.StringField(default=None, allow_null=True)
    amount = fields.NumberField(default=None, allow_null=True, above=0, max_value=MAX_AMOUNT)
    unit = fields.ChoiceField(Food.Unit, default=Food.Unit.PIECE)
    is_tick = fields.BooleanField(default=False)
    is_included = fields.BooleanField(default=False)


def target_field(name: str) -> fields.NumberField:
    return fields.NumberField(default=None, allow_null=True, above=0, max_value=MAX_MACROS[name])


class NutritionTargetsSerializer(StrictSerializer):
    """What is to be eaten a day. The API has no targets; the export of an account's data has."""

    calories = target_field("calories")
    protein_g = target_field("protein_g")
    carbs_g = target_field("carbs_g")
    fat_g = target_field("fat_g")
    kg_per_week = fields.NumberField(default=None, allow_null=True, min_value=-MAX_RATE, max_value=MAX_RATE)
