import datetime

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from fitness.api.serializers import Values
from fitness.web.forms import NumberField, SerializerForm
from nutrition.api.serializers import FoodSerializer, NutritionDaySerializer, NutritionTargetsSerializer
from nutrition.models import MAX_FOODS, NutritionDay, NutritionTargets


class MacrosForm(SerializerForm):
    calories = NumberField(label=_("Energy (kcal)"))
    protein_g = NumberField(label=_("Protein (g)"))
    carbs_g = NumberField(label=_("Carbohydrates (g)"))
    fat_g = NumberField(label=_("Fat (g)"))


class TotalsForm(MacrosForm):
    """The totals of a day, which replace those that are stored."""

    serializer = NutritionDaySerializer
    account: Account

    def __init__(
        self,
        account: Account,
        day: datetime.date,
        data: QueryDict | None = None,
        stored: NutritionDay | None = None,
    ) -> None:
        self.day = day
        super().__init__(account, data)
        self.initial.update(self.initial_values(stored) if stored else {})

    def save(self) -> None:
        NutritionDay.objects.log(self.account, self.day, self.values)


class MealForm(MacrosForm):
    serializer = FoodSerializer
    manager_name = "foods"
    max_count = MAX_FOODS

    name = forms.CharField(label=_("Name"), strip=False)

    field_order = ["name"]

    @property
    def body(self) -> Values:
        return {**super().body, "is_meal": True}


class TargetsForm(SerializerForm):
    """The targets of an account, which replace those that are stored. An empty field is no target."""

    serializer = NutritionTargetsSerializer
    account: Account

    calories = NumberField(label=_("Energy (kcal)"), required=False)
    protein_g = NumberField(label=_("Protein (g)"), required=False)
    carbs_g = NumberField(label=_("Carbohydrates (g)"), required=False)
    fat_g = NumberField(label=_("Fat (g)"), required=False)

    def __init__(self, account: Account, data: QueryDict | None, stored: NutritionTargets | None) -> None:
        super().__init__(account, data)
        self.auto_id = "target_%s"  # on the screen of a day, beside the form of its totals
        self.initial.update(self.initial_values(stored) if stored else {})

    def save(self) -> None:
        NutritionTargets.objects.set_for(self.account, self.values)
