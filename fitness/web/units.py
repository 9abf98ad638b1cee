"""Weights in the unit that an account has chosen ("kg" or "lb"). The database and the API hold kg alone."""

KG_PER_POUND = 0.45359237  # the international avoirdupois pound, exact since 1959
DECIMALS = {"kg": 2, "lb": 1}  # a second one of pounds would be of the conversion alone: 95 kg are 209.44 lb


def to_unit(kg: float, unit: str) -> float:
    """Converts a weight in kg to `unit`, rounded to its DECIMALS.

    Whole numbers are returned as int, so that they print without a decimal point.
    """
    value = round(kg / KG_PER_POUND if unit == "lb" else kg, DECIMALS[unit])
    return int(value) if value == int(value) else value


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


def group_thousands(number: float) -> str:
    """The number with its thousands grouped and all of its decimals: "12,345.5"."""
    return f"{number:,}"
