"""A meal becomes a food that is ticked, a tick an entry of its day."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.state import StateApps
from django.db.models.functions import Coalesce


def grams() -> "models.FloatField[float | None, float | None]":
    validators = [
        django.core.validators.MinValueValidator(0),
        django.core.validators.MaxValueValidator(10000),
    ]
    return models.FloatField(null=True, validators=validators)


def unit() -> "models.CharField[str, str]":
    return models.CharField(
        choices=[("piece", "portion"), ("g", "g"), ("ml", "ml")], default="piece", max_length=5
    )


def account(name: str) -> "models.ForeignKey[object, object]":
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name=name, to=settings.AUTH_USER_MODEL
    )


def complete_days(apps: StateApps, editor: object) -> None:
    """Days without a tick have totals that were set as a whole; of the others nobody knows."""
    entries = apps.get_model("nutrition", "FoodEntry")._default_manager
    ticks = entries.filter(account=models.OuterRef("account"), nutrition_day=models.OuterRef("pk"))
    days = apps.get_model("nutrition", "NutritionDay")._default_manager
    days.filter(~models.Exists(ticks)).update(is_complete=True)


def back_to_ticks(apps: StateApps, editor: object) -> None:
    """Leaves of the entries the ticks, and 0 of what is not known. The totals of days stay as they are."""
    entries = apps.get_model("nutrition", "FoodEntry")._default_manager
    foods = apps.get_model("nutrition", "Food")._default_manager
    entries.filter(is_tick=False).delete()
    for rows in (entries, foods):  # once a row: PostgreSQL alters no table that waits to check a second change
        rows.update(**{name: Coalesce(name, 0.0) for name in ("protein_g", "carbs_g", "fat_g")})


class Migration(migrations.Migration):
    dependencies = [("nutrition", "0001_release")]

    operations = [
        migrations.RemoveConstraint("MealTick", "one_meal_tick"),
        migrations.RenameModel("Meal", "Food"),
        migrations.RenameModel("MealTick", "FoodEntry"),
        migrations.RenameField("FoodEntry", "meal", "food"),
        migrations.AlterModelOptions("foodentry", {"verbose_name_plural": "food entries"}),
        migrations.AlterField("food", "account", account("foods")),
        migrations.AlterField("foodentry", "account", account("food_entries")),
        migrations.AlterField(
            "foodentry",
            "food",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="nutrition.food",
            ),
        ),
        migrations.AlterField(
            "foodentry",
            "nutrition_day",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="nutrition.nutritionday"
            ),
        ),
        *(
            migrations.AlterField(model, name, grams())
            for model in ("food", "foodentry")
            for name in ("protein_g", "carbs_g", "fat_g")
        ),
        migrations.AddField("food", "portion", models.FloatField(default=1.0)),
        migrations.AddField("food", "unit", unit()),
        # The foods and entries that are there already were meals and their ticks.
        migrations.AddField("food", "is_meal", models.BooleanField(default=True)),
        migrations.AlterField("food", "is_meal", models.BooleanField(default=False)),
        migrations.AddField("food", "is_favorite", models.BooleanField(default=False)),
        migrations.AddField("food", "used_at", models.DateTimeField(null=True)),
        migrations.AddField("foodentry", "is_tick", models.BooleanField(default=True)),
        migrations.AlterField("foodentry", "is_tick", models.BooleanField(default=False)),
        migrations.AddField("foodentry", "is_included", models.BooleanField(default=False)),
        migrations.AddField("foodentry", "name", models.CharField(default="", max_length=200)),
        migrations.AddField("foodentry", "amount", models.FloatField(null=True, default=1.0)),
        migrations.AlterField("foodentry", "amount", models.FloatField(null=True)),
        migrations.AddField("foodentry", "unit", unit()),
        migrations.AddField(
            "foodentry",
            "meal",
            models.CharField(
                choices=[
                    ("breakfast", "Breakfast"),
                    ("lunch", "Lunch"),
                    ("dinner", "Dinner"),
                    ("snacks", "Snacks"),
                    ("", "Other"),
                ],
                default="",
                max_length=9,
            ),
        ),
        migrations.AddField("nutritionday", "is_complete", models.BooleanField(default=False)),
        migrations.AddField("nutritiontargets", "kg_per_week", models.FloatField(null=True)),
        migrations.RunPython(complete_days, back_to_ticks),
    ]
