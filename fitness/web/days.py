"""Days in the words of the screens. Each function also takes a datetime, and writes its day."""

import datetime
from functools import lru_cache

from django.utils import dateformat
from django.utils.translation import gettext

from fitness.web.language import current


def gettext_noop(form: str) -> str:
    """Marks a form for translators. That of Django reads the settings, which rules do without."""
    return form


# The forms of days, which each language writes in its own way; in templates `{{ day|written:"j F Y" }}`.
DAY = gettext_noop("j F Y")
SHORT_DAY = gettext_noop("j M Y")
DAY_OF_MONTH = gettext_noop("j M")
# What forms without a year become in another year than today's.
WITH_YEAR = {DAY_OF_MONTH: SHORT_DAY, gettext_noop("D j M"): gettext_noop("D j M Y")}
FORMS = {
    *(DAY, SHORT_DAY, gettext_noop("j")),
    *(gettext_noop("F Y"), gettext_noop("M Y"), gettext_noop("l, j F Y"), *WITH_YEAR, *WITH_YEAR.values()),
    *(gettext_noop("M"), gettext_noop("D"), "F", "l"),
}


def format_day(day: datetime.date) -> str:
    """The day as "2 March 2026"."""
    return written(day.toordinal(), DAY, current())


def format_short_day(day: datetime.date) -> str:
    """The day as "2 Mar 2026"."""
    return written(day.toordinal(), SHORT_DAY, current())


def format_day_of_month(day: datetime.date) -> str:
    """The day as "2 Mar"."""
    return written(day.toordinal(), DAY_OF_MONTH, current())


def format_month(day: datetime.date) -> str:
    """The month of a day as "Mar"."""
    return written(day.toordinal(), "M", current())


@lru_cache(maxsize=4_000)  # the charts of a page have the same days
def written(ordinal: int, form: str, language: str | None) -> str:
    """A day in the current language, which is part of the key alone."""
    return dateformat.format(datetime.date.fromordinal(ordinal), gettext(form))
