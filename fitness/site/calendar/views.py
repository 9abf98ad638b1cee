"""The address that calendar programs read: `/calendar/TOKEN.ics`."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.models import Account, AccountState, CalendarFeed
from fitness import __version__
from fitness.addresses import site_address
from fitness.api import rate_limits
from fitness.api.conditional import RELEASE, entity_tag, has_tag
from fitness.api.exceptions import RateLimited
from fitness.days import today
from fitness.site.calendar.events import events_of
from fitness.web.language import current, in_language_of
from fitness.web.local_time import zone_of
from fitness.web.shortcuts import too_many_requests

CONTENT_TYPE = "text/calendar; charset=utf-8"
HEADERS = {
    "Cache-Control": "private, no-cache",
    "X-Robots-Tag": "noindex, nofollow",
    "Content-Disposition": 'inline; filename="training.ics"',
}


@require_safe
def feed(request: HttpRequest, token: str) -> HttpResponse:
    """The calendar of the account with this token. An ended one gets the same 404 as one that never was."""
    found = CalendarFeed.objects.look_up(token)
    if found is None:
        raise Http404
    try:
        rate_limits.count(request, "calendar", str(found.account_id))
    except RateLimited as error:
        return too_many_requests(request, error.wait, _("Your programs read this calendar very often."))
    with timezone.override(zone_of(found.account.time_zone)), in_language_of(found.account):
        return calendar_of(request, found.account)


def calendar_of(request: HttpRequest, account: Account) -> HttpResponse:
    state = AccountState.objects.filter(account=account).first()
    if state is None:  # deleted in this moment
        raise Http404
    site = site_address(request)
    tag = entity_tag(site, account.pk, version_of(account, state), RELEASE)
    response: HttpResponse = HttpResponseNotModified()
    if not has_tag(request.headers.get("If-None-Match", ""), tag):
        from fitness.site.calendar.rendering import rendered

        zone = account.time_zone or settings.TIME_ZONE
        content = rendered(settings.SERVICE_NAME, zone, site, events_of(account))
        response = HttpResponse(content, content_type=CONTENT_TYPE)
    for name, value in {**HEADERS, "ETag": tag}.items():
        response.headers[name] = value
    return response


def version_of(account: Account, state: AccountState) -> str:
    """What the calendar depends on: workouts and plans take change stamps, planned days follow today."""
    parts = [state.last_change, account.units, account.time_zone, current(), today(), __version__]
    return " ".join(map(str, parts))
