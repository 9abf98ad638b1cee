"""By how much a body weight is to change a week, as the account chooses it on Body."""

from typing import cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Account
from fitness.web.forms import StyledFormMixin
from fitness.web.units import in_local_form, to_kg, to_unit
from nutrition.expenditure import MAX_RATE

# Changes of the body weight a week to choose from, in the unit of the account.
RATES: dict[str, tuple[float, ...]] = {
    "kg": (-1, -0.75, -0.5, -0.25, 0, 0.1, 0.25, 0.5),
    "lb": (-2, -1.5, -1, -0.5, 0, 0.25, 0.5, 1),
}


class RateForm(StyledFormMixin, forms.Form):
    account: Account

    kg_per_week = forms.ChoiceField(label=gettext_lazy("Change of your body weight"), required=False)

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
    return [("", _("None chosen")), *((f"{rate:g}", purpose(rate, unit)) for rate in rates)]


def purpose(rate: float, unit: str) -> str:
    if not rate:
        return _("Keep my body weight")
    text = {"weight": f"{in_local_form(f'{abs(rate):g}')} {unit}"}
    return (_("Lose %(weight)s a week") if rate < 0 else _("Gain %(weight)s a week")) % text


def is_too_fast(kg_per_week: float | None, body_kg: float | None) -> bool:
    return bool(kg_per_week and body_kg and abs(kg_per_week) > MAX_RATE * body_kg)


def too_fast() -> str:
    return _("More than a hundredth of your body weight a week is too fast. Choose less.")
