from django import template

from fitness.web.templatetags.units import weight

register = template.Library()


@register.filter
def load(weight_kg, unit):
    """The weight of a set: 100 kg, or Body weight where nothing was added to it."""
    return weight(weight_kg, unit) if weight_kg else "Body weight"


@register.filter
def duration(seconds):
    """A length of time as people say it: 45 min, 1 h 5 min, 30 s."""
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min" if seconds >= 60 or not seconds else f"{seconds} s"
