from django import template

from fitness.web import units

register = template.Library()


@register.filter
def in_unit(kg: float | None, unit: str) -> str:
    """A weight without its unit, for a column that names it: "82.4" or "181.66"; a dash for None."""
    return "–" if kg is None else units.group_thousands(units.to_unit(kg, unit))


@register.filter
def change_in_unit(kg: float | None, unit: str) -> str:
    """A difference of weights with its sign, without its unit: "+0.25"; a dash for None."""
    return "–" if kg is None else units.signed(units.to_unit(kg, unit))


@register.filter
def tenths_change_in_unit(kg: float | None, unit: str) -> str:
    """As `change_in_unit`, for a column whose numbers have one decimal each: "+0.3"."""
    return "–" if kg is None else units.signed(units.to_unit(kg, unit), 1)


@register.filter
def weight(kg: float | None, unit: str) -> str:
    """`{{ log.weight_kg|weight:user.units }}` is "82.4 kg" or "181.66 lb"; a dash for None."""
    return "–" if kg is None else f"{in_unit(kg, unit)} {unit}"


@register.filter
def weight_change(kg: float | None, unit: str) -> str:
    """A difference of weights with its sign: "+0.25 kg"."""
    return "–" if kg is None else f"{change_in_unit(kg, unit)} {unit}"


@register.filter
def number(value: float | None) -> str:
    """A number as in the API, with its thousands grouped: 12345.0 is "12,345"; a dash for None."""
    if value is None:
        return "–"
    return units.group_thousands(int(value) if value == int(value) else value)


@register.filter
def change(value: float | None) -> str:
    """A difference with its sign: "+0.5"; a dash for None."""
    return "–" if value is None else units.signed(int(value) if value == int(value) else value)


@register.filter
def whole(value: float | None) -> str:
    """A number without decimals, with its thousands grouped; a dash for None."""
    return "–" if value is None else units.group_thousands(round(value))


@register.filter
def whole_change(value: float | None) -> str:
    """A difference with its sign, without decimals: "+120"; a dash for None."""
    return "–" if value is None else units.signed(round(value))


@register.filter
def whole_weight(kg: float, unit: str) -> str:
    """A volume without decimals: "2,345 kg"."""
    return f"{units.in_local_form(f'{units.to_unit(kg, unit):,.0f}')} {unit}"


@register.filter
def whole_weight_change(kg: float, unit: str) -> str:
    """A difference of volumes with its sign, without decimals: "-488 kg"."""
    return f"{whole_change(units.to_unit(kg, unit))} {unit}"


@register.filter
def thousands(kg: float, unit: str) -> str:
    """A volume in thousands of the unit, short enough for a narrow cell: "3.2", "27"."""
    value = units.to_unit(kg, unit) / 1_000
    return units.in_local_form(f"{value:.1f}" if value < 10 else f"{value:.0f}")
