"""The screens of body weight, tape measurements and goals."""

import datetime
from collections.abc import Sequence
from typing import NamedTuple, Protocol
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.models import Account
from accounts.web.requests import AccountRequest
from body.forecast import forecast
from body.models import (
    MEASUREMENTS_READ,
    SITES,
    Goal,
    GoalQuerySet,
    Log,
    Measurement,
    MeasurementQuerySet,
    WeightLog,
    WeightLogQuerySet,
)
from body.trend import (
    LEAD,
    BodyTrend,
    LoggedWeight,
    Point,
    body_trend,
    daily_points,
    rounded,
    trend_change,
    whole_change,
)
from body.web.forms import GoalForm, MeasurementForm, WeightForm
from fitness.days import EARLIEST, today
from fitness.web.charts import LineChart, Series, small_multiples
from fitness.web.crud import AddView, DeleteView, EditView
from fitness.web.days import format_day
from fitness.web.shortcuts import get_page
from fitness.web.svg_charts import Sparkline
from fitness.web.units import to_unit

# The newest ones, which charts show: a screen costs the same however long the history is.
MAX_LOGS = 2_000
MAX_READ = MAX_LOGS + LEAD.days  # with those before, from which the trend of the first day comes
MAX_MEASUREMENTS = 500

# Logs with which those of a page are compared: of a month before, and those from which its trend comes.
LOGS_AROUND = 1_000

# Label and number of days, None for all.
RANGES = {
    "30d": (_("30 days"), 30),
    "90d": (_("90 days"), 90),
    "1y": (_("Year"), 365),
    "all": (pgettext_lazy("range of a chart", "All"), None),
}
SITE_LABELS = {
    "chest_cm": _("Chest"),
    "waist_cm": _("Waist"),
    "hips_cm": _("Hips"),
    "arms_cm": _("Arms"),
    "thighs_cm": _("Thighs"),
    "neck_cm": _("Neck"),
}
DEFAULT_RANGE = "90d"
FORECAST_DAYS = 90
TILE_DAYS = 365


class WeightLogRow(LoggedWeight, Protocol):
    @property
    def id(self) -> UUID: ...


class WeightRow(NamedTuple):
    """A log with its differences in kg: from the log before, and of the trend in 7 and in 30 days."""

    log: WeightLog
    change: float | None
    week: float | None
    month: float | None


class Girth(NamedTuple):
    """A site in cm, with its difference from the last time that it was measured."""

    label: str
    cm: float | None
    change: float | None


class Tile(NamedTuple):
    """A site at a glance: its latest cm, its line of TILE_DAYS, and the change since the line begins."""

    label: str
    cm: float
    measured_at: datetime.date
    change: float | None
    line: Sparkline


@login_required
def weight(request: AccountRequest) -> HttpResponse:
    account = request.user
    chosen = request.GET.get("range", DEFAULT_RANGE)
    if chosen not in RANGES:
        chosen = DEFAULT_RANGE
    logs, next_cursor = get_page(request, WeightLogQuerySet.newest_first, account.weight_logs.all())
    trend = recent_trend(account, RANGES[chosen][1])
    goal = account.goals.newest()
    form = WeightForm(account)
    form.suggest(trend["weight"]["last"])
    context = {
        "form": form,
        "logs": weight_rows(account, logs),
        "has_body_fat": any(log.body_fat_percent is not None for log in logs),
        "forecast": forecast(recent_trend(account, FORECAST_DAYS), goal, today()),
        "next_cursor": next_cursor,
        "trend": trend,
        "change_kg": whole_change(trend["points"]),
        "goal": goal,
        "chart": weight_chart(trend, goal, account.units),
        "ranges": [(name, label) for name, (label, _) in RANGES.items()],
        "chosen": chosen,
    }
    return render(request, "body/weight.html", context)


def weight_rows(account: Account, logs: Sequence[WeightLog]) -> list[WeightRow]:
    """The rows of a page, newest first."""
    if not logs:
        return []
    around = newest_of(account.weight_logs.of_trend(None, logs[0].logged_at), LOGS_AROUND)
    oldest = (logs[-1].logged_at, logs[-1].pk)
    behind = [log for log in around if (log.logged_at, log.id) < oldest][-1:]
    before: list[LoggedWeight | None] = [*logs[1:], *behind, None]
    points = daily_points(around, zone=timezone.get_current_timezone())
    return [weight_row(log, former, points) for log, former in zip(logs, before, strict=False)]


def weight_row(log: WeightLog, former: LoggedWeight | None, points: list[Point]) -> WeightRow:
    day = timezone.localdate(log.logged_at)
    change = rounded(log.weight_kg - former.weight_kg) if former else None
    return WeightRow(log, change, trend_change(points, day, 7), trend_change(points, day, 30))


def recent_trend(account: Account, days: int | None) -> BodyTrend:
    """The trend of the last `days` days, or of all days if None, from the newest MAX_LOGS logs."""
    until = timezone.now()
    since = until - datetime.timedelta(days=days) if days else None
    logs = newest_of(account.weight_logs.of_trend(since, until), MAX_READ)
    if len(logs) > MAX_LOGS:
        since = max(since or EARLIEST, logs[-MAX_LOGS].logged_at)
    return body_trend(logs, since, until, timezone.get_current_timezone())


def newest_of(logs: WeightLogQuerySet, limit: int) -> Sequence[WeightLogRow]:
    """The newest of some logs, oldest first."""
    newest = logs.order_by("-logged_at", "-id")[:limit]
    rows = newest.values_list("id", "logged_at", "weight_kg", "body_fat_percent", named=True)
    return list(rows)[::-1]


