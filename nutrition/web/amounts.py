"""Amounts of foods as people type and read them: "1.5" portions, "150 g", "2 pieces"."""

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

    Raises ValidationError with what can be typed.
    """
    found = TYPED.fullmatch(typed.strip())
    count = typed_number(found["number"]) if found else None
    if found is None or count is None:
        raise refusal(unit, name)
    named = found["unit"].strip().casefold()
    pieces = {"piece", "pieces", _("piece").casefold(), _("pieces").casefold()}
    kind, factor = (Food.Unit.PIECE, 1) if named in pieces else UNITS.get(named, (None, 1))
    if named and kind != unit:
        raise refusal(unit, name)
    amount = round(count * (factor if named else portion), DECIMALS)
    if not 0 < amount <= MAX_AMOUNT:
        raise ValidationError(_("Enter more than 0, at most %(most)s.") % {"most": written(MAX_AMOUNT, unit)})
    return amount


def refusal(unit: str, name: str) -> ValidationError:
    if unit == Food.Unit.PIECE:
        text = _("%(food)s is counted in pieces: type portions, as 1.5, or “2 pieces”.")
    else:
        text = _("%(food)s is measured in %(unit)s: type portions, as 1.5, or “150 %(unit)s”.")
    return ValidationError(text % {"food": quote(name), "unit": unit})


def written(amount: float, unit: str) -> str:
    """An amount with its unit, as it can be typed: "150 g", "1 piece", "1.5 pieces"."""
    shown = round(float(amount), 2)
    number = in_local_form(str(int(shown) if shown.is_integer() else shown))
    if unit == Food.Unit.PIECE:
        return ngettext("%(amount)s piece", "%(amount)s pieces", 1 if amount == 1 else 2) % {"amount": number}
    return f"{number} {unit}"
