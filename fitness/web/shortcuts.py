"""What the screens of several apps share."""

import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.urls import register_converter
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from rest_framework.exceptions import ValidationError

ROWS = 15
ONE_DAY = datetime.timedelta(days=1)


class DayConverter:
    """`<day:day>` in an address: a day of the calendar, written YYYY-MM-DD."""

    regex = r"\d{4}-\d\d-\d\d"

    def to_python(self, text):
        return datetime.date.fromisoformat(text)

    def to_url(self, day):
        return day.isoformat()


register_converter(DayConverter, "day")


def quoted(name):
    """A name in quotation marks, and isolated: right-to-left marks in it turn no other text around."""
    return f"“\u2068{name}\u2069”"


def today():
    """The day in UTC, which is the day of the API."""
    return timezone.now().date()


def neighbour(day, step):
    """The day before or after, or None at either end of the calendar."""
    try:
        return day + ONE_DAY * step
    except OverflowError:
        return None


def page_of(request, keyset, queryset):
    """A page of a list, in the order and with the cursors of the API: (rows, cursor of the next page)."""
    query = {"limit": ROWS, "cursor": request.GET.get("cursor")}
    try:
        return keyset.page(queryset, query, request.user)
    except ValidationError:
        raise Http404 from None


def back(request, fallback):
    """To the screen that a button stood on: the same button may stand on several."""
    address = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(address, request.get_host(), request.is_secure()):
        return redirect(address)
    return redirect(fallback)


def form_page(request, form, **words):
    """A page with one form: `title`, `section` (the page's heading), `save` and where `cancel` leads."""
    response = render(request, "form_page.html", {"form": form, **words})
    response.headers["Cache-Control"] = "no-store"  # going back opens a form of another record
    return response


def too_many_requests(request: HttpRequest, wait: int, reason: str) -> HttpResponse:
    """The page of somebody over a rate limit; `wait` is in seconds, as RateLimited has it."""
    many, unit = (wait, "second") if wait < 100 else (-(-wait // 60), "minute")
    text = f"{reason} Try again in {many} {unit}{pluralize(many)}."
    context = {"status": 429, "title": "Too many requests", "text": text}
    response = render(request, "error.html", context, status=429)
    response.headers["Retry-After"] = str(wait)
    return response


def confirm(request, question, text, button, cancel):
    """Asks before something is gone; also shown as a dialog on the screen that linked here."""
    words = {"question": question, "text": text, "button": button, "cancel": cancel}
    return render(request, "confirm.html", words)