def weight_chart(trend: BodyTrend, goal: Goal | None, units: str) -> LineChart:
    """The weights and their trend in `units` ("kg" or "lb"), with a line for the goal's target weight."""
    points = trend["points"]
    target_kg = goal.target_weight_kg if goal else None
    return LineChart(
        title=gettext("Body weight"),
        series=[
            Series(
                gettext("Weighed"),
                [(point["day"], to_unit(point["weight_kg"], units)) for point in points],
                "dots",
            ),
            Series(gettext("Trend"), [(point["day"], to_unit(point["trend_kg"], units)) for point in points]),
        ],
        unit=units,
        goal=to_unit(target_kg, units) if target_kg else None,
    )


class LogWeightView(AddView):
    form_class = WeightForm
    title = _("Log your body weight")
    success_message = _("Your body weight is logged.")
    success_url = reverse_lazy("body")


class EditWeightView(EditView):
    form_class = WeightForm
    title = _("Edit a weight")
    delete_name = "delete-weight"
    success_url = reverse_lazy("body")


class DeleteLogView(DeleteView[Log]):
    def name_of(self, instance: Log) -> str:
        return format_day(timezone.localtime(instance.logged_at))


class DeleteWeightView(DeleteLogView):
    manager_name = "weight_logs"
    question = _("Delete the weight of {name}?")
    button = _("Delete weight")
    success_message = _("The weight is deleted.")
    success_url = reverse_lazy("body")


@login_required
def measurements(request: AccountRequest) -> HttpResponse:
    account = request.user
    logs, next_cursor = get_page(request, MeasurementQuerySet.newest_first, account.measurements.all())
    sites = [site for site in SITES if any(site in log.sites for log in logs)]
    series = site_series(account.measurements.order_by("-logged_at", "-id")[:MAX_MEASUREMENTS])
    context = {
        "sites": [site_label(site) for site in sites],
        "logs": measurement_rows(account, logs, sites),
        "next_cursor": next_cursor,
        "tiles": [tile(one.name, one.points) for one in series],
        "charts": small_multiples(series, "cm"),
    }
    return render(request, "body/measurements.html", context)


def measurement_rows(
    account: Account, logs: Sequence[Measurement], sites: Sequence[str]
) -> list[tuple[Measurement, list[Girth]]]:
    """The logs of a page, newest first, each with its values of some sites."""
    if not logs:
        return []
    measurements = account.measurements.all()
    behind = MeasurementQuerySet.newest_first.rows_behind(measurements, logs[-1], MEASUREMENTS_READ)
    former: dict[str, float] = {}
    rows = []
    for log in [*logs, *behind][::-1]:
        rows.append((log, [girth(log, site, former) for site in sites]))
        former |= log.sites
    return rows[::-1][: len(logs)]


def girth(log: Measurement, site: str, former: dict[str, float]) -> Girth:
    """A value of a log; `former` has the sites that were measured before."""
    cm = log.sites.get(site)
    change = rounded(cm - former[site]) if cm is not None and site in former else None
    return Girth(site_label(site), cm, change)


def site_series(newest_first: MeasurementQuerySet) -> list[Series]:
    """The values of each site that was measured, oldest first."""
    rows = list(newest_first.values("logged_at", *SITES))[::-1]
    times = [timezone.localtime(row["logged_at"]) for row in rows]
    series = [
        Series(
            site_label(site),
            [(time, row[site]) for time, row in zip(times, rows, strict=True) if row[site] is not None],
        )
        for site in SITES
    ]
    return [one for one in series if one.points]


def tile(label: str, points: Sequence[tuple[datetime.date, float]]) -> Tile:
    since = timezone.localtime() - datetime.timedelta(days=TILE_DAYS)
    shown = [point for point in points if point[0] >= since]
    measured_at, cm = points[-1]
    change = rounded(cm - shown[0][1]) if len(shown) > 1 else None
    return Tile(label, cm, measured_at, change, Sparkline(shown, since, timezone.localtime()))


def site_label(site: str) -> str:
    return str(SITE_LABELS[site])


class LogMeasurementView(AddView):
    form_class = MeasurementForm
    title = _("Log measurements")
    success_message = _("Your measurements are logged.")
    success_url = reverse_lazy("measurements")


class EditMeasurementView(EditView):
    form_class = MeasurementForm
    title = _("Edit measurements")
    delete_name = "delete-measurement"
    success_url = reverse_lazy("measurements")


class DeleteMeasurementView(DeleteLogView):
    manager_name = "measurements"
    question = _("Delete the measurements of {name}?")
    button = _("Delete measurements")
    success_message = _("The measurements are deleted.")
    success_url = reverse_lazy("measurements")


@login_required
def goals(request: AccountRequest) -> HttpResponse:
    account = request.user
    page, next_cursor = get_page(request, GoalQuerySet.newest_first, account.goals.all())
    current = account.goals.newest()
    latest_kg = account.weight_logs.latest_kg()
    context = {
        "current": current,
        "former": [goal for goal in page if goal != current],
        "next_cursor": next_cursor,
        "latest_kg": latest_kg,
        "progress": current.progress(latest_kg) if current else None,
        "forecast": forecast(recent_trend(account, FORECAST_DAYS), current, today()),
    }
    return render(request, "body/goals.html", context)


class SetGoalView(AddView):
    form_class = GoalForm
    title = _("Set a goal")
    save_label = _("Set goal")
    success_message = _("Your new goal is set.")
    success_url = reverse_lazy("goals")
