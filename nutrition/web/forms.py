from django import forms

from fitness.web.forms import NumberField, SerializerForm
from nutrition.api.serializers import MealSerializer, NutritionDaySerializer
from nutrition.models import NutritionDay


class MacrosForm(SerializerForm):
    calories = NumberField(label="Energy (kcal)")
    protein_g = NumberField(label="Protein (g)")
    carbs_g = NumberField(label="Carbohydrates (g)")
    fat_g = NumberField(label="Fat (g)")


class TotalsForm(MacrosForm):
    """The totals of a day, which replace those that it has."""

    serializer = NutritionDaySerializer

    def __init__(self, account, day, posted=None, stored=None):
        self.day = day
        super().__init__(account, posted)
        self.initial.update(self.shown(stored) if stored else {})

    def save(self):
        NutritionDay.objects.log(self.account, self.day, self.values)


class MealForm(MacrosForm):
    serializer = MealSerializer
    manager_name = "meals"
    most = 100

    name = forms.CharField(strip=False)

    field_order = ["name"]
