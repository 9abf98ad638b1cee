"""The settings of the calendar: its secret address is made, shown once, and ended."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from accounts.models import AlreadyMade, CalendarFeed
from accounts.web import fresh
from accounts.web.requests import AccountRequest
from fitness.addresses import site_address
from fitness.web.compression import uncompressed

ALREADY_MADE = gettext_lazy(
    "Your calendar has an address already. If you did not copy it, end it and make another."
)


@login_required
@never_cache
def calendar(request: AccountRequest) -> HttpResponse:
    """A new address needs a fresh sign-in, as a new key does."""
    if request.method == "POST":
        return make(request) if fresh.is_fresh(request) else fresh.ask(request)
    context = {
        "feed": CalendarFeed.objects.filter(account=request.user).first(),
        "is_fresh": fresh.is_fresh(request),
    }
    return render(request, "accounts/calendar.html", context)


def make(request: AccountRequest) -> HttpResponse:
    """Responds to the POST with the address: a redirect would need to store it in a session or an address."""
    try:
        token = request.user.make_calendar()
    except AlreadyMade:
        messages.warning(request, ALREADY_MADE)
        return redirect("calendar")
    address = feed_address(request, token)
    context = {
        "address": address,
        "webcal": urlsplit(address)._replace(scheme="webcal").geturl(),
        "is_public": bool(settings.PUBLIC_URL),
    }
    return uncompressed(render(request, "accounts/calendar_made.html", context))


def feed_address(request: HttpRequest, token: str) -> str:
    return site_address(request) + reverse("calendar-feed", args=[token])


@login_required
def end(request: AccountRequest) -> HttpResponse:
    if request.method == "POST":
        if request.user.end_calendar():
            messages.success(request, _("The address of your calendar is ended."))
        return redirect("calendar")
    return render(request, "accounts/end_calendar.html")
