"""Weights in the unit that an account has chosen ("kg" or "lb"). The database and the API hold kg alone."""

import math
import re
from functools import cache

from django.utils.formats import get_format

from fitness.web.language import current, is_english

KG_PER_POUND = 0.45359237  # the international avoirdupois pound, exact since 1959
QUARTER_MARGIN = 0.005  # pounds by which a weight may miss the quarter that somebody loaded
MINUS = "\N{MINUS SIGN}"
TYPED = re.compile(r"(?=.*\d)(?P<whole>[+-]?\d*)(?P<mark>[.,]?)(?P<decimals>\d*)")


def to_unit(kg: float, unit: str) -> float:
    """Converts a weight in kg to `unit`, rounded: kg to 2 decimals, pounds to quarters or to 1 decimal.

    A second decimal of other pounds would be of the conversion alone: 95 kg are 209.44 lb. Whole numbers are
    returned as int, so that they print without a decimal point.
    """
    value = rounded_pounds(kg / KG_PER_POUND) if unit == "lb" else rounded(kg, 100)
    return int(value) if value == int(value) else value


# As in training/static/training/train/units.js, to the digit.
def rounded_pounds(value: float) -> float:
    quarter = rounded(value, 4)
    return quarter if abs(value - quarter) <= QUARTER_MARGIN else rounded(value, 10)


def rounded(value: float, parts: int) -> float:
    """The nearest of the `parts` into which each whole number is divided, of two the upper one."""
    return math.floor(value * parts + 0.5) / parts


def to_kg(value: float, unit: str) -> float:
    """Converts a weight in `unit` to kg, unrounded: 225 lb are 102.05828325 kg."""
    return value * KG_PER_POUND if unit == "lb" else value


def edited_kg(value: float, unit: str, stored_kg: float | None) -> float:
    """Like `to_kg`, but returns `stored_kg` if `value` is what a form displays for it.

    Without this, saving a form that nobody changed would round the stored weights.
    """
    if stored_kg is not None and value == to_unit(stored_kg, unit):
        return stored_kg
    return to_kg(value, unit)


# As `parsed` in training/static/training/train/units.js.
def typed_number(typed: str) -> float | None:
    """What somebody typed, with a comma or a point; None where it is no number, or may be another one.

    The keypad of a phone has one of the two, whatever the language of the page is. After the one that is not
    the language's at most two decimals are read: "1.800" in German, and "1,800" in English, may be thousands.
    """
    found = TYPED.fullmatch(typed.strip())
    if found is None or (found["mark"] != in_local_form(".") and len(found["decimals"]) > 2):
        return None
    return float(f"{found['whole']}.{found['decimals']}")


def group_thousands(number: float) -> str:
    """The number for people, with its thousands grouped and all of its decimals: "12,345.5"."""
    return in_local_form(f"{number:,}")


def signed(number: float, decimals: int | None = None) -> str:
    """A difference for people, with its sign unless it is shown as 0: "+0.25", "-1,151"."""
    size = abs(number)
    shown = group_thousands(size) if decimals is None else in_local_form(f"{size:,.{decimals}f}")
    if not shown.strip("0.,"):
        return shown
    return f"{'+' if number > 0 else MINUS}{shown}"


def in_local_form(number: str) -> str:
    """A number as English writes it, in the form of the active language: "12.345,5" in German."""
    return number if is_english() else number.translate(separators(current()))


@cache
def separators(language: str) -> dict[int, str]:
    """What takes the place of the separators of an English number."""
    kinds = {",": "THOUSAND_SEPARATOR", ".": "DECIMAL_SEPARATOR"}
    return str.maketrans({english: get_format(kind, language) for english, kind in kinds.items()})
