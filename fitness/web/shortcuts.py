"""Functions that the views of several apps share."""

import datetime
from typing import Any, TypeVar
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import register_converter
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rest_framework.exceptions import ValidationError

from fitness.db.keysets import Keyset

PAGE_SIZE = 15

Row = TypeVar("Row")


class DayConverter:
    """`<day:day>` in a URL pattern: a day of the calendar, written YYYY-MM-DD."""

    regex = r"\d{4}-\d\d-\d\d"

    def to_python(self, text: str) -> datetime.date:
        return datetime.date.fromisoformat(text)

    def to_url(self, day: datetime.date) -> str:
        return day.isoformat()


register_converter(DayConverter, "day")


def quote(name: str) -> str:
    """A name in quotation marks, inside Unicode isolates: right-to-left marks in it reverse no other text."""
    return _("“%(name)s”") % {"name": f"\u2068{name}\u2069"}


def get_page(
    request: HttpRequest, keyset: Keyset, queryset: QuerySet[Any, Row], size: int = PAGE_SIZE
) -> tuple[list[Row], str | None]:
    """A page of a list, in the order and with the cursors of the API: (rows, cursor of the next page).

    Raises Http404 for a cursor that is not one of this list of this account.
    """
    query = {"limit": size, "cursor": request.GET.get("cursor")}
    try:
        return keyset.page(queryset, query, request.user)
    except ValidationError:
        raise Http404 from None


def redirect_back(request: HttpRequest, fallback: str) -> HttpResponse:
    """Redirects to the screen with the button that was pressed, as several screens may have the same button.

    The form of the button names its screen in `next`. `fallback` is an address of this site.
    """
    return HttpResponseRedirect(next_address(request, fallback))


def next_address(request: HttpRequest, fallback: str) -> str:
    """The address in `next` of the form or the query if it is one of this site, else `fallback`."""
    address = request.POST.get("next") or request.GET.get("next", "")
    is_own = url_has_allowed_host_and_scheme(address, request.get_host(), request.is_secure())
    return address if is_own else fallback


def render_form(
    request: HttpRequest,
    form: forms.BaseForm,
    *,
    title: str,
    cancel: str,
    save: str = "",
    delete: str = "",
) -> HttpResponse:
    """Renders a screen with one form. `save` is the label of its button, "Save" if it is empty.

    `cancel` is the address of its link, `delete` that of the confirmation that deletes what the form edits,
    if there is one.
    """
    context = {"form": form, "title": title, "save": save, "cancel": cancel, "delete": delete}
    response = render(request, "form_screen.html", context)
    # "Back" in the browser then loads a form with a new id, not the one that has created its instance.
    response.headers["Cache-Control"] = "no-store"
    return response


def too_many_requests(request: HttpRequest, wait: int, reason: str) -> HttpResponse:
    """The error screen for a request over a rate limit. `wait` is in seconds, as in RateLimited."""
    if wait < 100:
        count = wait
        text = ngettext(
            "%(reason)s Try again in %(count)s second.", "%(reason)s Try again in %(count)s seconds.", count
        )
    else:
        count = -(-wait // 60)
        text = ngettext(
            "%(reason)s Try again in %(count)s minute.", "%(reason)s Try again in %(count)s minutes.", count
        )
    text %= {"reason": reason, "count": count}
    context = {"status": 429, "title": _("Too many requests"), "text": text}
    response = render(request, "error.html", context, status=429)
    response.headers["Retry-After"] = str(wait)
    return response


def render_confirm(
    request: HttpRequest, question: str, text: str, button: str, cancel: str, name: str = ""
) -> HttpResponse:
    """Renders the confirmation of a deletion. fitness.js opens it as a dialog on the screen that links to it.

    `button` is the label of the button that deletes, `name` what it sends as "yes", and `cancel` the address
    of the link that does not delete.
    """
    context = {"question": question, "text": text, "button": button, "cancel": cancel, "name": name}
    return render(request, "confirm.html", context)


def uuid_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
