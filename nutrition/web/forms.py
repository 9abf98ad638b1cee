import datetime
from typing import cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from fitness.api.serializers import Values
from fitness.web.forms import NumberField, SerializerForm, StyledFormMixin
from fitness.web.units import in_local_form, to_kg, to_unit
from nutrition.api.serializers import (
    FoodEntrySerializer,
    FoodSerializer,
    NutritionDaySerializer,
    NutritionTargetsSerializer,
)
from nutrition.expenditure import MAX_RATE
from nutrition.models import MAX_FOODS, MAX_MACROS, Food, FoodEntry, NutritionDay, NutritionTargets
from nutrition.web.amounts import amount_typed, written
from nutrition.web.eaten import meal_now


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
        self.fields["calories"].help_text = _(
            "These totals take the place of what the day has. Its entries stay listed, as included."
        )

    def save(self) -> None:
        NutritionDay.objects.log(self.account, self.day, self.values)


class KnownMacrosForm(SerializerForm):
    """Energy, and as much of the rest as is known."""

    calories = NumberField(label=_("Energy (kcal)"))
    protein_g = NumberField(label=_("Protein (g)"), required=False)
    carbs_g = NumberField(label=_("Carbohydrates (g)"), required=False)
    fat_g = NumberField(label=_("Fat (g)"), required=False)


class FoodForm(KnownMacrosForm):
    serializer = FoodSerializer
    manager_name = "foods"
    max_count = MAX_FOODS

    name = forms.CharField(label=_("Name"), strip=False)
    portion = NumberField(
        label=_("A portion is"),
        initial=1,
        help_text=_("The values below are of one portion: 1 piece, or what you weigh, as 150 g."),
    )
    unit = forms.ChoiceField(label=_("Unit"), choices=Food.Unit, initial=Food.Unit.PIECE)
    is_favorite = forms.BooleanField(label=_("Favourite: show it first"), required=False)
    is_meal = forms.BooleanField(label=_("Offer a tick daily, on Home as well"), required=False)

    field_order = ["name", "portion", "unit"]


class EntryForm(KnownMacrosForm):
    """Something that was eaten on a day, by what it holds."""

    serializer = FoodEntrySerializer
    account: Account
    instance: FoodEntry | None

    meal = forms.ChoiceField(label=_("Meal"), choices=FoodEntry.Meal, required=False)
    name = forms.CharField(label=_("Name"), required=False, strip=False)

    field_order = ["calories", "meal", "name"]

    def __init__(
        self,
        account: Account,
        day: datetime.date,
        data: QueryDict | None = None,
        instance: FoodEntry | None = None,
    ) -> None:
        self.day = day
        super().__init__(account, data, instance, {"meal": meal_now()})
        self.auto_id = "entry_%s"  # on the screen of a day, beside the form of its totals

    @property
    def body(self) -> Values:
        return super().body | ({} if self.instance else {"day": self.day.isoformat()})

    def save(self) -> None:
        """Raises TooMany where the day is full."""
        if self.instance:
            self.instance.edit(self.values)
        else:
            del self.values["day"]
            FoodEntry.objects.add(self.account, self.day, [FoodEntry(**self.values)])


class AmountForm(StyledFormMixin, forms.Form):
    """How much was eaten of a food, a portion where nothing is typed, and at which meal."""

    amount = forms.CharField(label=_("Amount"), required=False, max_length=30)
    meal = forms.ChoiceField(label=_("Meal"), choices=FoodEntry.Meal, required=False)

    def __init__(self, food: Food, data: QueryDict | None = None, entry: FoodEntry | None = None) -> None:
        self.food, self.entry = food, entry
        self.portion, self.unit = food.portion, food.unit
        values: Values = {"meal": meal_now()}
        if entry and entry.amount:
            values = {"meal": entry.meal, "amount": written(entry.amount, entry.unit)}
            if entry.unit != food.unit:  # which was changed since
                self.portion, self.unit = entry.amount, entry.unit
        super().__init__(data, initial=values)
        help_text = _("A portion is %(portion)s. Type portions, as 1.5, or an amount.")
        self.fields["amount"].help_text = help_text % {"portion": written(self.portion, self.unit)}

    def clean_amount(self) -> float:
        if self.entry and self.entry.amount and "amount" not in self.changed_data:
            return self.entry.amount  # of which the field shows two decimals
        return amount_typed(self.cleaned_data["amount"] or "1", self.portion, self.unit, self.food.name)

    def eat(self, day: datetime.date) -> FoodEntry:
        """Raises TooMany where the day is full."""
        meal = self.cleaned_data["meal"] if "meal" in self.data else meal_now()
        return self.food.eat(day, self.cleaned_data["amount"], meal)

    def save(self) -> None:
        """Changes the entry: what it holds follows the amount, whatever its food holds now."""
        entry, amount = self.entry, self.cleaned_data["amount"]
        if entry and entry.amount:
            held = entry.times(amount / entry.amount)
            entry.edit({"meal": self.cleaned_data["meal"], "amount": amount, **held})


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
        targets = {name: self.values[name] for name in MAX_MACROS}  # the rate is chosen on Body
        NutritionTargets.objects.set_for(self.account, targets)


# Changes of the body weight a week to choose from, in the unit of the account.
RATES: dict[str, tuple[float, ...]] = {
    "kg": (-1, -0.75, -0.5, -0.25, 0, 0.1, 0.25, 0.5),
    "lb": (-2, -1.5, -1, -0.5, 0, 0.25, 0.5, 1),
}


class RateForm(StyledFormMixin, forms.Form):
    account: Account

    kg_per_week = forms.ChoiceField(label=_("Change of your body weight"), required=False)

    def __init__(self, account: Account, data: QueryDict | None = None, stored: float | None = None) -> None:
        self.account = account
        shown = None if stored is None else round(to_unit(stored, account.units), 2)
        super().__init__(data, initial={"kg_per_week": "" if shown is None else f"{shown:g}"})
        field = cast(forms.ChoiceField, self.fields["kg_per_week"])
        field.choices = rate_choices(account.units, shown)

    def clean_kg_per_week(self) -> float | None:
        chosen = self.cleaned_data["kg_per_week"]
        kg_per_week = to_kg(float(chosen), self.account.units) if chosen else None
        if is_too_fast(kg_per_week, self.account.weight_logs.latest_kg()):
            raise forms.ValidationError(too_fast())
        return kg_per_week


def rate_choices(unit: str, own: float | None) -> list[tuple[str, str]]:
    """The rates to choose from, with one that was chosen in another unit."""
    rates = sorted({*RATES[unit], *([] if own is None else [own])})
    return [("", gettext("None chosen")), *((f"{rate:g}", purpose(rate, unit)) for rate in rates)]


def purpose(rate: float, unit: str) -> str:
    if not rate:
        return gettext("Keep my body weight")
    text = {"weight": f"{in_local_form(f'{abs(rate):g}')} {unit}"}
    return (gettext("Lose %(weight)s a week") if rate < 0 else gettext("Gain %(weight)s a week")) % text


def is_too_fast(kg_per_week: float | None, body_kg: float | None) -> bool:
    return bool(kg_per_week and body_kg and abs(kg_per_week) > MAX_RATE * body_kg)


def too_fast() -> str:
    return gettext("More than a hundredth of your body weight a week is too fast. Choose less.")
