"""Writes events as an iCalendar stream, by icalendar, which escapes texts and folds lines."""

import datetime
import re
from collections.abc import Iterable

from django.utils.translation import gettext as _
from icalendar import Calendar
from icalendar import Event as Entry

from fitness.site.calendar.events import Event

REFRESH = datetime.timedelta(hours=1)
# Of these some readers begin a new line, and others reject the stream.
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def rendered(name: str, zone: str, site: str, events: Iterable[Event]) -> bytes:
    calendar = Calendar()
    calendar.add("prodid", f"-//{name}//Training//EN")
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    title = _("%(service)s training") % {"service": name}
    calendar.add("name", title)
    calendar.add("x-wr-calname", title)
    calendar.add("x-wr-timezone", zone)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    for event in events:
        calendar.add_component(entry_of(event, site))
    text: bytes = calendar.to_ical()
    return text


def entry_of(event: Event, site: str) -> Entry:
    entry = Entry()
    entry.add("uid", event.uid)
    entry.add("dtstamp", event.changed_at)
    entry.add("last-modified", event.changed_at)
    entry.add("dtstart", event.begins)
    if event.ends:
        entry.add("dtend", event.ends)
    entry.add("summary", plain(event.summary))
    entry.add("description", "\n".join(map(plain, event.lines)))
    entry.add("url", site + event.path)
    is_whole_day = not isinstance(event.begins, datetime.datetime)
    entry.add("transp", "TRANSPARENT" if is_whole_day else "OPAQUE")
    return entry


def plain(text: str) -> str:
    return CONTROLS.sub(" ", text)
