"""The rows of the tables of /progress. Not by templates, in which they took half of the time of the page."""

import datetime
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from fitness.web.days import format_day, format_short_day
from fitness.web.templatetags.units import thousands, weight, whole_weight
from training.models.timed import clock, distance
from training.templatetags.training import counted_reps, counted_workouts, load
from training.web.names import exercise_name
from training.web.progress.headline import Change
from training.web.progress.lifts import ShownLift
from training.web.progress.week import Cell

ANY_ID = UUID(int=0)

PIN = (
    '<button class="tool pin" form="pins" formaction="{address}" aria-label="{label}"'
    ' aria-pressed="{pressed}"><svg class="pin-icon" viewBox="0 0 24 24" aria-hidden="true">'
    '<path d="M9 3h6l-1 6 4 4H6l4-4zM12 13v8"/></svg></button>'
)
LIFT = (
    '<tr><th scope="row"><a class="lifts-name" href="{address}"><bdi>{name}</bdi></a>'
    ' <small class="lifts-facts">{facts}</small></th>'
    '<td class="table-number">{value}</td><td class="table-number{up}">{change}</td>'
    '<td class="lifts-wide">{record}</td><td class="lifts-wide">{last}</td>'
    '<td class="lifts-pin">{pin}</td></tr>'
)
DONE = '<a href="{}"><time datetime="{}">{}</time></a>'
NO_DAY = mark_safe("<td></td>")

Address = Callable[[object], str]


def addresses(name: str) -> Address:
    """As `reverse` with the one argument, an id, for rows that all have such an address."""
    before, after = reverse(name, args=[ANY_ID]).split(str(ANY_ID))
    return lambda pk: f"{before}{pk}{after}"


def pin_button(exercise_id: str, name: str, is_pinned: bool) -> SafeString:
    """A button of the form `pins`, which the page has once."""
    address = reverse("unpin-lift" if is_pinned else "pin-lift", args=[exercise_id])
    label = _("Pin %(name)s") % {"name": name}
    return format_html(PIN, address=address, label=label, pressed="true" if is_pinned else "false")


def shown_value(value: float | None, lift: ShownLift, unit: str) -> str:
    """A value of a lift by its measure."""
    if value is None:
        return "–"
    match lift.measure:
        case "reps":
            return counted_reps(value)
        case "help":
            return load(value, unit)
        case "time":
            return clock(round(value))
        case "distance":
            return distance(value, unit)
        case "volume":
            return whole_weight(value, unit)
        case _:
            return weight(value, unit)


def lift_rows(lifts: Sequence[ShownLift], unit: str) -> SafeString:
    exercise, workout = addresses("exercise"), addresses("workout")
    return joined(lift_row(lift, unit, exercise, workout) for lift in lifts)


def joined(parts: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))


def lift_row(lift: ShownLift, unit: str, exercise: Address, workout: Address) -> SafeString:
    name, last_done = exercise_name(lift.name), timezone.localtime(lift.last_done)
    last_day = format_short_day(last_done)
    facts, record = [_("Done %(day)s") % {"day": last_day}], "–"
    if lift.record:
        moment = timezone.localtime(lift.record.started_at)
        day = format_short_day(moment)
        facts.insert(0, _("Record %(day)s") % {"day": day})
        record = format_html(DONE, workout(lift.record.workout_id), moment.isoformat(), day)
    return format_html(
        LIFT,
        address=exercise(lift.exercise_id),
        name=name,
        facts=format_html_join(" ", "<span>{}</span>", ((fact,) for fact in facts)),
        value=shown_value(lift.value, lift, unit),
        up=" lifts-up" if lift.change and lift.change.amount > 0 else "",
        change=change_text(lift.change),
        record=record,
        last=format_html(DONE, workout(lift.last_workout), last_done.isoformat(), last_day),
        pin=pin_button(lift.exercise_id, name, lift.is_pinned),
    )


def change_text(change: Change | None) -> str:
    if change is None:
        return "–"
    return change.text if change.amount else _("same")


def month_rows(weeks: Sequence[Sequence[tuple[datetime.date, int] | None]]) -> SafeString:
    """The days of a month by week, each with workouts as a link to them."""
    workouts = reverse("workouts")
    rows = (joined(month_cell(day, workouts) for day in week) for week in weeks)
    return format_html_join("", "<tr>{}</tr>", ((row,) for row in rows))


def month_cell(day: tuple[datetime.date, int] | None, workouts: str) -> SafeString:
    if day is None:
        return NO_DAY
    date, count = day
    if not count:
        return format_html("<td><span>{}</span></td>", date.day)
    label = f"{format_day(date)}: {counted_workouts(count)}"
    return format_html('<td><a href="{}?day={}" aria-label="{}">{}</a></td>', workouts, date, label, date.day)


def week_cells(cells: Sequence[Cell], by: str, unit: str) -> SafeString:
    """What a muscle group adds up to in each week."""
    return joined(week_cell(cell, by, unit) for cell in cells)


def week_cell(cell: Cell, by: str, unit: str) -> SafeString:
    level = format_html(' class="strip-{}"', cell.level) if cell.level else ""
    return format_html("<td{}>{}</td>", level, week_text(cell.sets, cell.volume_kg, by, unit))


def week_text(sets: int, volume_kg: float, by: str, unit: str) -> str:
    if by == "sets":
        return str(sets or "–")
    if not volume_kg:
        return "–"
    return format_html('<span title="{}">{}</span>', weight(volume_kg, unit), thousands(volume_kg, unit))
