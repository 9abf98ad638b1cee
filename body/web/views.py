"""The screens of body weight, tape measurements and goals."""

import datetime

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone

from accounts.models import Account
from accounts.web.requests import AccountRequest
from body.models import (
    SITES,
    Goal,
    GoalQuerySet,
    Log,
    Measurement,
    MeasurementQuerySet,
    WeightLogQuerySet,
)
from body.trend import BodyTrend, body_trend
from body.web.forms import GoalForm, MeasurementForm, WeightForm
from fitness.web.charts import LineChart, Series, small_multiples
from fitness.web.crud import AddView, DeleteView, EditView
from fitness.web.days import format_day
from fitness.web.shortcuts import get_page
from fitness.web.units import to_unit

# The newest ones, which charts show: a screen costs the same however long the history is.
MAX_LOGS = 2_000
MAX_MEASUREMENTS = 500

# Label and number of days, None for all.
RANGES = {"30d": ("30 days", 30), "90d": ("90 days", 90), "1y": ("Year", 365), "all": ("All", None)}
DEFAULT_RANGE = "90d"


@login_required
def weight(request: AccountRequest) -> HttpResponse:
    account = request.user
    chosen = request.GET.get("range", DEFAULT_RANGE)
    if chosen not in RANGES:
        chosen = DEFAULT_RANGE
    logs, next_cursor = get_page(request, WeightLogQuerySet.newest_first, account.weight_logs.all())
    _, days = RANGES[chosen]
    trend = recent_trend(account, days)
    goal = account.goals.newest()
    context = {
        "form": WeightForm(account),
        "logs": logs,
        "next_cursor": next_cursor,
        "trend": trend,
        "goal": goal,
        "chart": weight_chart(trend, goal, account.units),
        "ranges": [(name, label) for name, (label, _) in RANGES.items()],
        "chosen": chosen,
    }
    return render(request, "body/weight.html", context)


def recent_trend(account: Account, days: int | None) -> BodyTrend:
    """The trend of the last `days` days, or of all days if None, from the newest MAX_LOGS logs."""
    until = timezone.now()
    since = until - datetime.timedelta(days=days) if days else None
    newest = account.weight_logs.logged(since, until).order_by("-logged_at", "-id")
    logs = newest.values_list("logged_at", "weight_kg", "body_fat_percent", named=True)
    return body_trend(list(logs[:MAX_LOGS])[::-1], timezone.get_current_timezone())


def weight_chart(trend: BodyTrend, goal: Goal | None, units: str) -> LineChart:
    """The weights and their trend in `units` ("kg" or "lb"), with a line for the goal's target weight."""
    points = trend["points"]
    target_kg = goal.target_weight_kg if goal else None
    return LineChart(
        title="Body weight",
        series=[
            Series(
                "Weighed", [(point["day"], to_unit(point["weight_kg"], units)) for point in points], "dots"
            ),
            Series("Trend", [(point["day"], to_unit(point["trend_kg"], units)) for point in points]),
        ],
        unit=units,
        goal=to_unit(target_kg, units) if target_kg else None,
    )


class LogWeightView(AddView):
    form_class = WeightForm
    title = "Log your weight"
    success_message = "Your weight is logged."
    success_url = reverse_lazy("body")


class EditWeightView(EditView):
    form_class = WeightForm
    title = "Edit a weight"
    success_url = reverse_lazy("body")


class DeleteLogView(DeleteView[Log]):
    def name_of(self, instance: Log) -> str:
        return format_day(timezone.localtime(instance.logged_at))


class DeleteWeightView(DeleteLogView):
    manager_name = "weight_logs"
    question = "Delete the weight of {name}?"
    button = "Delete weight"
    success_message = "The weight is deleted."
    success_url = reverse_lazy("body")


@login_required
def measurements(request: AccountRequest) -> HttpResponse:
    account = request.user
    logs, next_cursor = get_page(request, MeasurementQuerySet.newest_first, account.measurements.all())
    context = {
        "logs": [(log, labelled_sites(log)) for log in logs],
        "next_cursor": next_cursor,
        "charts": site_charts(account.measurements.order_by("-logged_at", "-id")[:MAX_MEASUREMENTS]),
    }
    return render(request, "body/measurements.html", context)


def labelled_sites(log: Measurement) -> list[tuple[str, float]]:
    """(label, cm) of the sites that were measured."""
    return [(site_label(site), cm) for site, cm in log.sites.items()]


def site_charts(newest_first: MeasurementQuerySet) -> list[LineChart]:
    """A chart for each site that was measured."""
    rows = list(newest_first.values("logged_at", *SITES))[::-1]
    times = [timezone.localtime(row["logged_at"]) for row in rows]
    series = [
        Series(
            site_label(site),
            [(time, row[site]) for time, row in zip(times, rows, strict=True) if row[site] is not None],
        )
        for site in SITES
    ]
    return small_multiples(series, "cm")


def site_label(site: str) -> str:
    return site.removesuffix("_cm").capitalize()


class LogMeasurementView(AddView):
    form_class = MeasurementForm
    title = "Log measurements"
    success_message = "Your measurements are logged."
    success_url = reverse_lazy("measurements")


class EditMeasurementView(EditView):
    form_class = MeasurementForm
    title = "Edit measurements"
    success_url = reverse_lazy("measurements")


class DeleteMeasurementView(DeleteLogView):
    manager_name = "measurements"
    question = "Delete the measurements of {name}?"
    button = "Delete measurements"
    success_message = "The measurements are deleted."
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
    }
    return render(request, "body/goals.html", context)


class SetGoalView(AddView):
    form_class = GoalForm
    title = "Set a goal"
    save_label = "Set goal"
    success_message = "Your new goal is set."
    success_url = reverse_lazy("goals")
