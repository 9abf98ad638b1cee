import datetime

from django import template

from fitness.days import today
from fitness.web import days
from fitness.web.language import current

register = template.Library()


@register.filter(expects_localtime=True)
def written(day: datetime.date | None, form: str) -> str:
    """A day in one of the FORMS, in the language of the page; kept, as the rows of a page share days.

    A form without a year gets that of a day of another year than today's.

    Django's `date`, which times need, takes 30 µs for each, and this 8: pages of rows have a hundred of them.
    """
    if form not in days.FORMS:
        raise template.TemplateSyntaxError(f"{form!r} is not in FORMS of fitness/web/days.py.")
    if not day:
        return ""
    if form in days.WITH_YEAR and day.year != today().year:
        form = days.WITH_YEAR[form]
    return days.written(day.toordinal(), form, current())


@register.filter(expects_localtime=True)
def iso(moment: datetime.date | None) -> str:
    """A day or a moment as `<time datetime="…">` has it, without the look for formats of Django's `date`."""
    return moment.isoformat() if moment else ""
