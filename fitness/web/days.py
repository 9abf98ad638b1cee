"""Days in the words of the screens. Each function also takes a datetime, and writes its day."""

import datetime
from functools import lru_cache

from django.utils import dateformat
from django.utils.translation import get_language
from django.utils.translation import gettext as _


def format_day(day: datetime.date) -> str:
    """The day as "2 March 2026"."""
    return written(day.toordinal(), _("j F Y"), get_language())


def format_short_day(day: datetime.date) -> str:
    """The day as "2 Mar 2026"."""
    return written(day.toordinal(), _("j M Y"), get_language())


def format_day_of_month(day: datetime.date) -> str:
    """The day as "2 Mar"."""
    return written(day.toordinal(), _("j M"), get_language())


def format_month(day: datetime.date) -> str:
    """The month of a day as "Mar"."""
    return written(day.toordinal(), "M", get_language())


@lru_cache(maxsize=4_000)  # the charts of a page have the same days
def written(ordinal: int, form: str, language: str | None) -> str:
    """A day in the current language, which is part of the key alone."""
    return dateformat.format(datetime.date.fromordinal(ordinal), form)
