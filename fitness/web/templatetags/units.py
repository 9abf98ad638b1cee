from django import template

from fitness.web import units

register = template.Library()


@register.filter
def weight(kg: float | None, unit: str) -> str:
    """`{{ log.weight_kg|weight:user.units }}` is "82.4 kg" or "181.66 lb"; a dash for None."""
    return "–" if kg is None else f"{units.group_thousands(units.to_unit(kg, unit))} {unit}"


@register.filter
def weight_change(kg: float | None, unit: str) -> str:
    """A difference of weights with its sign: "+0.25 kg"."""
    return f"+{weight(kg, unit)}" if kg and kg > 0 else weight(kg, unit)


@register.filter
def number(value: float | None) -> str:
    """A number as in the API, with its thousands grouped: 12345.0 is "12,345"; a dash for None."""
    if value is None:
        return "–"
    return units.group_thousands(int(value) if value == int(value) else value)
