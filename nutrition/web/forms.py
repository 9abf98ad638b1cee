from collections.abc import Collection
from typing import ClassVar

from django import forms
from django.db.models import Model
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from fitness.api.serializers import Values
from fitness.web.forms import NumberField, SerializerForm, StyledFormMixin, WeightField
from fitness.web.units import to_kg
from nutrition.api.serializers import (
    EatenSerializer,
    FoodSerializer,
    NutritionDaySerializer,
    NutritionTargetsSerializer,
)
from nutrition.expenditure import MAX_SHARE
from nutrition.models import MAX_FOODS, MAX_MACROS, MAX_RATE, Food, FoodEntry
from nutrition.web.amounts import amount_typed, written
from nutrition.web.eaten import meal_now


class MacrosForm(SerializerForm):
    """Energy, and as much of the rest as is known.

    The values of the `stored` record are shown; unlike those of an `instance`, all of them are sent.
    """

    needed: ClassVar[Collection[str]] = ("calories",)

    calories = NumberField(label=_("Energy (kcal)"), required=False)
    protein_g = NumberField(label=_("Protein (g)"), required=False)
    carbs_g = NumberField(label=_("Carbs (g)"), required=False)
    fat_g = NumberField(label=_("Fat (g)"), required=False)

    def __init__(
        self,
        account: Account,
        data: QueryDict | None = None,
        instance: Model | None = None,
        stored: Model | None = None,
    ) -> None:
        super().__init__(account, data, instance)
        self.initial.update(self.initial_values(stored) if stored else {})
        for name in self.needed:
            self.fields[name].required = True


class TotalsForm(MacrosForm):
    """The totals of a day, which replace those that are stored."""

    serializer = NutritionDaySerializer
    needed = MAX_MACROS
    calories = NumberField(
        label=_("Energy (kcal)"),
        help_text=_("These totals take the place of what the day has. Its entries stay listed, as included."),
    )


class FoodForm(MacrosForm):
    serializer = FoodSerializer
    manager_name = "foods"
    max_count = MAX_FOODS

    name = forms.CharField(label=_("Name"), strip=False)
    portion = NumberField(label=_("Values for"), initial=1)
    unit = forms.ChoiceField(label=_("Unit"), choices=Food.Unit, initial=Food.Unit.PIECE)
    is_meal = forms.BooleanField(label=_("Eaten daily: a tick on Home and Nutrition"), required=False)
    is_favorite = forms.BooleanField(label=_("Favourite: show it first"), required=False)

    field_order = ["name", "portion", "unit"]


class EntryForm(MacrosForm):
    """Something that was eaten, by what it holds."""

    serializer = EatenSerializer
    meal = forms.ChoiceField(label=_("Meal"), choices=FoodEntry.Meal, required=False, initial=meal_now)
    name = forms.CharField(label=_("Name"), required=False, strip=False)

    field_order = ["calories", "name", "meal"]


class AmountForm(StyledFormMixin, forms.Form):
    """How much was eaten of a food, a portion where nothing is typed, and at which meal."""

    amount = forms.CharField(label=_("Amount"), required=False, max_length=30)
    meal = forms.ChoiceField(label=_("Meal"), choices=FoodEntry.Meal, required=False, initial=meal_now)

    def __init__(self, food: Food, data: QueryDict | None = None, entry: FoodEntry | None = None) -> None:
        self.food, self.entry = food, entry
        self.portion, self.unit = food.portion, food.unit
        values: Values = {}
        if entry and entry.amount:
            values = {"meal": entry.meal, "amount": written(entry.amount, entry.unit)}
            if entry.unit != food.unit:  # which was changed since
                self.portion, self.unit = entry.amount, entry.unit
        super().__init__(data, initial=values)
        if self.unit != Food.Unit.PIECE:
            help_text = _("A portion is %(portion)s. Type portions, as 1.5, or an amount.")
            self.fields["amount"].help_text = help_text % {"portion": written(self.portion, self.unit)}

    def clean_amount(self) -> float:
        if self.entry and self.entry.amount and "amount" not in self.changed_data:
            return self.entry.amount  # of which the field shows two decimals
        typed = self.cleaned_data["amount"]
        return amount_typed(typed, self.portion, self.unit, self.food.name) if typed else self.portion

    @property
    def values(self) -> Values:
        """What the entry becomes: what it holds follows the amount, whatever its food holds now."""
        amount, before = self.cleaned_data["amount"], self.entry and self.entry.amount
        held = self.entry.times(amount / before) if self.entry and before else {}
        return {"meal": self.cleaned_data["meal"], "amount": amount, **held}


class TargetsForm(MacrosForm):
    """The targets of an account, which replace those that are stored. An empty field is no target."""

    serializer = NutritionTargetsSerializer
    needed = ()
    account: Account

    kg_per_week = WeightField(
        label=_("Change of your body weight"),
        required=False,
        widget=forms.TextInput(),  # some keypads of numbers have no minus
        help_text=_("A week, less than 0 to lose. What to eat for it is said below, once enough is logged."),
    )

    def clean_kg_per_week(self) -> float | None:
        rate: float | None = self.cleaned_data["kg_per_week"]
        body_kg = self.account.weight_logs.latest_kg()
        most = MAX_RATE if body_kg is None else min(MAX_SHARE * body_kg, MAX_RATE)
        if rate and abs(to_kg(rate, self.account.units)) > most:
            text = gettext("More than a hundredth of your body weight a week is too fast. Choose less.")
            raise forms.ValidationError(text)
        return rate
