from django import template

from fitness.web.templatetags.units import weight, whole_weight
from training.models.timed import clock, distance
from training.templatetags.training import counted_reps, load
from training.web.progress.lifts import ShownLift

register = template.Library()


@register.simple_tag
def shown_value(value: float | None, lift: ShownLift, unit: str) -> str:
    """A value of a lift by its measure."""
    if value is None:
        return "–"
    match lift.measure:
        case "reps":
            return counted_reps(value)
        case "help":
            return load(value, unit)
        case "time":
            return clock(round(value))
        case "distance":
            return distance(value, unit)
        case "volume":
            return whole_weight(value, unit)
        case _:
            return weight(value, unit)
