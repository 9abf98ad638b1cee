"""Amounts of foods as people type and read them: "1.5", "150 g", "2 portions"."""

import re

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fitness.web.shortcuts import quote
from fitness.web.units import in_local_form, typed_number
from nutrition.models import DECIMALS, MAX_AMOUNT, Food

TYPED = re.compile(r"(?P<number>[\d.,]+)\s*(?P<unit>\D*)")
# What may follow a number: the unit of a food, and how many of it one is.
UNITS: dict[str, tuple[Food.Unit | None, int]] = {
    "g": (Food.Unit.GRAM, 1),
    "kg": (Food.Unit.GRAM, 1000),
    "ml": (Food.Unit.MILLILITRE, 1),
    "cl": (Food.Unit.MILLILITRE, 10),
    "l": (Food.Unit.MILLILITRE, 1000),
}


def amount_typed(typed: str, portion: float, unit: str, name: str) -> float:
    """What somebody typed of a food, in its unit; a number alone is in portions.

    PIECE is shown as "portion": what is cooked has no pieces. A portion of such a food may be several of
    them, of which a number counts each.

    Raises ValidationError with what can be typed.
    """
    found = TYPED.fullmatch(typed.strip())
    count = typed_number(found["number"]) if found else None
    if found is None or count is None:
        raise refusal(unit, name)
    named = found["unit"].strip().casefold()
    portions = {"", "portion", "portions", _("portion").casefold(), _("portions").casefold()}
    of_portion = 1 if unit == Food.Unit.PIECE else portion
    kind, factor = (unit, of_portion) if named in portions else UNITS.get(named, (None, 1))
    if kind != unit:
        raise refusal(unit, name)
    amount = round(count * factor, DECIMALS)
    if not 0 < amount <= MAX_AMOUNT:
        raise ValidationError(_("Enter more than 0, at most %(most)s.") % {"most": written(MAX_AMOUNT, unit)})
    return amount


def refusal(unit: str, name: str) -> ValidationError:
    if unit == Food.Unit.PIECE:
        text = _("%(food)s is counted in portions: type how many, as 1.5.")
    else:
        text = _("%(food)s is measured in %(unit)s: type portions, as 1.5, or “150 %(unit)s”.")
    return ValidationError(text % {"food": quote(name), "unit": unit})


def written(amount: float, unit: str) -> str:
    """An amount with its unit, as it can be typed: "150 g", "1 portion", "1.5 portions"."""
    shown = round(float(amount), 2)
    number = in_local_form(str(int(shown) if shown.is_integer() else shown))
    if unit == Food.Unit.PIECE:
        text = ngettext("%(amount)s portion", "%(amount)s portions", 1 if amount == 1 else 2)
        return text % {"amount": number}
    return f"{number} {unit}"
