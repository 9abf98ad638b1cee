"""The calendar of an account, for calendar programs (RFC 5545): `/calendar/TOKEN.ics`.

1. `feed` finds the account by the token of the address, of which only the hash is stored.
2. The ETag follows the account's change stamp, which workouts and plans take, and the day: 304 while both
   are the same, in two statements.
3. `events_of` reads the days of the active plan and the workouts, a fixed number of statements.
4. `rendered` writes them by icalendar, which escapes texts and folds lines. It takes 0.15 s to import, so the
   first feed that is written imports it.
"""

import datetime
import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.models import Account, AccountState, CalendarFeed
from fitness import __version__
from fitness.addresses import site_address
from fitness.api import rate_limits
from fitness.api.conditional import RELEASE, entity_tag, has_tag
from fitness.api.exceptions import RateLimited
from fitness.days import ONE_DAY, today
from fitness.db.owned import OfAccount
from fitness.web.language import current, in_language_of
from fitness.web.local_time import zone_of
from fitness.web.shortcuts import too_many_requests
from fitness.web.templatetags.units import whole_weight
from training.models import Plan, Workout, WorkoutExercise
from training.models.sets import DoneSets, counted
from training.models.timed import NOTES, timed_in_short
from training.plans.plan_rules import DayTarget, day_targets
from training.plans.wording import target_text
from training.templatetags.training import counted_sets, done_in_words, lift
from training.web.names import exercise_name

if TYPE_CHECKING:
    from icalendar import Event as Entry

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


DAYS_AHEAD, DAYS_BACK = 28, 90
MAX_WORKOUTS = 500
LINES = 15  # of the exercises of a day or workout
WEEK = 7

Moment = datetime.date | datetime.datetime


class Event(NamedTuple):
    uid: str
    begins: Moment  # a date for a whole day
    ends: Moment | None
    summary: str
    lines: list[str]
    path: str
    changed_at: datetime.datetime


def events_of(account: Account) -> Iterator[Event]:
    """The events in the current time zone: what is planned from today on, then workouts, newest first."""
    workouts = recent_workouts(account)
    plan = account.plans.active().first()
    if plan:
        yield from planned(plan, is_done=is_done_today(plan, workouts))
    yield from done(account, workouts)


def recent_workouts(account: Account) -> list[Workout]:
    since = timezone.now() - datetime.timedelta(days=DAYS_BACK)
    newest = account.workouts.started(since).order_by("-started_at", "-id")
    return list(newest.defer("document", "notes")[:MAX_WORKOUTS])


def is_done_today(plan: Plan, workouts: Iterable[Workout]) -> bool:
    return any(one.plan_id == plan.pk and timezone.localdate(one.started_at) == today() for one in workouts)


def planned(plan: Plan, *, is_done: bool) -> Iterator[Event]:
    """The days on which the plan trains; today only while that is not done."""
    week, rules = plan.week, plan.progressions
    for number in range(int(is_done), DAYS_AHEAD):
        day = today() + ONE_DAY * number
        planned_day = plan.days[day.weekday()]
        if planned_day["rest"]:
            continue
        asked = day_targets(week, rules, planned_day["weekday"], day)
        label, is_deload = planned_day["label"] or _("Training"), rules.is_deload(day)
        lines = [asked_line(one, week.unit, is_next=number < WEEK) for one in asked]
        yield Event(
            uid=f"{plan.pk}-{day:%Y%m%d}",
            begins=day,
            ends=day + ONE_DAY,
            summary=_("%(day)s (deload)") % {"day": label} if is_deload else label,
            lines=[*filter(None, [planned_day["focus"]]), *shortened(lines)],
            path=reverse("plan", args=[plan.pk]),
            changed_at=plan.changed_at,
        )


def asked_line(asked: DayTarget, unit: str, *, is_next: bool) -> str:
    """An exercise of a planned day.

    Where a rule decides, the target of a later week depends on what is lifted until then, so it is left out.
    """
    name, target = exercise_name(asked.entry["name"]), asked.target
    if asked.rule and not is_next:
        return name
    return f"{name}: {target_text(target, unit)}"


def done(account: Account, workouts: list[Workout]) -> Iterator[Event]:
    exercises = exercises_of(account, [one.pk for one in workouts])
    for one in workouts:
        ends = one.started_at + datetime.timedelta(seconds=one.duration_seconds)
        yield Event(
            uid=str(one.pk),
            begins=one.started_at,
            ends=ends if one.duration_seconds else None,
            summary=one.title or _("Workout"),
            lines=workout_lines(one, exercises[one.pk], account.units),
            path=reverse("workout", args=[one.pk]),
            changed_at=one.updated_at,
        )


def exercises_of(account: Account, workout_ids: list[UUID]) -> dict[UUID, list[WorkoutExercise]]:
    """By workout its exercises, with their done sets."""
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), workout__in=workout_ids)
    rows = rows.with_done_sets().select_related("exercise")
    found: dict[UUID, list[WorkoutExercise]] = defaultdict(list)
    for row in rows.defer("sets", "session_sets").order_by("workout", "position"):
        found[row.workout_id].append(row)
    return found


def workout_lines(workout: Workout, exercises: list[WorkoutExercise], unit: str) -> list[str]:
    done: dict[str, DoneSets] = defaultdict(lambda: DoneSets(0, 0))
    for row in exercises:
        done[row.exercise_id] = done[row.exercise_id].plus(done_in(row))
    total = functools.reduce(DoneSets.plus, done.values(), DoneSets(0, 0))
    volume = [whole_weight(workout.volume_kg, unit)] if workout.volume_kg else []
    head = [", ".join([done_in_words(total), *volume])] if any(total) else []
    rows = [row for row in exercises if row.first_of_exercise]
    return [*head, *shortened([done_line(row, done[row.exercise_id], unit) for row in rows])]


def done_in(row: WorkoutExercise) -> DoneSets:
    return counted(row.done, row.done_warmups, row.notes)  # type: ignore[attr-defined]  # of exercises_of


def done_line(row: WorkoutExercise, done: DoneSets, unit: str) -> str:
    name = exercise_name(row.exercise.name)
    if times := timed_in_short(row.notes[:NOTES], unit):
        return f"{name}: {times}"
    if not done.sets:
        return name
    count = counted_sets(done.sets)
    if row.best_weight_kg is None or row.best_reps is None or row.exercise.is_assisted:
        return f"{name}: {count}"
    best = lift((row.best_weight_kg, row.best_reps), unit)
    return _("%(name)s: %(sets)s, best %(best)s") % {"name": name, "sets": count, "best": best}


def shortened(lines: list[str]) -> list[str]:
    if len(lines) <= LINES:
        return lines
    return [*lines[:LINES], _("and %(count)s more") % {"count": len(lines) - LINES}]


REFRESH = datetime.timedelta(hours=1)
# Of these some readers begin a new line, and others reject the stream.
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def rendered(name: str, zone: str, site: str, events: Iterable[Event]) -> bytes:
    from icalendar import Calendar

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


def entry_of(event: Event, site: str) -> "Entry":
    from icalendar import Event as Entry

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
