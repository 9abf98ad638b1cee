"""Weights as a person reads and types them. Everything stored and everything on the wire is kg."""

KG_IN_A_POUND = 0.45359237  # the international avoirdupois pound, exact since 1959
DECIMALS = 2


def shown(kg, units):
    """A weight in kg as a number of `units` ("kg" or "lb"), with at most two decimals.

    Whole numbers come back as int, so that they print without a decimal point.
    """
    value = round(kg / KG_IN_A_POUND if units == "lb" else kg, DECIMALS)
    return int(value) if value == int(value) else value


def to_kg(value, units):
    """A number of `units` that somebody typed, in kg and unrounded: 225 lb are 102.05828325 kg."""
    return value * KG_IN_A_POUND if units == "lb" else value


def edited_kg(value, units, stored_kg):
    """Like `to_kg`, but what stands in a form as it was `shown` stays the weight that is stored.

    Without this, saving a form that nobody changed would round the records in it.
    """
    if stored_kg is not None and value == shown(stored_kg, units):
        return stored_kg
    return to_kg(value, units)


def spelled(number):
    """A number with its thousands grouped and no more decimals than it has: 12,345.5."""
    return f"{number:,}"
